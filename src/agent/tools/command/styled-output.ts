import type {StyledText, StyleRange} from '../../../core/output/text-styles.ts';
import {applySgr, codesOf, plain, type SpanStyle} from '../../../terminal/text/sgr.ts';

/**
 * Escape sequences: control sequences, strings such as titles and links, and all others (ECMA-48). A sequence that another
 * one interrupts ends there, so that what is left of it can't become one.
 */
export const escapes =
	/(?<!\u001B)\u001B+(?:\[([0-?]*)[ -/]*([@-~])|[\]PX^_][^\u0007\u001B]{0,4096}(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g;

/** Most parts of a line that have a style of their own. */
export const maxPerLine = 200;
/** Most characters of the parameters of a sequence. */
const maxParameters = 64;

/** Where a style begins. */
type Change = {readonly at: number; readonly codes: string};

type Output = StyledText & {
	/** The style in effect behind it. */
	readonly style: SpanStyle;
};

/**
 * Returns output as a terminal would finally show it: without escape sequences, and with only the last state of a line that
 * was redrawn, such as a progress bar. NUL characters become visible. Its styles are those of SGR sequences, in the 16
 * colours; `style` is the one in effect before it. Linear in its length.
 */
export function styledOutput(raw: string, style = plain): Output {
	const {text: stripped, changes, style: after} = readEscapes(raw, style);
	const styles: StyleRange[] = [];
	const lines: string[] = [];
	let [start, at, index] = [0, 0, 0];
	for (const line of stripped.split('\n')) {
		const [first, last] = lastState(line);
		const [from, to] = [start + first, start + last];
		const most = styles.length + maxPerLine;
		while ((changes[index + 1]?.at ?? Number.POSITIVE_INFINITY) <= from) {
			index++;
		}

		for (let next = index; styles.length < most; next++) {
			const {at: changed, codes} = changes[next] ?? {at: to, codes: ''};
			if (changed >= to) {
				break;
			}

			const begin = Math.max(from, changed);
			const end = Math.min(to, changes[next + 1]?.at ?? to);
			if (codes && begin < end) {
				styles.push({start: at + begin - from, end: at + end - from, codes});
			}
		}

		lines.push(line.slice(first, last));
		at += last - first + 1;
		start += line.length + 1;
	}

	return {text: lines.join('\n').replaceAll('\0', '␀'), styles, style: after};
}

/** Returns the text of `styledOutput`, for a fraction of the work. */
export function plainOutput(raw: string): string {
	const lines = raw.replace(escapes, '').split('\n');
	return lines
		.map(line => line.slice(...lastState(line)))
		.join('\n')
		.replaceAll('\0', '␀');
}

/** Returns a text without its escape sequences, and the styles that they set, in order. */
function readEscapes(raw: string, before: SpanStyle) {
	let style = before;
	let text = '';
	let end = 0;
	const changes: Change[] = [{at: 0, codes: codesOf(before)}];
	for (const match of raw.matchAll(escapes)) {
		text += raw.slice(end, match.index);
		end = match.index + match[0].length;
		const [whole, given, final] = match;
		const parameters = sgrParameters(whole, given, final);
		if (parameters === undefined) {
			continue;
		}

		style = applySgr(style, parameters);
		const codes = codesOf(style);
		if (changes.at(-1)?.at === text.length) {
			changes.pop();
		}

		if (codes !== (changes.at(-1)?.codes ?? '')) {
			changes.push({at: text.length, codes});
		}
	}

	return {text: text + raw.slice(end), changes, style};
}

/** Returns the parameters of a control sequence that sets a style; undefined for any other. */
export function sgrParameters(sequence: string, parameters = '', final = ''): string | undefined {
	const isStyle =
		final === 'm' &&
		/^[\d;:]*$/.test(parameters) &&
		parameters.length <= maxParameters &&
		sequence.endsWith(`${parameters}m`);
	return isStyle ? parameters : undefined;
}

/** Returns where the part of a line begins and ends that is seen in the end: what follows the last CR before it. */
function lastState(line: string): readonly [from: number, to: number] {
	let to = line.length;
	while (line[to - 1] === '\r') {
		to--;
	}

	return [line.slice(0, to).lastIndexOf('\r') + 1, to];
}
