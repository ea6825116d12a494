import {constants} from 'node:fs';
import {open} from 'node:fs/promises';
import {writeWhole} from './append-file.ts';
import {explainFileError} from './file-error.ts';
import type {JournalContent} from './journal-read.ts';
import {noFollow} from './private-file.ts';

/**
 * Repairs a session whose last line was cut off (SAFETY 17). A record that only lacks its line end gets one; anything else
 * is appended to `<path>.torn`, and then cut off. Returns the path of that file; undefined if nothing was moved. Throws
 * AppError("failed").
 */
export async function repairTail(
	path: string,
	{wholeBytes, tornBytes, tornIsRecord}: JournalContent,
): Promise<string | undefined> {
	if (tornBytes === 0) {
		return undefined;
	}

	const aside = `${path}.torn`;
	try {
		const file = await open(path, constants.O_RDWR | noFollow);
		try {
			if (tornIsRecord) {
				await file.write('\n', wholeBytes + tornBytes);
				await file.datasync();
				return undefined;
			}

			const torn = await open(aside, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | noFollow, 0o600);
			try {
				const piece = Buffer.alloc(Math.min(tornBytes, 1024 * 1024));
				for (let position = wholeBytes; ; ) {
					const {bytesRead} = await file.read(piece, 0, piece.length, position);
					if (bytesRead === 0) {
						break;
					}

					await writeWhole(torn, piece.subarray(0, bytesRead));
					position += bytesRead;
				}

				await writeWhole(torn, Buffer.from('\n'));
				await torn.sync();
			} finally {
				await torn.close();
			}

			await file.truncate(wholeBytes);
			await file.datasync();
			return aside;
		} finally {
			await file.close();
		}
	} catch (error) {
		throw explainFileError(error, 'write', path);
	}
}
