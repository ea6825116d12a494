import {cellWidths} from '../../../terminal/text/cell-widths.ts';
import {lineWidth, truncate} from '../../../terminal/text/width.ts';
import {wrapLine} from '../../../terminal/text/wrap.ts';

type TextSize = {readonly width: number; readonly height: number};

/** More texts than a frame has; the others are of earlier frames. */
const maxTexts = 256;

let sizes = new Map<string, TextSize>();
/** What the terminal draws wide: other widths make the remembered sizes wrong. */
let measuredFor = cellWidths();

/** Returns the size of a text of finished lines in cells. In place of Ink's own, which remembers every text for ever. */
export function measureText(text: string): TextSize {
	if (sizes.size >= maxTexts || measuredFor !== cellWidths()) {
		sizes = new Map();
		measuredFor = cellWidths();
	}

	const known = sizes.get(text);
	if (known) {
		return known;
	}

	const lines = text === '' ? [] : text.split('\n');
	const size = {width: lines.reduce((widest, line) => Math.max(widest, lineWidth(line)), 0), height: lines.length};
	sizes.set(text, size);
	return size;
}

/** Returns a text with no line wider than `width` cells. In place of Ink's own, which remembers every text for ever. */
export function wrapText(text: string, width: number, kind: string): string {
	const lines = text.split('\n');
	const fitting = kind.startsWith('truncate')
		? lines.map(line => truncate(line, width))
		: lines.flatMap(line => wrapLine(line, width, {hard: true}));
	return fitting.join('\n');
}

/** Our own sequences, in the first group, and any other character that begins or ends a sequence. */
const sequences =
	/(\u001B\[[\d:;]*m|\u001B\]8;[^\u0007\u001B\u0080-\u009F]*(?:\u001B\\|\u0007))|[\u001B\u0080-\u009F]/g;
const anySequence = /[\u001B\u0080-\u009F]/;

/**
 * Returns a text with our own colour and link sequences, and without the characters that begin any other. In place of Ink's
 * own, which takes each text apart into tokens, twice a frame.
 */
export function finishedText(text: string): string {
	return anySequence.test(text) ? text.replace(sequences, '$1') : text;
}
