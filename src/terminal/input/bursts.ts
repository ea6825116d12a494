import {chordOf, type InputToken, type KeyToken} from './token.ts';

/** Keys that stand for the line ends and tabs of a text. */
const spaceOf: Readonly<Record<string, string>> = {enter: '\r', 'ctrl+j': '\n', tab: '\t'};

/**
 * Returns tokens that were read at once, as one paste if they are lines of text. No user types text, Enter and more text
 * within one turn of the loop: it was pasted in a terminal without bracketed paste. With other keys in it, it was typed.
 * Nor does a user type within the turn of a bracketed paste: what follows its end mark was pasted, too, with such a mark
 * in it. Of the keys that follow a paste, `keeps` selects those that stay, in order; others vanish, because they may be a part
 * of what was pasted.
 */
export function joinBursts(
	tokens: readonly InputToken[],
	keeps: (key: KeyToken) => boolean = () => false,
): readonly InputToken[] {
	const typed = tokens.filter(({type}) => type !== 'focus' && type !== 'reply');
	const pasted = typed.findIndex(({type}) => type === 'paste');
	const first = pasted === -1 ? 0 : pasted;
	const burst = typed.slice(first);
	const text = burst.map(textOf).join('');
	const isJoined = pasted === -1 ? burst.every(token => textOf(token) !== '') && isPaste(text) : burst.length > 1;
	if (!isJoined) {
		return tokens;
	}

	const truncated = burst.some(token => token.type === 'paste' && token.truncated);
	return [...typed.slice(0, first), ...pastesIn(burst, truncated, keeps)];
}

/** Returns the texts of a burst as pastes, with the keys between them that stay. */
function pastesIn(
	burst: readonly InputToken[],
	truncated: boolean,
	keeps: (key: KeyToken) => boolean,
): readonly InputToken[] {
	const parts: InputToken[] = [];
	let text = '';
	const close = () => {
		if (text) {
			parts.push({type: 'paste', text: text.replaceAll(/\r\n?/g, '\n'), truncated});
			text = '';
		}
	};

	for (const token of burst) {
		if (token.type === 'key' && textOf(token) === '' && keeps(token)) {
			close();
			parts.push(token);
		} else {
			text += textOf(token);
		}
	}

	close();
	return parts;
}

/**
 * True for tokens that end in a line end behind text, or have a paste in them: they may be the beginning of such a paste, or
 * of one that has an end mark in it.
 */
export function mayContinue(tokens: readonly InputToken[]): boolean {
	const last = tokens.at(-1);
	const isLine = last !== undefined && /[\r\n]$/.test(textOf(last)) && tokens.at(-2)?.type === 'text';
	return isLine || tokens.some(({type}) => type === 'paste');
}

/** True for lines of text and nothing else: more of a paste without brackets follows if its bytes come in pieces. */
export function isLines(tokens: readonly InputToken[]): boolean {
	return tokens.every(isText) && isPaste(tokens.map(textOf).join(''));
}

/** True for what may be a part of a paste without brackets, and for reports of the terminal, which may come with it. */
export function isText(token: InputToken): boolean {
	return token.type === 'focus' || token.type === 'reply' || (token.type !== 'paste' && textOf(token) !== '');
}

/** True for a line end with text on both sides. */
function isPaste(text: string): boolean {
	const first = text.search(/[^\r\n\t]/);
	const rest = first === -1 ? '' : text.slice(first);
	const end = rest.search(/[\r\n]/);
	return end !== -1 && /[^\r\n\t]/.test(rest.slice(end));
}

/** Returns the characters of a token in a paste; '' for a key that is none. */
export function textOf(token: InputToken): string {
	switch (token.type) {
		case 'text':
		case 'paste':
			return token.text;
		case 'key':
			return spaceOf[chordOf(token)] ?? '';
		default:
			return '';
	}
}
