import type {ReplyToken} from './token.ts';

/**
 * Returns the answer that a CSI sequence with the prefix `?` stands for, or undefined for one that we never ask for. Left
 * out parameters are NaN.
 */
export function parsePrivateReply(parameters: readonly number[], final: string): ReplyToken | undefined {
	const [first = Number.NaN, second = Number.NaN] = parameters;
	switch (final) {
		case 'c':
			return {type: 'reply', reply: 'device-attributes', attributes: parameters.filter(Number.isInteger)};
		case 'u':
			return {type: 'reply', reply: 'keyboard-flags', flags: first || 0};
		case 'R':
			return cursorReply(first, second);
		case '$y': {
			const states = ['unknown', 'set', 'reset', 'always-set', 'always-reset'] as const;
			return {type: 'reply', reply: 'mode', mode: first || 0, state: states[second] ?? 'unknown'};
		}
		default:
			return undefined;
	}
}

/** Returns the version that the terminal reports about itself (DA2). */
export function versionReply(parameters: readonly number[]): ReplyToken {
	return {type: 'reply', reply: 'terminal-version', numbers: parameters.filter(Number.isInteger)};
}

/** Returns the cursor position for a row and a column that count from 1 and default to 1. */
export function cursorReply(row: number | undefined, column: number | undefined): ReplyToken {
	return {type: 'reply', reply: 'cursor-position', row: (row || 1) - 1, column: (column || 1) - 1};
}

/** Returns the size of the window in cells that the terminal reports. Source: xterm, ctlseqs: `CSI 18 t`. */
export function sizeReply(rows: number | undefined, columns: number | undefined): ReplyToken {
	return {type: 'reply', reply: 'window-size', columns: columns || 1, rows: rows || 1};
}

const colorSlots: Readonly<Record<string, 'foreground' | 'background' | 'cursor'>> = {
	10: 'foreground',
	11: 'background',
	12: 'cursor',
};

/** How many colours of the palette are the terminal's own, which users choose. */
const ownColors = 16;

/**
 * Returns the color that a whole OSC string reports (`body` is the text between `ESC ]` and its terminator), or undefined
 * for any other string. Source: xterm, ctlseqs: OSC 4, 10, 11 and 12.
 */
export function parseOsc(body: string): ReplyToken | undefined {
	const [, slot = '', ...channels] =
		/^(4;\d{1,3}|1[012]);rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(body) ?? [];
	const of = slot.startsWith('4;') ? Number(slot.slice(2)) : colorSlots[slot];
	if (of === undefined || Number(of) >= ownColors) {
		return undefined;
	}

	const [red = 0, green = 0, blue = 0] = channels.map(scaled);
	return {type: 'reply', reply: 'color', of, red, green, blue};
}

/** One to four hexadecimal digits are a fraction of the largest number that many digits can show (XParseColor). */
function scaled(digits: string): number {
	return Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255);
}

/**
 * Text that may become an answer once its ESC is put before it, and text that is a whole one (DA, DSR, DECRPM, the size of the
 * window, OSC 4 and 10 to 12).
 */
const lateBeginning =
	/^(?:\[(?:[?>][\d;]*(?:\$y?|[cnuR])?|\d[\d;]*R?|8;[\d;]*t)?|\](?:(?:1|4(?:;\d{0,3})?)|(?:1[012]|4;\d{1,3})(?:;(?:r(?:g(?:b(?:a?(?::(?:[\da-f/]{0,20}|[\da-f/]{5,20}\u001B))?)?)?)?)?)?)?)$/i;
const lateWhole =
	/^(?:\[(?:[?>][\d;]*(?:\$y|[cnuR])|[\d;]+R|8;[\d;]+t)|\](?:1[012]|4;\d{1,3});rgba?:[\da-f/]{5,20}(?:\u001B\\|\u0007))$/i;

/**
 * Classifies text behind an ESC that came so long before that it was read as the Escape key: still the beginning of the
 * terminal's answer, a whole answer, or something that the user typed.
 */
export function lateReplyState(text: string): 'partial' | 'whole' | 'typed' {
	return lateWhole.test(text) ? 'whole' : lateBeginning.test(text) ? 'partial' : 'typed';
}
