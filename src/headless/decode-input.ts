import {isUtf8} from 'node:buffer';
import {AppError} from '../core/error.ts';
import type {Losses} from './losses.ts';

/**
 * Returns what was piped in as text: UTF-8 by default, UTF-16 with its mark, both without the mark. Bytes that are no UTF-8
 * become U+FFFD and a loss. Throws AppError("usage") for data that are no text.
 */
export function decodeInput(bytes: Buffer, warn: Losses['warn']): string {
	const utf16 = markOf(bytes);
	if (utf16) {
		return new TextDecoder(utf16).decode(bytes);
	}

	if (isUtf8(bytes)) {
		return new TextDecoder().decode(bytes);
	}

	if (bytes.includes(0)) {
		throw new AppError('usage', "stdin is binary, which the model can't read as text.", {
			hint: 'Save it to a file, and mention that in the prompt: `$ -p "Describe @picture.png"`',
		});
	}

	const text = new TextDecoder().decode(bytes);
	warn(
		'stdin is not valid UTF-8: the bytes that are not were replaced by “\uFFFD”.',
		'Convert it first, such as with iconv -f latin1 -t utf-8.',
	);
	return text;
}

/** Returns the encoding that a byte order mark names (Unicode 16, section 23.8); undefined for UTF-8 and for none. */
function markOf(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
	const mark = bytes.subarray(0, 2).toString('hex');
	return mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : undefined;
}
