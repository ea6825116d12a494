import {mouseToken, parseCsi, parseSs3} from './csi.ts';
import {keyOfAltCharacter, keyOfControl} from './key-names.ts';
import {parseOsc} from './replies.ts';
import {type InputToken, keyToken, textToken} from './token.ts';
import {continuationsOf} from './utf8.ts';

/** The longest sequence that is kept; a longer one is swallowed up to its end. */
const maxLength = 4096;
const escapeByte = 0x1b;
const stringIntroducers = ']P_^X';
/** The C1 control ST (U+009C) as UTF-8, a byte a character. */
const stringTerminator = '\u00c2\u009c';
const escapeKey = keyToken('escape');

type State = 'escape' | 'csi' | 'ss3' | 'string' | 'string-escape' | 'character' | 'mouse';

/** An unfinished sequence: what was read since its ESC. */
export type Sequence = {
	readonly mode: 'sequence';
	readonly state: State;
	/** The bytes behind the introducer, a byte a character. */
	readonly body: string;
	/** The character behind the ESC of a string. */
	readonly introducer: string;
	/** Two ESC came first: the Escape key and another key, or one key with Alt. */
	readonly doubled: boolean;
};

/** What a byte does to a sequence. */
export type SequenceStep = {
	/** The sequence as it continues, or what follows it once it has ended. */
	readonly next: Sequence | 'text' | 'paste';
	readonly tokens: readonly InputToken[];
	/** False for a byte that is read again in the next state. */
	readonly consumed: boolean;
};

const noTokens: readonly InputToken[] = [];

/** The sequence that an ESC begins. */
export const newSequence: Sequence = {mode: 'sequence', state: 'escape', body: '', introducer: '', doubled: false};

/** Returns the sequence that a C1 control begins: it stands for ESC and the character `introducer`. */
export function beginC1Sequence(introducer: string): Sequence {
	const {next} = readEscape(newSequence, introducer.charCodeAt(0));
	return typeof next === 'string' ? newSequence : next;
}

/**
 * Reads one byte of a sequence: the state machine behind the tokenizer (after ECMA-48 and Williams's DEC parser). It finds
 * where sequences end; pure functions say what they mean. `expectsReply` is true while we wait for the terminal's answer.
 */
export function readSequence(sequence: Sequence, byte: number, expectsReply: boolean): SequenceStep {
	return readers[sequence.state](sequence, byte, expectsReply);
}

/** Returns the tokens of a sequence whose rest did not come in time. */
export function endSequence(sequence: Sequence): readonly InputToken[] {
	switch (sequence.state) {
		case 'escape':
			return [...precedingEscape(sequence), escapeKey];
		case 'csi':
		case 'ss3':
		case 'string':
			return sequence.body === '' ? introducerTokens(sequence) : precedingEscape(sequence);
		case 'string-escape':
			return [escapeKey];
		default:
			return precedingEscape(sequence);
	}
}

/** Returns what an unfinished sequence may be: `escape` may be that key, `introducer` its letter with Alt. */
export function kindOfPending({state, body}: Sequence): 'escape' | 'introducer' | 'sequence' {
	return state === 'escape' ? 'escape' : body === '' ? 'introducer' : 'sequence';
}

/** Returns what came behind the ESC of a sequence; undefined for one that no answer of the terminal begins like. */
export function textBehindEscape({state, body, introducer}: Sequence): string | undefined {
	switch (state) {
		case 'escape':
			return '';
		case 'csi':
			return `[${body}`;
		case 'string':
			return introducer + body;
		case 'string-escape':
			return `${introducer}${body}\u001B`;
		default:
			return undefined;
	}
}

type Reader = (sequence: Sequence, byte: number, expectsReply: boolean) => SequenceStep;

const readers: Readonly<Record<State, Reader>> = {
	escape: readEscape,
	csi: readCsi,
	ss3: readSs3,
	string: readString,
	'string-escape': readStringEscape,
	character: readCharacter,
	mouse: readMouse,
};

/** Reads the byte behind an ESC, which says what kind of sequence it is. */
function readEscape(sequence: Sequence, byte: number): SequenceStep {
	const character = String.fromCharCode(byte);
	if (character === '[' || character === 'O') {
		return enter(sequence, character === '[' ? 'csi' : 'ss3');
	}

	// The first of two ESC was the Escape key; of three the last two wait.
	const before = precedingEscape(sequence);
	if (byte === escapeByte) {
		return {next: {...newSequence, doubled: true}, tokens: before, consumed: true};
	}

	if (stringIntroducers.includes(character)) {
		return {next: {...newSequence, state: 'string', introducer: character}, tokens: before, consumed: true};
	}

	if (continuationsOf(byte) > 0) {
		return {next: {...newSequence, state: 'character', body: character}, tokens: before, consumed: true};
	}

	if (byte >= 0x80) {
		return {next: 'text', tokens: [...before, escapeKey], consumed: false};
	}

	const isControl = byte < 0x20 || byte === 0x7f;
	const key = isControl ? keyOfControl(byte, true) : keyOfAltCharacter(character);
	return {next: 'text', tokens: [...before, key], consumed: true};
}

function readCsi(sequence: Sequence, byte: number, expectsReply: boolean): SequenceStep {
	if (byte < 0x20 || byte > 0x7e) {
		return finish(sequence, undefined, false);
	}

	const longer = append(sequence, byte);
	const {body} = longer;
	if (body === 'M') {
		return enter(sequence, 'mouse');
	}

	if (body === '200~') {
		return {next: 'paste', tokens: precedingEscape(sequence), consumed: true};
	}

	if (body !== '[' && (byte >= 0x40 || /^(?:[2-8]|1\d|2[0-4])\$$/.test(body))) {
		return finish(sequence, body.length < maxLength ? parseCsi(body, expectsReply) : undefined);
	}

	return {next: longer, tokens: noTokens, consumed: true};
}

function readSs3(sequence: Sequence, byte: number): SequenceStep {
	if (byte >= 0x30 && byte <= 0x39 && sequence.body.length < 2) {
		return {next: append(sequence, byte), tokens: noTokens, consumed: true};
	}

	if ((byte >= 0x40 && byte <= 0x7e) || byte === 0x20) {
		return finish(sequence, parseSs3(sequence.body + String.fromCharCode(byte)));
	}

	return {next: 'text', tokens: introducerTokens(sequence), consumed: false};
}

/** Reads a string (OSC, DCS, SOS, PM or APC) up to BEL or ST. */
function readString(sequence: Sequence, byte: number): SequenceStep {
	if (byte === escapeByte) {
		return {next: {...sequence, state: 'string-escape'}, tokens: noTokens, consumed: true};
	}

	if (byte === 0x07) {
		return finishString(sequence);
	}

	if (byte < 0x20) {
		// CAN and SUB end a string by the standard. Other controls are keys of a user whose terminal never ended it.
		return finish(sequence, undefined, byte === 0x18 || byte === 0x1a);
	}

	const longer = append(sequence, byte);
	return longer.body.endsWith(stringTerminator)
		? finishString({...longer, body: longer.body.slice(0, -stringTerminator.length)})
		: {next: longer, tokens: noTokens, consumed: true};
}

/** Reads the byte behind an ESC in a string: with a backslash it is ST, otherwise a sequence of its own begins. */
function readStringEscape(sequence: Sequence, byte: number): SequenceStep {
	return byte === 0x5c ? finishString(sequence) : {next: newSequence, tokens: noTokens, consumed: false};
}

/** Reads a character beyond ASCII that was typed with Alt. */
function readCharacter(sequence: Sequence, byte: number): SequenceStep {
	if (byte < 0x80 || byte > 0xbf) {
		return finish(sequence, undefined, false);
	}

	const longer = append(sequence, byte);
	if (longer.body.length <= continuationsOf(longer.body.charCodeAt(0))) {
		return {next: longer, tokens: noTokens, consumed: true};
	}

	const character = Buffer.from(longer.body, 'latin1').toString('utf8');
	return finish(sequence, /^[^\ufffd\p{Cc}]$/u.test(character) ? keyOfAltCharacter(character) : undefined);
}

/** Reads the three bytes of an X10 mouse report. */
function readMouse(sequence: Sequence, byte: number): SequenceStep {
	if (byte < 0x20) {
		return finish(sequence, undefined, false);
	}

	const longer = append(sequence, byte);
	if (longer.body.length < 3) {
		return {next: longer, tokens: noTokens, consumed: true};
	}

	const [button = 0, column = 0, row = 0] = [...longer.body].map(character => character.charCodeAt(0) - 32);
	return finish(sequence, mouseToken(button, column, row, false));
}

function enter(sequence: Sequence, state: State): SequenceStep {
	return {next: {...sequence, state, body: ''}, tokens: noTokens, consumed: true};
}

/** Written out, since this runs for each byte, where a spread is many times slower. */
function append(sequence: Sequence, byte: number): Sequence {
	const {state, body, introducer, doubled} = sequence;
	return body.length < maxLength
		? {mode: 'sequence', state, body: body + String.fromCharCode(byte), introducer, doubled}
		: sequence;
}

/** Ends a sequence. Only a key can have Alt; before any other token the first of two ESC was the Escape key. */
function finish(sequence: Sequence, token: InputToken | undefined, consumed = true): SequenceStep {
	const tokens =
		sequence.doubled && token?.type === 'key'
			? [{...token, alt: true}]
			: [...precedingEscape(sequence), ...(token ? [token] : [])];
	return {next: 'text', tokens, consumed};
}

function finishString(sequence: Sequence): SequenceStep {
	const {introducer, body} = sequence;
	return finish(sequence, introducer === ']' && body.length < maxLength ? parseOsc(body) : undefined);
}

/** Returns the tokens of an introducer that introduced nothing: its letter with Alt, and what was typed behind it. */
function introducerTokens(sequence: Sequence): readonly InputToken[] {
	const {state, introducer, body} = sequence;
	const letter = state === 'csi' ? '[' : state === 'ss3' ? 'O' : introducer;
	const typed = body ? [textToken(body)] : noTokens;
	return [...precedingEscape(sequence), keyOfAltCharacter(letter), ...typed];
}

/** Returns the Escape key where two ESC stood before the sequence. */
function precedingEscape({doubled}: Sequence): readonly InputToken[] {
	return doubled ? [escapeKey] : noTokens;
}
