import {type InputToken, keyToken, type Modifiers, type NamedKey, noModifiers, textToken} from './token.ts';

/** `CSI … letter` and `SS3 letter`: VT100 and xterm. */
export const letterKeys: Readonly<Record<string, NamedKey>> = {
	A: 'up',
	B: 'down',
	C: 'right',
	D: 'left',
	F: 'end',
	H: 'home',
	P: 'f1',
	Q: 'f2',
	R: 'f3',
	S: 'f4',
};

/** `CSI number ~`: VT220, with the numbers that rxvt (7, 8, 11-14) and the Linux console (1, 4) use. */
export const numberKeys: Readonly<Record<number, NamedKey>> = {
	1: 'home',
	2: 'insert',
	3: 'delete',
	4: 'end',
	5: 'page-up',
	6: 'page-down',
	7: 'home',
	8: 'end',
	11: 'f1',
	12: 'f2',
	13: 'f3',
	14: 'f4',
	15: 'f5',
	17: 'f6',
	18: 'f7',
	19: 'f8',
	20: 'f9',
	21: 'f10',
	23: 'f11',
	24: 'f12',
};

/** `CSI [ letter`: the function keys of the Linux console. */
export const consoleKeys: Readonly<Record<string, NamedKey>> = {A: 'f1', B: 'f2', C: 'f3', D: 'f4', E: 'f5'};

/** What the keypad sends in application mode (`SS3 letter`), apart from Enter. */
const keypadText = 'X=j*k+l,m-n.o/p0q1r2s3t4u5v6w7x8y9';

export function keypadCharacter(letter: string): string | undefined {
	const index = keypadText.indexOf(letter);
	return index % 2 === 0 ? keypadText[index + 1] : undefined;
}

/** Keypad keys of the kitty protocol, with code points in the private use area from 57399. */
const kittyKeypadText = '0123456789./*-+\r=,';
const kittyKeypadKeys: readonly NamedKey[] = [
	'left',
	'right',
	'up',
	'down',
	'page-up',
	'page-down',
	'home',
	'end',
	'insert',
	'delete',
];

const codeKeys: Readonly<Record<number, NamedKey>> = {
	8: 'backspace',
	9: 'tab',
	13: 'enter',
	27: 'escape',
	127: 'backspace',
};

/** Parses the modifiers parameter: 1 plus Shift 1, Alt 2, Ctrl 4, Super 8, Hyper 16, Meta 32. */
export function modifiersOf(parameter: number | undefined): Modifiers & {readonly foreign: boolean} {
	const bits = Math.max(0, (parameter || 1) - 1);
	return {shift: (bits & 1) !== 0, alt: (bits & 34) !== 0, ctrl: (bits & 4) !== 0, foreign: (bits & 24) !== 0};
}

/** Returns the key of a C0 control byte or DEL. */
export function keyOfControl(byte: number, alt = false): InputToken {
	const name =
		byte === 0x0d || byte === 0x09 || byte === 0x08 || byte === 0x1b || byte === 0x7f ? codeKeys[byte] : undefined;
	if (name) {
		return keyToken(name, {...noModifiers, alt});
	}

	const character = byte === 0 ? 'space' : String.fromCharCode(byte + 0x40).toLowerCase();
	return keyToken(character, {ctrl: true, alt, shift: false});
}

/** Returns the key for a character with Alt, which terminals send after an ESC. */
export function keyOfAltCharacter(character: string): InputToken {
	return keyOfCharacter(character, {ctrl: false, alt: true, shift: false});
}

/** A key as the kitty protocol and modifyOtherKeys report it. */
type ReportedKey = {
	readonly code: number;
	/** The code point of the key with Shift, if the terminal reports it. */
	readonly shifted?: number | undefined;
	/** The code point of the same key on a US layout, if the terminal reports it. */
	readonly base?: number | undefined;
	/** The text of the key, if the terminal reports it. */
	readonly text?: string | undefined;
	readonly modifiers: Modifiers;
};

/**
 * Returns text for a reported key that types text, a key otherwise; undefined for unused keys (media keys, lone
 * modifiers) and for invalid code points. Source: kitty keyboard protocol; xterm, modifyOtherKeys.
 */
export function tokenOfReport({code, shifted, base, text, modifiers}: ReportedKey): InputToken | undefined {
	const combined = modifiers.ctrl || modifiers.alt;
	const named = codeKeys[code] ?? kittyKeypadKeys[code - 57_417];
	if (named || code === 57_414) {
		return keyToken(named ?? 'enter', modifiers);
	}

	const keypad = kittyKeypadText[code - 57_399];
	const character = keypad ?? characterOf(code);
	if (character === undefined) {
		return undefined;
	}

	const upper = modifiers.shift ? (characterOf(shifted) ?? character.toUpperCase()) : character;
	if (!combined) {
		return textToken(text && isPrintable(text) ? text : upper);
	}

	// Ctrl with a key of a Cyrillic or Greek layout means the key at the same place of a Latin one.
	const latin = code > 0x7f ? characterOf(base) : undefined;
	return keyOfCharacter(latin ?? (shifted ? upper : character), modifiers);
}

function keyOfCharacter(character: string, modifiers: Modifiers): InputToken {
	const lower = character.toLowerCase();
	const name = character === ' ' ? 'space' : lower;
	return keyToken(name, {...modifiers, shift: modifiers.shift || lower !== character});
}

function characterOf(code: number | undefined): string | undefined {
	if (code === undefined || code > 0x10_ff_ff || (code >= 0xe0_00 && code <= 0xf8_ff)) {
		return undefined;
	}

	const character = String.fromCodePoint(code);
	return isPrintable(character) ? character : undefined;
}

function isPrintable(text: string): boolean {
	return !/[\p{Cc}\p{Cs}]/u.test(text);
}
