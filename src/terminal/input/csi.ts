import {consoleKeys, keypadCharacter, letterKeys, modifiersOf, numberKeys, tokenOfReport} from './key-names.ts';
import {cursorReply, parsePrivateReply, sizeReply, versionReply} from './replies.ts';
import {type InputToken, keyToken, type MouseToken} from './token.ts';

/** A complete CSI sequence: parameters, intermediates and final byte as they came. */
type Csi = {readonly prefix: string; readonly parameters: Parameters; readonly final: string};

/** Parameters split at `;`, each into its parts at `:`; NaN for one that was left out. */
type Parameters = readonly (readonly number[])[];

/** How rxvt marks the modifiers of a key whose sequence would end in `~`. */
const rxvtFinals: Readonly<Record<string, number>> = {'~': 1, $: 2, '^': 5, '@': 6};

/**
 * Returns the token of a whole CSI sequence (`body` is what follows `ESC [`), or undefined for an unknown sequence, the
 * release of a key, or a key with Super. While `expectsReply`, what may be F3 or the cursor in the first row is the
 * cursor. Source: ECMA-48 §5.4; xterm, ctlseqs; kitty keyboard protocol.
 */
export function parseCsi(body: string, expectsReply = false): InputToken | undefined {
	const match = /^([<=>?]?)([\d;:]*)([ -/]*)([@-~]|\$)$/.exec(body);
	if (!match) {
		return /^\[[A-E]$/.test(body) ? keyToken(consoleKeys[body.slice(1)] ?? '') : undefined;
	}

	const [, prefix = '', list = '', intermediates = '', last = ''] = match;
	const parameters = list === '' ? [] : list.split(';').map(part => part.split(':').map(parseNumber));
	const csi = {prefix, parameters, final: intermediates + last};
	return prefix === ''
		? parseKey(csi, expectsReply)
		: prefix === '?'
			? parsePrivateReply(firstParts(csi), csi.final)
			: prefix === '<'
				? parseMouse(csi)
				: prefix === '>' && csi.final === 'c'
					? versionReply(firstParts(csi))
					: undefined;
}

/** Returns the token of `SS3` (`ESC O`) and its final byte; some terminals put a modifier between the two. */
export function parseSs3(body: string): InputToken | undefined {
	const final = body.slice(-1);
	const {foreign, ...modifiers} = modifiersOf(Number.parseInt(body, 10));
	if (foreign) {
		return undefined;
	}

	// Only rxvt sends lower-case arrows, for Ctrl.
	const rxvt = /^[abcd]$/.test(body) ? letterKeys[final.toUpperCase()] : undefined;
	if (rxvt) {
		return keyToken(rxvt, {ctrl: true, alt: false, shift: false});
	}

	if (body === 'M') {
		// What Konsole sends for it. Enter of the keypad is the same in application mode, which we switch off.
		return keyToken('enter', {...modifiers, shift: true});
	}

	const name = final === 'M' ? 'enter' : final === 'I' ? 'tab' : final === ' ' ? 'space' : letterKeys[final];
	if (name) {
		return keyToken(name, modifiers);
	}

	const text = keypadCharacter(final);
	return text === undefined ? undefined : {type: 'text', text};
}

/** Parses a number. The limit is above any valid number and small enough for bit operations. */
function parseNumber(digits: string): number {
	return Math.min(Number.parseInt(digits, 10), 0xff_ff_ff);
}

function parseKey({parameters, final}: Csi, expectsReply: boolean): InputToken | undefined {
	const [first = [], second = [], third = []] = parameters;
	// A cursor report in the first row looks like F3 with a modifier; it is F3 if the second number can be modifiers.
	if (final === 'R' && parameters.length === 2 && (expectsReply || first[0] !== 1 || (second[0] ?? 0) > 16)) {
		return cursorReply(first[0], second[0]);
	}

	if (final === 't') {
		return first[0] === 8 ? sizeReply(second[0], third[0]) : undefined;
	}

	const {foreign, ...modifiers} = modifiersOf(second[0]);
	const released = second[1] === 3;
	if (released || foreign) {
		return undefined;
	}

	if (final === 'u') {
		const [code = Number.NaN, shifted, base] = first;
		const text = third.every(Number.isInteger) && third.every(isScalar) ? String.fromCodePoint(...third) : undefined;
		return tokenOfReport({code: code || 0, shifted: shifted || undefined, base: base || undefined, text, modifiers});
	}

	const number = first[0] ?? Number.NaN;
	if (final === '~' && number === 27) {
		return tokenOfReport({code: third[0] || 0, modifiers});
	}

	const rxvtModifier = rxvtFinals[final];
	if (rxvtModifier !== undefined) {
		const name = numberKeys[number];
		const {foreign: _, ...rxvt} = modifiersOf(rxvtModifier);
		return name && keyToken(name, final === '~' ? modifiers : rxvt);
	}

	return parseLetter(parameters, final);
}

function parseLetter(parameters: Parameters, final: string): InputToken | undefined {
	const [first, second] = parameters;
	if (parameters.length === 0 && (final === 'I' || final === 'O')) {
		return {type: 'focus', focused: final === 'I'};
	}

	if (final === 'Z') {
		return keyToken('tab', {...modifiersOf(second?.[0] ?? first?.[0]), shift: true});
	}

	if (final === 'M' && parameters.length === 3) {
		const [button = 0, column = 0, row = 0] = parameters.map(([value]) => value || 0);
		return mouseToken(button - 32, column, row, false);
	}

	const name = letterKeys[final];
	if (name) {
		const {foreign, ...modifiers} = modifiersOf(second?.[0] ?? first?.[0]);
		return foreign ? undefined : keyToken(name, modifiers);
	}

	// rxvt sends Shift and an arrow like this.
	const rxvt = /^[abcd]$/.test(final) && parameters.length === 0 ? letterKeys[final.toUpperCase()] : undefined;
	return rxvt && keyToken(rxvt, {ctrl: false, alt: false, shift: true});
}

function firstParts({parameters}: Csi): readonly number[] {
	return parameters.map(([value = Number.NaN]) => value);
}

function parseMouse({parameters, final}: Csi): InputToken | undefined {
	const [button, column, row] = parameters.map(([value]) => value || 0);
	if (button === undefined || column === undefined || row === undefined || (final !== 'M' && final !== 'm')) {
		return undefined;
	}

	return mouseToken(button, column, row, final === 'm');
}

/**
 * Returns a mouse report. `button` has the bits of X10 and SGR: two for the button (3 is none), 4, 8 and 16 for Shift,
 * Alt and Ctrl, 32 for motion, 64 for the wheel. `column` and `row` count from 1.
 */
export function mouseToken(button: number, column: number, row: number, released: boolean): MouseToken {
	const wheels = ['wheel-up', 'wheel-down', 'wheel-left', 'wheel-right'] as const;
	const names = ['left', 'middle', 'right', 'none'] as const;
	const wheel = (button & 64) !== 0;
	const name = wheel ? 'none' : (names[button & 3] ?? 'none');
	const moved = name === 'none' ? 'move' : 'drag';
	const pressed = released || name === 'none' ? 'release' : 'press';
	return {
		type: 'mouse',
		kind: wheel ? (wheels[button & 3] ?? 'wheel-up') : (button & 32) === 0 ? pressed : moved,
		button: name,
		column: Math.max(0, column - 1),
		row: Math.max(0, row - 1),
		shift: (button & 4) !== 0,
		alt: (button & 8) !== 0,
		ctrl: (button & 16) !== 0,
	};
}

function isScalar(code: number): boolean {
	return code >= 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
}
