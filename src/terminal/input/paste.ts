import type {InputToken} from './token.ts';
import {unfinished} from './utf8.ts';

const pasteLimit = 8 * 1024 * 1024;
const endMark = Buffer.from('\u001b[201~', 'latin1');

/** Collects one bracketed paste. */
export type Paste = {
	/** Takes what belongs to the paste from `bytes`, beginning at `from`; gives the index of the first byte after it. */
	readonly push: (bytes: Uint8Array, from: number) => number;
	/** True once the end mark was seen. */
	readonly ended: () => boolean;
	readonly token: () => InputToken;
};

/**
 * A paste up to its end mark (`CSI 201 ~`), which may come in pieces. Of more than `limit` bytes the first ones are kept.
 * The bytes are copied into one buffer that grows, so that a paste of tiny chunks takes no more memory than its size.
 */
export function createPaste(limit = pasteLimit): Paste {
	let buffer = Buffer.allocUnsafe(Math.min(limit, 4096));
	let length = 0;
	let truncated = false;
	/** How many bytes of the end mark were the last ones. ESC stands at its beginning only, so a mismatch starts anew. */
	let matched = 0;

	const keep = (bytes: Uint8Array) => {
		const kept = bytes.subarray(0, limit - length);
		truncated ||= kept.length < bytes.length;
		if (length + kept.length > buffer.length) {
			const grown = Buffer.allocUnsafe(Math.min(limit, Math.max(buffer.length * 2, length + kept.length)));
			buffer.copy(grown, 0, 0, length);
			buffer = grown;
		}

		buffer.set(kept, length);
		length += kept.length;
	};

	return {
		push(bytes, from) {
			let index = from;
			while (index < bytes.length && matched < endMark.length) {
				if (bytes[index] === endMark[matched]) {
					matched++;
					index++;
				} else if (matched > 0) {
					keep(endMark.subarray(0, matched));
					matched = 0;
				} else {
					const mark = bytes.indexOf(0x1b, index);
					const end = mark === -1 ? bytes.length : mark;
					keep(bytes.subarray(index, end));
					index = end;
				}
			}

			return index;
		},
		ended: () => matched === endMark.length,
		token() {
			const ended = matched === endMark.length;
			const whole = buffer.subarray(0, length);
			const text = whole.subarray(0, length - (truncated ? unfinished(whole) : 0)).toString('utf8');
			// Terminals send CR for the line ends of a paste, as if Enter had been pressed.
			return {type: 'paste', text: text.replaceAll(/\r\n?/g, '\n'), truncated: truncated || !ended};
		},
	};
}
