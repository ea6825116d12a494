import {AppError} from '../../../core/error.ts';
import {mask} from '../../../core/secrets/secret.ts';
import {nearestLines} from './nearest-lines.ts';
import {splitLines} from './read-text.ts';

export type Edit = {readonly old_text: string; readonly new_text: string; readonly replace_all?: boolean | undefined};

/** How the lines of a text end. */
type LineEnd = 'lf' | 'crlf' | 'mixed';

/** Most line numbers that a message names. */
const maxPlaces = 20;

/**
 * Replaces exact text, each edit in the result of the one before. Line ends stay as they are: `\n` in an edit matches
 * the line ends of the text. Throws `AppError("usage")`, with what the text has instead, if an edit doesn't apply.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
	const lineEnd = lineEndOf(text);
	let result = lineEnd === 'crlf' ? withLf(text) : text;
	for (const [index, edit] of edits.entries()) {
		const name = edits.length > 1 ? `edit ${index + 1} of ${edits.length}` : 'the edit';
		result = lineEnd === 'mixed' ? editMixed(result, edit, name) : editUniform(result, edit, name);
	}

	return lineEnd === 'crlf' ? withCrlf(result) : result;
}

/** Returns `text` with the line ends of another text, if those are all CRLF. */
export function withLineEndsOf(text: string, other: string): string {
	return lineEndOf(other) === 'crlf' && lineEndOf(text) === 'lf' ? withCrlf(text) : text;
}

function editUniform(text: string, edit: Edit, name: string): string {
	return replace(text, {...edit, old_text: withLf(edit.old_text), new_text: withLf(edit.new_text)}, name);
}

/** Tries the edit as it is, then with CRLF. */
function editMixed(text: string, edit: Edit, name: string): string {
	const crlf = {...edit, old_text: withCrlf(withLf(edit.old_text)), new_text: withCrlf(withLf(edit.new_text))};
	return replace(text, !text.includes(edit.old_text) && text.includes(crlf.old_text) ? crlf : edit, name);
}

function replace(
	text: string,
	{old_text: before, new_text: after, replace_all: all = false}: Edit,
	name: string,
): string {
	if (before === '') {
		throw new AppError('usage', `old_text of ${name} is empty. Nothing was written.`, {
			hint: 'To replace the whole file, or to create one, call write_file.',
		});
	}

	if (before === after) {
		throw new AppError('usage', `old_text and new_text of ${name} are the same. Nothing was written.`);
	}

	const [first = -1, second] = placesOf(text, before, 2);
	if (first < 0) {
		throw new AppError('usage', missing(text, before, name));
	}

	if (all) {
		return text.split(before).join(after);
	}

	if (second !== undefined) {
		throw new AppError('usage', `old_text of ${name} matches ${places(text, before)}. Nothing was written.`, {
			hint: 'Add lines around it that make it unique, or set replace_all.',
		});
	}

	return text.slice(0, first) + after + text.slice(first + before.length);
}

/** Returns the indexes of a text, also of matches that overlap. */
function placesOf(text: string, wanted: string, limit: number): readonly number[] {
	const found: number[] = [];
	for (let at = text.indexOf(wanted); at >= 0 && found.length < limit; at = text.indexOf(wanted, at + 1)) {
		found.push(at);
	}

	return found;
}

function places(text: string, wanted: string): string {
	const indexes = placesOf(text, wanted, maxPlaces + 1);
	const numbers: number[] = [];
	let [line, from] = [1, 0];
	for (const index of indexes.slice(0, maxPlaces)) {
		line += text.slice(from, index).split('\n').length - 1;
		from = index;
		numbers.push(line);
	}

	const isMore = indexes.length > maxPlaces;
	return `${isMore ? `more than ${maxPlaces}` : numbers.length} places, at lines ${numbers.join(', ')}${isMore ? ' …' : ''}`;
}

function missing(text: string, wanted: string, name: string): string {
	const nearest = nearestLines(splitLines(text), wanted);
	return [
		`old_text of ${name} was not found. Nothing was written.`,
		...(wanted.includes(mask) ? [`${mask} hides a credential; it can't be matched. Leave that line out.`] : []),
		...(nearest ? [`The most similar lines are:\n${nearest}`] : ['No line is similar. Read the file again.']),
	].join(' ');
}

function lineEndOf(text: string): LineEnd {
	const crlf = text.split('\r\n').length - 1;
	return crlf === 0 ? 'lf' : crlf === text.split('\n').length - 1 ? 'crlf' : 'mixed';
}

/** Returns a text with LF in place of each CRLF. */
export function withLf(text: string): string {
	return text.replaceAll('\r\n', '\n');
}

function withCrlf(text: string): string {
	return text.replaceAll('\n', '\r\n');
}
