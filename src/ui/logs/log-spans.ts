import {formatClock} from '../../core/format.ts';
import type {Level} from '../../logs/levels.ts';
import type {MatchRange} from '../../logs/matcher.ts';
import type {StructuredLine} from '../../logs/structured.ts';
import type {Role} from '../../terminal/text/role.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {StyledSpan} from '../../terminal/text/sgr.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {padEnd} from '../../terminal/text/width.ts';

/** Cells of a level, so that messages are aligned. */
const levelWidth = 5;

/** Returns time, level and message of a line, then its other fields, dimmed. */
export function structuredSpans(
	{time, level, message, fields}: StructuredLine,
	known: Level | undefined,
	palette: Palette,
): readonly StyledSpan[] {
	const span = (text: string, role: Role): StyledSpan => ({text, style: {}, roles: [role]});
	const role = known ? palette.level[known] : palette.dim;
	const isFirst = message === '';
	return [
		...(time === undefined ? [] : [span(`${clockOf(time)} `, palette.dim)]),
		...(level === undefined ? [] : [span(`${padEnd(safeLine(level.toLowerCase()), levelWidth)} `, role)]),
		...(isFirst ? [] : [known && known !== 'info' ? span(folded(message), role) : plain(folded(message))]),
		...fields.map(([name, value], index) => {
			const text = `${isFirst && index === 0 ? '' : ' '}${safeLine(name)}${name === '…' ? '' : `=${quoted(value)}`}`;
			return isFirst ? plain(text) : span(text, palette.dim);
		}),
	];
}

const plain = (text: string): StyledSpan => ({text, style: {}});

/** Returns the time of day with milliseconds, in local time. */
function clockOf(time: number | string): string {
	if (typeof time === 'string') {
		return safeLine(time);
	}

	const milliseconds = Math.floor(((time % 1000) + 1000) % 1000);
	return `${formatClock(time)}.${String(milliseconds).padStart(3, '0')}`;
}

/** Returns the first line of a text, such as a stack trace, with the number of the others. */
function folded(text: string): string {
	const lines = text.trimEnd().split('\n');
	const more = lines.length - 1;
	return safeLine(lines[0] ?? '') + (more > 0 ? ` (+${more} ${more === 1 ? 'line' : 'lines'})` : '');
}

/** Returns a value as logfmt has it. An object or a list has quotes of its own. */
function quoted(value: string): string {
	const text = folded(value);
	const isJson = /^(?:\{.*\}|\[.*\])$/s.test(value);
	return !isJson && /[\s"=]|^$/.test(value) ? `"${text.replaceAll('"', '\\"')}"` : text;
}

/**
 * Returns the spans with `mark` applied to what is in one of the ranges of their whole text, and without empty ones. The
 * ranges are in order and apart. One pass, because a line may have 200 of them, and a frame many lines.
 */
export function markRanges(
	spans: readonly StyledSpan[],
	ranges: readonly MatchRange[],
	mark: (span: StyledSpan) => StyledSpan,
): readonly StyledSpan[] {
	const parts: StyledSpan[] = [];
	let begin = 0;
	let next = 0;
	for (const span of spans) {
		const end = begin + span.text.length;
		let done = begin;
		const add = (to: number, change?: typeof mark) => {
			if (to > done) {
				const part = {...span, text: span.text.slice(done - begin, to - begin)};
				parts.push(change ? change(part) : part);
				done = to;
			}
		};
		for (let range = ranges[next]; range && range[0] < end; range = ranges[++next]) {
			add(range[0]);
			add(Math.min(range[1], end), mark);
			if (range[1] > end) {
				break;
			}
		}

		add(end);
		begin = end;
	}

	return parts;
}

/** Fewest characters that are left of a path. */
const minPathLength = 8;

/**
 * Returns the spans of a stack frame in at most `room` cells by leaving out the start of its path, because the file and the
 * line stand at the end. Returns them as they are if that's not enough, or if the frame has other than ASCII characters.
 */
export function withoutPathStart(spans: readonly StyledSpan[], room: number): readonly StyledSpan[] {
	const text = spans.map(span => span.text).join('');
	const [path = '', at = 0] = pathIn(text);
	const left = text.length + 1 - room;
	return left > 1 && left <= path.length - minPathLength && /^[ -~]*$/.test(text)
		? [
				...slice(spans, 0, at),
				...slice(spans, at, at + 1).map(span => ({...span, text: '…'})),
				...slice(spans, at + left),
			]
		: spans;
}

/** Returns the first word with a slash and its offset. No word is read twice: a hostile log line is one word of any length. */
function pathIn(text: string): readonly [path?: string, at?: number] {
	for (const {0: word, index} of text.matchAll(/[^\s("]+/g)) {
		if (/[\\/]/.test(word)) {
			return [word, index];
		}
	}

	return [];
}

function slice(spans: readonly StyledSpan[], start: number, end = Number.POSITIVE_INFINITY): readonly StyledSpan[] {
	let offset = 0;
	return spans.flatMap(span => {
		const text = span.text.slice(Math.max(0, start - offset), Math.max(0, end - offset));
		offset += span.text.length;
		return text === '' ? [] : [{...span, text}];
	});
}
