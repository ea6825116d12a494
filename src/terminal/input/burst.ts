import {chordOf, type InputToken} from './token.ts';

/** Keys that stand for the line ends and tabs of a text. */
const spaceOf: Readonly<Record<string, string>> = {enter: '\r', 'ctrl+j': '\n', tab: '\t'};

/**
 * What was read at once, as one paste where it is lines of text: nobody types text, Enter and more text within a turn of
 * the loop, so that it was pasted in a terminal without bracketed paste. Where other keys stand between, it was typed.
 */
export function joinBursts(tokens: readonly InputToken[]): readonly InputToken[] {
	const text = tokens.map(textOf).join('');
	const isText = tokens.every(token => token.type === 'focus' || token.type === 'reply' || textOf(token) !== '');
	return isText && isPaste(text) ? [{type: 'paste', text: text.replaceAll(/\r\n?/g, '\n'), truncated: false}] : tokens;
}

/** True for what ends in a line end behind text, so that it may be the beginning of such a paste. */
export function mayGoOn(tokens: readonly InputToken[]): boolean {
	const last = tokens.at(-1);
	return last !== undefined && /[\r\n]$/.test(textOf(last)) && tokens.at(-2)?.type === 'text';
}

/** A line end with text on both sides. */
function isPaste(text: string): boolean {
	return /[^\r\n\t][^\S\r\n]*[\r\n]\s*[^\r\n\t]/.test(text);
}

function textOf(token: InputToken): string {
	switch (token.type) {
		case 'text':
			return token.text;
		case 'key':
			return spaceOf[chordOf(token)] ?? '';
		default:
			return '';
	}
}
