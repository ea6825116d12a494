import {createReadStream} from 'node:fs';
import type {Readable} from 'node:stream';
import {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {explainFileError} from './file-error.ts';

type Options = {
	/** Most bytes. */
	readonly limit: number;
	/** What `-` stands for; undefined where something else reads it already. */
	readonly stdin: (Readable & {readonly isTTY?: boolean}) | undefined;
};

/**
 * The bytes of a file that the user named, or of standard input for `-`. Throws `usage` for more than `limit` bytes and
 * for a standard input that nothing is piped into, `failed` for what cannot be read.
 */
export async function readBytes(path: string, {limit, stdin}: Options): Promise<Uint8Array> {
	if (path === '-' && (!stdin || stdin.isTTY)) {
		throw new AppError('usage', 'Nothing is piped in that “-” could stand for.', {
			hint: 'Name a file, or pipe one in.',
		});
	}

	const from = path === '-' ? 'Standard input' : path;
	const chunks: Buffer[] = [];
	let bytes = 0;
	try {
		for await (const chunk of path === '-' && stdin ? stdin : createReadStream(path)) {
			const data = Buffer.from(chunk);
			bytes += data.length;
			if (bytes > limit) {
				throw new AppError('usage', `${from} is larger than ${formatBytes(limit)}.`, {hint: 'Send it in parts.'});
			}

			chunks.push(data);
		}
	} catch (error) {
		throw explainFileError(error, 'read', from);
	}

	return Buffer.concat(chunks);
}
