import {parseCsi} from './csi.ts';
import {keyOfControl} from './key-names.ts';
import {createLateReply} from './late-reply.ts';
import {createPaste, type Paste} from './paste.ts';
import {createSequenceReader} from './sequence.ts';
import {type InputToken, textToken} from './token.ts';
import {continuationsOf, createUtf8} from './utf8.ts';

/**
 * What an unfinished sequence may become: how long to wait for the rest of it is for the caller to say. `late`: an
 * answer of the terminal, but that its ESC was taken for the Escape key.
 */
export type Pending = 'nothing' | 'escape' | 'introducer' | 'sequence' | 'paste' | 'late';

export type Tokenizer = {
	/** Never throws. The same bytes give the same tokens at any chunking, but that a run of text may come in pieces. */
	readonly push: (bytes: Uint8Array) => readonly InputToken[];
	/** Gives up waiting: a lone ESC is the Escape key, `ESC [` is Alt+[, a sequence is dropped, a paste ends truncated. */
	readonly flush: () => readonly InputToken[];
	readonly pending: () => Pending;
};

/**
 * Turns the bytes of a terminal into tokens. Unknown sequences vanish whole; nothing of them becomes text. Text and pastes
 * are taken in slices, only sequences byte by byte. While `expectsReply` an answer to a question of ours is awaited.
 */
export function createTokenizer(expectsReply: () => boolean = () => false): Tokenizer {
	const utf8 = createUtf8();
	let tokens: InputToken[] = [];
	let text = '';
	let paste: Paste | undefined;

	const endText = () => {
		// C1 controls are no text, even where they come as well-formed UTF-8.
		const printable = text.replaceAll(/[\u0080-\u009f]/g, '');
		text = '';
		if (printable) {
			tokens.push(textToken(printable));
		}
	};

	const emit = (token: InputToken) => {
		if (token.type === 'text') {
			text += token.text;
		} else {
			endText();
			tokens.push(token);
		}
	};

	const sequence = createSequenceReader(
		emit,
		() => {
			paste = createPaste();
		},
		expectsReply,
	);
	const late = createLateReply();

	/** Takes text up to the next control byte, and that one too; gives the index behind. */
	const takeText = (bytes: Uint8Array, from: number): number => {
		let end = from;
		while (end < bytes.length && !isControl(bytes[end]) && !isIntroducer(bytes, from, end)) {
			end++;
		}

		text += utf8.push(bytes.subarray(from, end));
		const control = bytes[end];
		if (control === undefined) {
			return end;
		}

		if (control >= 0x80 && utf8.held()[0] === 0xc2) {
			utf8.drop();
		}

		text += utf8.end();
		if (control >= 0x80) {
			sequence.begin(String.fromCharCode(control - 0x40));
		} else if (control === 0x1b) {
			sequence.begin();
		} else {
			emit(keyOfControl(control));
		}

		return end + 1;
	};

	/** True where a C1 control that introduces a sequence stands at `index`: as UTF-8, or alone as a byte. */
	const isIntroducer = (bytes: Uint8Array, from: number, index: number): boolean => {
		if (!c1Introducers.includes(bytes[index] ?? 0)) {
			return false;
		}

		// As a continuation it belongs to the character that a byte before it began; only C2 makes a control of it.
		const before = [...utf8.held(), ...bytes.subarray(Math.max(from, index - 3), index)];
		const lead = before.findLastIndex(byte => byte < 0x80 || byte >= 0xc0);
		const distance = before.length - lead;
		const isContinuation = lead >= 0 && continuationsOf(before[lead] ?? 0) >= distance;
		return !isContinuation || (before[lead] === 0xc2 && distance === 1);
	};

	/** Takes a byte that may belong to an answer without its ESC; false for one that does not. */
	const takeLate = (byte: number): boolean => {
		const taken = late.take(byte);
		if (taken === 'more') {
			return true;
		}

		if ('typed' in taken) {
			text += taken.typed;
			return false;
		}

		const token = parseCsi(taken.body, expectsReply());
		if (token) {
			emit(token);
		}

		return true;
	};

	const endPaste = () => {
		if (paste) {
			emit(paste.token());
			paste = undefined;
		}
	};

	const taken = (): readonly InputToken[] => {
		endText();
		const all = tokens;
		tokens = [];
		return all;
	};

	return {
		push(bytes) {
			let index = 0;
			while (index < bytes.length) {
				if (paste) {
					index = paste.push(bytes, index);
					if (paste.ended()) {
						endPaste();
					}
				} else if (late.active()) {
					index += takeLate(bytes[index] ?? 0) ? 1 : 0;
				} else if (sequence.active()) {
					index += sequence.take(bytes[index] ?? 0) ? 1 : 0;
				} else {
					index = takeText(bytes, index);
				}
			}

			return taken();
		},
		flush() {
			endPaste();
			text += late.end();
			if (sequence.isEscape()) {
				late.begin();
			}

			sequence.flush();
			return taken();
		},
		pending() {
			if (paste) {
				return 'paste';
			}

			if (sequence.active()) {
				return sequence.isEscape() ? 'escape' : sequence.isIntroducer() ? 'introducer' : 'sequence';
			}

			return late.isBegun() ? 'late' : 'nothing';
		},
	};
}

/** CSI, SS3, DCS, SOS, OSC, PM and APC of eight bits. */
const c1Introducers: readonly number[] = [0x9b, 0x8f, 0x90, 0x98, 0x9d, 0x9e, 0x9f];

function isControl(byte: number | undefined): boolean {
	return byte !== undefined && (byte < 0x20 || byte === 0x7f);
}
