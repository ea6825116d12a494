import type {StyledText} from '../../core/output/text-styles.ts';
import {reset} from './ansi.ts';
import type {Role} from './role.ts';
import {safeText} from './safe-text.ts';

/** The style of a span of tool output. Colours are the terminal's own 16: 0 to 7, and their bright ones, 8 to 15. */
export type SpanStyle = {
	readonly color?: number;
	readonly background?: number;
	readonly bold?: boolean;
	readonly dim?: boolean;
	readonly italic?: boolean;
	readonly underline?: boolean;
	readonly inverse?: boolean;
	readonly strikethrough?: boolean;
};

/** Safe text in one style, and in the roles that it has here, the outermost last. */
export type StyledSpan = {readonly text: string; readonly style: SpanStyle; readonly roles?: readonly Role[]};

/** Select Graphic Rendition (ECMA-48, 8.3.117) with parameters of a reasonable length; any other sequence is text. */
const sgr = /\u001B\[([0-9;:]{0,64})m/g;
/** Ordinary text. */
export const plain: SpanStyle = {};

/**
 * Parses the colours of tool output or a log line. Each piece of text goes through `safeText` alone, so that a colour
 * change can't hide a dangerous sequence. Blinking and hidden text become ordinary text.
 */
export function parseSgr(text: string): readonly StyledSpan[] {
	const spans: StyledSpan[] = [];
	let style = plain;
	let at = 0;
	const take = (piece: string) => {
		const safe = safeText(piece);
		if (safe) {
			spans.push({text: safe, style});
		}
	};

	if (!text.includes('\u001B')) {
		take(text);
		return spans;
	}

	for (const match of text.matchAll(sgr)) {
		take(text.slice(at, match.index));
		at = match.index + match[0].length;
		style = applySgr(style, match[1] ?? '');
	}

	take(text.slice(at));
	return spans;
}

/** Returns the text without what `parseSgr` reads as a style. Any other sequence stays. */
export function withoutSgr(text: string): string {
	return text.includes('\u001B') ? text.replace(sgr, '') : text;
}

/** `unreadable` are colours that can't be told from the terminal's background. */
type PaintOptions = {readonly color: boolean; readonly unreadable?: ReadonlySet<number> | undefined};

/** Draws spans with our own sequences; each line ends without a style. Without `color` it is plain text. */
export function paint(spans: readonly StyledSpan[], {color, unreadable}: PaintOptions): string {
	return spans
		.map(({text, style, roles = []}) =>
			roles.reduce((drawn, role) => role(drawn), color ? paintSpan(text, readableStyle(style, unreadable)) : text),
		)
		.join('');
}

/** Returns a style in the ordinary colour of text if its own can't be read on the terminal's background. */
function readableStyle(style: SpanStyle, unreadable: ReadonlySet<number> | undefined): SpanStyle {
	const {color, background} = style;
	return color !== undefined && background === undefined && unreadable?.has(color)
		? {...style, color: undefined}
		: style;
}

function paintSpan(text: string, style: SpanStyle): string {
	const codes = codesOf(style);
	return codes ? text.replace(/[^\n]+/g, line => `\u001B[${codes}m${line}${reset}`) : text;
}

/** Returns the parameters of the sequence for a style in the 16 colours; '' for ordinary text. */
export function codesOf({color, background, bold, dim, italic, underline, inverse, strikethrough}: SpanStyle): string {
	const codes = [bold && 1, dim && 2, italic && 3, underline && 4, inverse && 7, strikethrough && 9];
	if (color !== undefined) {
		codes.push(color < 8 ? 30 + color : 82 + color);
	}

	// Text in the colour of its background would be invisible.
	if (background !== undefined && background !== color) {
		codes.push(background < 8 ? 40 + background : 92 + background);
	}

	return codes.filter(Boolean).join(';');
}

/** Returns a style after an SGR sequence with these parameters. */
export function applySgr(before: SpanStyle, parameters: string): SpanStyle {
	const fields = parameters.split(';');
	let style = before;
	for (let index = 0; index < fields.length; index++) {
		const field = fields[index] ?? '';
		if (field.includes(':')) {
			style = applyParts(style, field.split(':'));
			continue;
		}

		const code = Number(field);
		if (code === 38 || code === 48 || code === 58) {
			const [color, used] = extended(fields.slice(index + 1, index + 5).map(Number));
			style = withColor(style, code, color);
			index += used;
		} else {
			style = applyCode(style, code);
		}
	}

	return style;
}

/** Applies one parameter with parts (ITU-T T.416): a colour, as `38:5:1` or `38:2::r:g:b`, or a kind of underline, as `4:3`. */
function applyParts(style: SpanStyle, [code = '', mode = '', ...rest]: readonly string[]): SpanStyle {
	switch (code) {
		case '38':
		case '48': {
			// A colour space may stand before red.
			const values = mode === '2' && rest.length > 3 ? rest.slice(1, 4) : rest;
			return withColor(style, Number(code), extended([mode, ...values].map(Number))[0]);
		}
		case '4':
			return applyCode(style, mode === '0' ? 24 : 4);
		default:
			return style;
	}
}

/** The colour of an underline isn't drawn. */
function withColor(style: SpanStyle, code: number, color: number | undefined): SpanStyle {
	return code === 38 ? {...style, color} : code === 48 ? {...style, background: color} : style;
}

function applyCode(style: SpanStyle, code: number): SpanStyle {
	switch (code) {
		case 0:
			return plain;
		case 1:
			return {...style, bold: true};
		case 2:
			return {...style, dim: true};
		case 3:
			return {...style, italic: true};
		case 4:
		case 21:
			return {...style, underline: true};
		case 7:
			return {...style, inverse: true};
		case 9:
			return {...style, strikethrough: true};
		case 22:
			return {...style, bold: undefined, dim: undefined};
		case 23:
			return {...style, italic: undefined};
		case 24:
			return {...style, underline: undefined};
		case 27:
			return {...style, inverse: undefined};
		case 29:
			return {...style, strikethrough: undefined};
		case 39:
			return {...style, color: undefined};
		case 49:
			return {...style, background: undefined};
		default:
			return applyColor(style, code);
	}
}

function applyColor(style: SpanStyle, code: number): SpanStyle {
	if (code >= 30 && code <= 37) {
		return {...style, color: code - 30};
	}

	if (code >= 40 && code <= 47) {
		return {...style, background: code - 40};
	}

	if (code >= 90 && code <= 97) {
		return {...style, color: code - 82};
	}

	return code >= 100 && code <= 107 ? {...style, background: code - 92} : style;
}

/** Parses the parameters after 38 or 48: the nearest of the 16 colours, and how many parameters were used. */
function extended([mode, a = 0, b = 0, c = 0]: readonly number[]): readonly [number | undefined, number] {
	if (mode === 2) {
		return [nearest(a, b, c), 4];
	}

	return mode === 5 ? [fromPalette(a), 2] : [undefined, 0];
}

/** Returns a colour of the 256: 16, a cube of 6 x 6 x 6, and 24 greys. */
function fromPalette(index: number): number {
	if (index < 16) {
		return index;
	}

	if (index >= 232) {
		const grey = 8 + 10 * (Math.min(index, 255) - 232);
		return nearest(grey, grey, grey);
	}

	const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
	const cube = index - 16;
	return nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6));
}

/** Picks by brightness and by the dominant channels, since the theme of the user decides what the 16 look like. */
function nearest(red: number, green: number, blue: number): number {
	const high = Math.max(red, green, blue);
	const low = Math.min(red, green, blue);
	if (high - low < 32) {
		return high < 48 ? 0 : high < 144 ? 8 : high < 224 ? 7 : 15;
	}

	const middle = (high + low) / 2;
	const hue = (red > middle ? 1 : 0) | (green > middle ? 2 : 0) | (blue > middle ? 4 : 0);
	return high > 200 ? hue + 8 : hue;
}

/** Returns a text with its styles as SGR sequences, which `parseSgr` reads. Each line ends without one. */
export function withStyles({text, styles}: StyledText): string {
	const pieces: string[] = [];
	let at = 0;
	for (const {start, end, codes} of styles) {
		const part = text.slice(start, end).replaceAll('\n', `${reset}\n\u001B[${codes}m`);
		pieces.push(text.slice(at, start), `\u001B[${codes}m`, part, reset);
		at = end;
	}

	return pieces.join('') + text.slice(at);
}
