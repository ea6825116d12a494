import type {InputToken} from './token.ts';
import {unfinished} from './utf8.ts';

/** The largest paste that is kept whole. */
export const maxPastedBytes = 8 * 1024 * 1024;
const endMark = Buffer.from('\u001b[201~', 'latin1');

/** Collects one bracketed paste. */
export type Paste = {
	/** Reads the bytes of the paste from index `from`; returns the index of the first byte after it. */
	readonly push: (bytes: Uint8Array, from: number) => number;
	/** True after the end mark. */
	readonly ended: () => boolean;
	readonly token: () => InputToken;
};

/**
 * Collects a paste up to its end mark (`CSI 201 ~`), which may come in pieces. Keeps the first `maxBytes`. Copies the
 * bytes into one growing buffer, so that a paste of tiny chunks takes no more memory than its size.
 */
export function createPaste(maxBytes = maxPastedBytes): Paste {
	let buffer = Buffer.allocUnsafe(Math.min(maxBytes, 4096));
	let length = 0;
	let truncated = false;
	/** How many bytes of the end mark were read last. ESC is only its first byte, so a mismatch starts over. */
	let matched = 0;

	const keep = (bytes: Uint8Array) => {
		const kept = bytes.subarray(0, maxBytes - length);
		truncated ||= kept.length < bytes.length;
		if (length + kept.length > buffer.length) {
			const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(buffer.length * 2, length + kept.length)));
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
			const text = whole
				.subarray(0, length - (truncated ? unfinished(whole) : 0))
				.toString('utf8')
				// tmux with extended keys sends control characters of a paste as keys with Ctrl.
				.replaceAll(/\u001b\[(?:27;5;(\d+)~|(\d+);5u)/g, (_, old, code) => String.fromCharCode((old ?? code) & 31))
				// Terminals send CR for the line ends of a paste, as for Enter.
				.replaceAll(/\r\n?/g, '\n');
			return {type: 'paste', text, truncated: truncated || !ended};
		},
	};
}
