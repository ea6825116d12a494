import {posix} from 'node:path';
import {cutLine} from '../../core/cut-text.ts';
import {readFrontMatter} from '../../core/front-matter.ts';

/** A prompt that the user or the project wrote down, which a slash command sends. Its texts are untrusted. */
export type PromptFile = {
	/** The name of the file in lower case, without `.md`. */
	readonly name: string;
	readonly path: string;
	/** One line: what its fields say, else its first line. */
	readonly description: string;
	/** The arguments as the user should read them. */
	readonly argumentHint: string | undefined;
	readonly body: string;
};

/** Most characters of a description and of a hint. */
const maxLine = 120;

/** Reads a prompt file, whatever it contains. */
export function readPromptFile(path: string, text: string): PromptFile {
	const {fields, body} = readFrontMatter(text);
	const [first = ''] = body.trim().split('\n', 1);
	return {
		name: posix.basename(path, posix.extname(path)).toLowerCase(),
		path,
		description: cutLine(fields.get('description') || first.replace(/^#+\s*/, ''), maxLine),
		argumentHint: cutLine(fields.get('argument-hint') ?? '', maxLine) || undefined,
		body: body.trim(),
	};
}

/**
 * Returns the message of a prompt file for what was typed behind its name: `$ARGUMENTS` is all of it, `$1` to `$9` are its
 * words. Of a file that names none of them, it is the last paragraph. Arguments are never read as placeholders.
 */
export function promptText(body: string, typed: string): string {
	const words = wordsOf(typed);
	let isUsed = false;
	const text = body.replace(/\$(?:ARGUMENTS\b|([1-9])(?!\d))/g, (_, place: string | undefined) => {
		isUsed = true;
		return place === undefined ? typed : (words[Number(place) - 1] ?? '');
	});
	return isUsed || !typed ? text : `${text}\n\n${typed}`;
}

/** Returns the words of what was typed behind a name. Splits at white space; quotes keep words together, an open quote is a character like any other. */
export function wordsOf(typed: string): readonly string[] {
	return [...typed.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)].map(([whole, double, single]) => double ?? single ?? whole);
}
