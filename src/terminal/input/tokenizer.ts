import {parseCsi} from './csi.ts';
import {keyOfControl} from './key-names.ts';
import {createPaste, type Paste} from './paste.ts';
import {lateReplyState, parseOsc} from './replies.ts';
import {
	beginC1Sequence,
	endSequence,
	kindOfPending,
	newSequence,
	readSequence,
	type Sequence,
	type SequenceStep,
	textBehindEscape,
} from './sequence.ts';
import {type InputToken, textToken} from './token.ts';
import {continuationsOf, decode, decodePiece, noBytes} from './utf8.ts';

/**
 * What unfinished input may become; the caller decides how long to wait for the rest. `late`: an answer of the terminal
 * whose ESC was read as the Escape key.
 */
type Pending = 'nothing' | 'escape' | 'introducer' | 'sequence' | 'paste' | 'late';

export type Tokenizer = {
	/** Never throws. The same bytes give the same tokens at any chunking, except that a run of text may come in pieces. */
	readonly push: (bytes: Uint8Array) => readonly InputToken[];
	/** Stops waiting: a lone ESC is the Escape key, `ESC [` is Alt+[, a sequence is dropped, a paste ends truncated. */
	readonly flush: () => readonly InputToken[];
	readonly pending: () => Pending;
};

/** What the bytes are read as. */
type Mode = TextMode | Sequence | {readonly mode: 'paste'; readonly paste: Paste} | LateMode;
/** `held` are the bytes of an unfinished character. */
type TextMode = {readonly mode: 'text'; readonly held: Uint8Array};
/** `text` may be an answer whose beginning came too early: its first `read` characters are read already, as a key or as nothing. */
type LateMode = {readonly mode: 'late'; readonly text: string; readonly read: number};

/** `index` is that of the next byte to read. */
type Step = {readonly mode: Mode; readonly tokens: readonly InputToken[]; readonly index: number};

const noTokens: readonly InputToken[] = [];
const textMode: TextMode = {mode: 'text', held: noBytes};

/**
 * Turns the bytes of a terminal into tokens. Unknown sequences vanish whole and never become text. Text and pastes are
 * read in slices, only sequences byte by byte. `expectsReply` is true while we wait for the terminal's answer.
 */
export function createTokenizer(expectsReply: () => boolean = () => false): Tokenizer {
	let mode: Mode = textMode;

	return {
		push(bytes) {
			const tokens: InputToken[] = [];
			for (let index = 0; index < bytes.length; ) {
				const step = readStep(mode, bytes, index, expectsReply());
				collect(tokens, step.tokens);
				({mode, index} = step);
			}

			return tokens;
		},
		flush() {
			const {tokens, next} = flushed(mode);
			mode = next;
			return tokens;
		},
		pending() {
			switch (mode.mode) {
				case 'text':
					return 'nothing';
				case 'sequence':
					return kindOfPending(mode);
				case 'paste':
					return 'paste';
				case 'late':
					return mode.text.length > mode.read ? 'late' : 'nothing';
				default:
					return mode satisfies never;
			}
		},
	};
}

/** Reads at least one byte, or changes the mode. */
function readStep(mode: Mode, bytes: Uint8Array, index: number, expectsReply: boolean): Step {
	switch (mode.mode) {
		case 'text':
			return readText(mode, bytes, index);
		case 'sequence':
			return readSequenceBytes(mode, bytes, index, expectsReply);
		case 'paste': {
			const after = mode.paste.push(bytes, index);
			return mode.paste.ended()
				? {mode: textMode, tokens: [mode.paste.token()], index: after}
				: {mode, tokens: noTokens, index: after};
		}
		case 'late':
			return readLate(mode, bytes, index, expectsReply);
		default:
			return mode satisfies never;
	}
}

/** Reads text up to the next control byte, and that byte too. */
function readText({held}: TextMode, bytes: Uint8Array, from: number): Step {
	let end = from;
	while (end < bytes.length && !isControl(bytes[end]) && !isIntroducer(held, bytes, from, end)) {
		end++;
	}

	const piece = decodePiece(held, bytes.subarray(from, end));
	const control = bytes[end];
	if (control === undefined) {
		return {mode: {mode: 'text', held: piece.held}, tokens: printableTokens(piece.text), index: end};
	}

	// The lead byte C2 of a C1 control in UTF-8 belongs to that control.
	const rest = control >= 0x80 && piece.held[0] === 0xc2 ? '' : decode(piece.held);
	const tokens = printableTokens(piece.text + rest);
	const index = end + 1;
	if (control >= 0x80) {
		return {mode: beginC1Sequence(String.fromCharCode(control - 0x40)), tokens, index};
	}

	return control === 0x1b
		? {mode: newSequence, tokens, index}
		: {mode: textMode, tokens: [...tokens, keyOfControl(control)], index};
}

/** Reads a sequence as far as it comes without a token. */
function readSequenceBytes(begun: Sequence, bytes: Uint8Array, from: number, expectsReply: boolean): Step {
	let sequence = begun;
	for (let index = from; index < bytes.length; index++) {
		const {next, tokens, consumed} = readSequence(sequence, bytes[index] ?? 0, expectsReply);
		if (typeof next === 'string' || tokens.length > 0 || !consumed) {
			return {mode: modeAfter(next), tokens, index: consumed ? index + 1 : index};
		}

		sequence = next;
	}

	return {mode: sequence, tokens: noTokens, index: bytes.length};
}

function modeAfter(next: SequenceStep['next']): Mode {
	return next === 'text' ? textMode : next === 'paste' ? {mode: 'paste', paste: createPaste()} : next;
}

/** Reads a byte that may belong to an answer without its ESC. */
function readLate(late: LateMode, bytes: Uint8Array, index: number, expectsReply: boolean): Step {
	const next = late.text + String.fromCharCode(bytes[index] ?? 0);
	const state = lateReplyState(next);
	if (state === 'typed') {
		return {mode: textMode, tokens: typedTokens(late), index};
	}

	if (state === 'partial') {
		return {mode: {...late, text: next}, tokens: noTokens, index: index + 1};
	}

	const body = next.slice(1);
	const token = next.startsWith(']') ? parseOsc(body) : parseCsi(body, expectsReply);
	return {mode: textMode, tokens: token ? [token] : noTokens, index: index + 1};
}

/** Ends what is unfinished. */
function flushed(mode: Mode): {readonly tokens: readonly InputToken[]; readonly next: Mode} {
	switch (mode.mode) {
		case 'text':
			return {tokens: noTokens, next: mode};
		case 'sequence':
			return {tokens: endSequence(mode), next: awaitRest(textBehindEscape(mode))};
		case 'paste':
			return {tokens: [mode.paste.token()], next: textMode};
		case 'late':
			return {tokens: typedTokens(mode), next: textMode};
		default:
			return mode satisfies never;
	}
}

/** Returns the mode behind a sequence that was cut off: its rest may be that of an answer, and must not become text. */
function awaitRest(text: string | undefined): Mode {
	const isAnswer = text !== undefined && lateReplyState(text || '[') === 'partial';
	return isAnswer ? {mode: 'late', text, read: text.length} : textMode;
}

/** Returns the tokens of what was no answer. */
function typedTokens({text, read}: LateMode): readonly InputToken[] {
	return textTokens(text.slice(read).replace('\u001B', ''));
}

/** Appends tokens; text behind text becomes one run. */
function collect(all: InputToken[], tokens: readonly InputToken[]): void {
	for (const token of tokens) {
		const last = all.at(-1);
		if (token.type === 'text' && last?.type === 'text') {
			all[all.length - 1] = textToken(last.text + token.text);
		} else {
			all.push(token);
		}
	}
}

/** Returns the token of decoded text, without C1 controls, which may be well-formed UTF-8. */
function printableTokens(text: string): readonly InputToken[] {
	return textTokens(/[\u0080-\u009f]/.test(text) ? text.replaceAll(/[\u0080-\u009f]/g, '') : text);
}

function textTokens(text: string): readonly InputToken[] {
	return text ? [textToken(text)] : noTokens;
}

/** CSI, SS3, DCS, SOS, OSC, PM and APC of eight bits. */
const c1Introducers: readonly number[] = [0x9b, 0x8f, 0x90, 0x98, 0x9d, 0x9e, 0x9f];

/** True if a C1 control that introduces a sequence stands at `index`: as UTF-8, or alone as a byte. */
function isIntroducer(held: Uint8Array, bytes: Uint8Array, from: number, index: number): boolean {
	if (!c1Introducers.includes(bytes[index] ?? 0)) {
		return false;
	}

	// As a continuation it belongs to the character that a byte before it began; only C2 makes a control of it.
	const before = [...held, ...bytes.subarray(Math.max(from, index - 3), index)];
	const lead = before.findLastIndex(byte => byte < 0x80 || byte >= 0xc0);
	const distance = before.length - lead;
	const isContinuation = lead >= 0 && continuationsOf(before[lead] ?? 0) >= distance;
	return !isContinuation || (before[lead] === 0xc2 && distance === 1);
}

function isControl(byte: number | undefined): boolean {
	return byte !== undefined && (byte < 0x20 || byte === 0x7f);
}
