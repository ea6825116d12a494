import {AppError} from './error.ts';
import {unseenCharacters} from './json.ts';

/** A word of a message that names something to attach: `@src/a.ts:10-40`. */
export type Mention = {
	/** The whole mention as typed, with `@`. */
	readonly typed: string;
	/** What it names, without quotes and lines. */
	readonly name: string;
	/** The first and the last line as typed, if some were named. `40-10` is kept: it must not stand for the whole file. */
	readonly lines?: {readonly first: number; readonly last: number};
};

/**
 * Before a mention: nothing, a space, an opening or a parting character, or a letter of a script without case, as those that are
 * written without spaces. An address such as `a@b.c` is none.
 */
const start = /(?<=^|[\s<"'`,;、。，；：！？…\p{Ps}\p{Pi}\p{Lo}\p{Lm}])@/u.source;
const mention = new RegExp(
	`${start}${/(?:"((?:[^"\\\n]|\\.)*)"|((?:\\.|[^\s"'`<>|*?])+))(?::(\d{1,7})(?:-(\d{1,7}))?(?!\w))?/u.source}`,
	'gu',
);
const unfinished = new RegExp(`${start}${/(?:"([^"\n]*)|([^\s"'`<>|*?]*))$/u.source}`, 'u');

/** What ends a sentence, or closes what was opened before a mention. */
const trailing = /[.,;:!?、。，；：！？…\p{Pe}\p{Pf}]+$/u;

/** Returns the mentions of a message in order, each once. Code in fences is quoted material, which mentions nothing. */
export function findMentions(text: string): readonly Mention[] {
	const found = new Map<string, Mention>();
	for (const match of withoutFences(text).matchAll(mention)) {
		const [typed, quoted, bare = '', first, last] = match;
		const read = quoted === undefined ? readBare(bare) : {name: unquoted(quoted), first, last};
		if (read.name) {
			const lines = linesOf(read.first ?? first, read.last ?? last);
			const key = JSON.stringify([read.name, lines]);
			found.set(key, found.get(key) ?? {typed: typed.replace(trailing, ''), name: read.name, ...(lines && {lines})});
		}
	}

	return [...found.values()];
}

function readBare(bare: string) {
	const plain = bare.replace(trailing, '').replace(/\\(.)/gu, '$1');
	const [, name = plain, first, last] = /^(.+?):(\d{1,7})(?:-(\d{1,7}))?$/su.exec(plain) ?? [];
	return {name, first, last};
}

function linesOf(first: string | undefined, last = first): Mention['lines'] {
	return first === undefined ? undefined : {first: Number(first), last: Number(last)};
}

/** Throws AppError("usage") for lines that no file can have: `:40-10`, `:0`. */
export function assertLines({lines}: Mention): void {
	if (lines && (lines.first < 1 || lines.last < lines.first)) {
		throw new AppError('usage', `Invalid lines “${lines.first}-${lines.last}”.`, {
			hint: 'Put the first line before the last, and count from 1: `:10-40`',
		});
	}
}

/** Throws AppError("usage") for lines of what has none; `what` names it, with its article. */
export function assertNoLines(lines: Mention['lines'], what: string): void {
	if (lines) {
		const typed = lines.first === lines.last ? lines.first : `${lines.first}-${lines.last}`;
		throw new AppError('usage', `${what} has no numbered lines.`, {hint: `Mention it without “:${typed}”.`});
	}
}

/** Returns the text of a quoted name, in which a backslash escapes as in JSON. */
function unquoted(quoted: string): string {
	try {
		return JSON.parse(`"${quoted}"`);
	} catch {
		return quoted;
	}
}

const unseen = new RegExp(`[${unseenCharacters}]`, 'u');

/** Returns a mention of a name, quoted if it has to be, so that `findMentions` reads exactly this name. */
export function mentionOf(name: string): string {
	const isPlain = /^[\p{L}\p{N}_/.@+=#%&-][\p{L}\p{N}_/~.@+=#%&-]*$/u.test(name) && !trailing.test(name);
	return isPlain && !unseen.test(name)
		? `@${name}`
		: `@${JSON.stringify(name).replace(new RegExp(unseen, 'gu'), escaped)}`;
}

function escaped(character: string): string {
	return character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The mention that ends at the caret, while it is typed. */
export type TypedMention = {
	/** Where its `@` is. */
	readonly start: number;
	/** What was typed behind it. */
	readonly query: string;
};

/** Most characters of a mention that is being typed. */
const maxTyped = 300;

/** Returns the mention that the caret is at the end of; undefined for none. */
export function mentionAt(text: Pick<string, 'slice' | 'charAt'>, caret: number): TypedMention | undefined {
	const from = Math.max(0, caret - maxTyped);
	const before = text.slice(from, caret);
	const [typed, quoted, bare = ''] = unfinished.exec(before) ?? [];
	return typed === undefined || /\w/.test(text.charAt(caret))
		? undefined
		: {start: caret - typed.length, query: quoted ?? bare};
}

/** Blanks the lines of fenced code. */
function withoutFences(text: string): string {
	if (!/^ {0,3}(?:```|~~~)/m.test(text)) {
		return text;
	}

	let fence: string | undefined;
	return text
		.split('\n')
		.map(line => {
			const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
			const isClosing = fence !== undefined && mark?.startsWith(fence) && line.trim() === mark;
			const isInside = fence !== undefined || mark !== undefined;
			fence = isClosing ? undefined : (fence ?? mark);
			return isInside ? '' : line;
		})
		.join('\n');
}
