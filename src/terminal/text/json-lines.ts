import {parseJson} from '../../core/json.ts';
import type {Role} from './role.ts';
import {safeText} from './safe-text.ts';
import type {StyledSpan} from './sgr.ts';
import type {Palette} from './style.ts';

/** Lines of JSON as it was written: numbers, escapes, order and repeated names stay. */
export type JsonLines = {
	readonly lines: readonly string[];
	/** How many lines follow that are not among them. */
	readonly more: number;
};

type Options = {
	/** A value that fits into so many characters stays on one line. */
	readonly width: number;
	/** Most lines that are returned; the others are counted. */
	readonly maxLines: number;
};

/** Deeper values are indented no further. */
const maxIndented = 20;
const indent = '  ';

/** Returns true for a text that is an object or an array in JSON. */
export function isJson(text: string): boolean {
	return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text.slice(-64)) && parseJson(text) !== undefined;
}

/** Breaks JSON, which may be cut anywhere, into indented lines. Takes linear time, whatever the depth. */
export function breakJson(text: string, {width, maxLines}: Options): JsonLines {
	const tokens = tokensOf(text);
	const ends = endsOf(tokens);
	const lines: string[] = [];
	let count = 0;
	let depth = 0;
	let line = '';
	let used = 0;
	const finish = () => {
		if (used > 0 && count++ < maxLines) {
			lines.push(line);
		}

		line = '';
		used = 0;
	};
	const add = (part: string) => {
		const margin = used === 0 ? Math.min(depth, maxIndented) : 0;
		used += margin * indent.length + part.length;
		// Lines that are only counted need no text.
		line += count >= maxLines ? '' : indent.repeat(margin) + part;
	};

	for (let index = 0; index < tokens.length; index++) {
		const token = tokens[index] ?? '';
		const end = ends.index[index] ?? 0;
		const begun = used === 0 ? indent.length * Math.min(depth, maxIndented) : used;
		if (end > 0 && (end === index + 1 || begun + (ends.width[index] ?? 0) <= width)) {
			const parts = tokens.slice(index, end + 1);
			add(parts.map(spaced).join(''));
			index = end;
		} else if (token === '{' || token === '[') {
			add(token);
			depth++;
			finish();
		} else if (token === '}' || token === ']') {
			finish();
			depth = Math.max(0, depth - 1);
			add(token);
		} else {
			add(token === ':' ? ': ' : token);
			if (token === ',') {
				finish();
			}
		}
	}

	finish();
	return {lines, more: count - lines.length};
}

function spaced(token: string): string {
	return token === ',' || token === ':' ? `${token} ` : token;
}

/** Where brackets are closed: for each token the index of its end, or 0, and how long the value is on one line. */
type Ends = {readonly index: Int32Array; readonly width: Int32Array};

function endsOf(tokens: readonly string[]): Ends {
	const ends: Ends = {index: new Int32Array(tokens.length), width: new Int32Array(tokens.length)};
	const before = new Int32Array(tokens.length);
	const open: number[] = [];
	let length = 0;
	for (let index = 0; index < tokens.length; index++) {
		const token = tokens[index] ?? '';
		if (token === '{' || token === '[') {
			open.push(index);
			before[index] = length;
		}

		length += token.length + (token === ',' || token === ':' ? 1 : 0);
		const begin = token === '}' || token === ']' ? open.pop() : undefined;
		if (begin !== undefined) {
			ends.index[begin] = index;
			ends.width[begin] = length - (before[begin] ?? 0);
		}
	}

	return ends;
}

/** Ends a value that is no string. */
const notInValue = new Set(' \t\n\r{}[],:"');

/** Splits JSON into brackets, signs and values. Text that is none becomes a value. */
function tokensOf(text: string): readonly string[] {
	const tokens: string[] = [];
	for (let at = 0; at < text.length; at++) {
		const character = text[at] ?? '';
		if (character === ' ' || character === '\n' || character === '\t' || character === '\r') {
			continue;
		}

		let end = character === '"' ? endOfString(text, at) : at + 1;
		if (!notInValue.has(character)) {
			while (end < text.length && !notInValue.has(text[end] ?? '')) {
				end++;
			}
		}

		tokens.push(end === at + 1 ? character : text.slice(at, end));
		at = end - 1;
	}

	return tokens;
}

/** Returns the index behind the string that begins at `start`; the end of the text if it isn't closed. */
function endOfString(text: string, start: number): number {
	for (let at = start + 1; at < text.length; at++) {
		const character = text[at];
		if (character === '"') {
			return at + 1;
		}

		if (character === '\\') {
			at++;
		}
	}

	return text.length;
}

/** Returns the spans of a line of JSON, safe and in the colours of source code. */
export function jsonSpans(line: string, {syntax}: Palette): readonly StyledSpan[] {
	const spans: StyledSpan[] = [];
	const add = (text: string, role?: Role) =>
		text && spans.push({text: safeText(text), style: {}, ...(role && {roles: [role]})});
	let at = 0;
	for (const token of tokensOf(line)) {
		const start = line.indexOf(token, at);
		add(line.slice(at, start));
		at = start + token.length;
		const isName = token.startsWith('"') && /^\s*:/.test(line.slice(at, at + 64));
		add(token, isName ? syntax.attribute : roleOf(token, syntax));
	}

	add(line.slice(at));
	return spans;
}

/** An escape in JSON: a line break, a tab, or any other. */
const escapes = /\\r\\n|\\./g;

/**
 * Returns the rows of a line of JSON: strings with line breaks, such as stack traces, have a row for each of their lines,
 * indented below their name. Takes the spans of the line.
 */
export function rowsOfStrings(spans: readonly StyledSpan[]): ReadonlyArray<readonly StyledSpan[]> {
	const [margin = ''] = /^ */.exec(spans[0]?.text ?? '') ?? [];
	const rows: StyledSpan[][] = [[]];
	for (const span of spans) {
		const isString = span.text.startsWith('"');
		const [first = '', ...others] = isString ? linesOfString(span.text) : [span.text];
		rows.at(-1)?.push({...span, text: first});
		rows.push(...others.map(text => [{...span, text: `${margin}${indent}${text}`}]));
	}

	return rows;
}

function linesOfString(text: string): readonly string[] {
	return text
		.replace(escapes, found => (found.endsWith('\\n') ? '\n' : found === '\\t' ? indent.repeat(2) : found))
		.split('\n');
}

function roleOf(token: string, syntax: Palette['syntax']): Role | undefined {
	return token.startsWith('"')
		? syntax.string
		: /^-?\d/.test(token)
			? syntax.number
			: /^(?:true|false|null)$/.test(token)
				? syntax.literal
				: undefined;
}
