import {createReadStream} from 'node:fs';
import type {Readable} from 'node:stream';
import {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {explainFileError} from './file-error.ts';

type Options = {
	readonly maxBytes: number;
	/** What `-` reads; undefined if something else reads it. */
	readonly stdin: (Readable & {readonly isTTY?: boolean}) | undefined;
};

/**
 * Returns the bytes of a file with a path of the user's, or of stdin for `-`. Throws AppError("usage") for more than
 * `maxBytes` and for a stdin that is a terminal, AppError("failed") for an unreadable file.
 */
export async function readBytes(path: string, {maxBytes, stdin}: Options): Promise<Uint8Array> {
	if (path === '-' && (!stdin || stdin.isTTY)) {
		throw new AppError('usage', 'stdin is not a pipe or a file.', {
			hint: 'Give the path of a file instead of “-”, or pipe one in.',
		});
	}

	const from = path === '-' ? 'Standard input' : path;
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of path === '-' && stdin ? stdin : createReadStream(path)) {
			const data = Buffer.from(chunk);
			bytes += data.length;
			if (bytes > maxBytes) {
				throw new AppError('usage', `${from} is larger than ${formatBytes(maxBytes)}.`, {hint: 'Send it in parts.'});
			}

			chunks.push(data);
		}
	} catch (error) {
		throw explainFileError(error, 'read', from);
	}

	return Buffer.concat(chunks);
}
