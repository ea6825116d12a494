import {createPaste, type Paste} from './input-paste.ts';
import {createSequenceReader} from './input-sequence.ts';
import {type InputToken, textToken} from './input-token.ts';
import {createUtf8} from './input-utf8.ts';
import {keyOfControl} from './keys.ts';

/** What an unfinished sequence may become: how long to wait for the rest of it is for the caller to say. */
export type Pending = 'nothing' | 'escape' | 'sequence' | 'paste';

export type Tokenizer = {
	/** Never throws. The same bytes give the same tokens at any chunking, but that a run of text may come in pieces. */
	readonly push: (bytes: Uint8Array) => readonly InputToken[];
	/** Gives up waiting: a lone ESC is the Escape key, `ESC [` is Alt+[, a sequence is dropped, a paste ends truncated. */
	readonly flush: () => readonly InputToken[];
	readonly pending: () => Pending;
};

/**
 * Turns the bytes of a terminal into tokens. Unknown sequences vanish whole; nothing of them becomes text. Text and pastes
 * are taken in slices, only sequences byte by byte.
 */
export function createTokenizer(): Tokenizer {
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

	const sequence = createSequenceReader(emit, () => {
		paste = createPaste();
	});

	/** Takes text up to the next control byte, and that one too; gives the index behind. */
	const takeText = (bytes: Uint8Array, from: number): number => {
		let end = from;
		while (end < bytes.length && !isControl(bytes[end])) {
			end++;
		}

		text += utf8.push(bytes.subarray(from, end));
		const control = bytes[end];
		if (control === undefined) {
			return end;
		}

		text += utf8.end();
		if (control === 0x1b) {
			sequence.begin();
		} else {
			emit(keyOfControl(control));
		}

		return end + 1;
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
			sequence.flush();
			return taken();
		},
		pending() {
			if (paste) {
				return 'paste';
			}

			return sequence.active() ? (sequence.ambiguous() ? 'escape' : 'sequence') : 'nothing';
		},
	};
}

function isControl(byte: number | undefined): boolean {
	return byte !== undefined && (byte < 0x20 || byte === 0x7f);
}
