import {open, unlink, writeFile} from 'node:fs/promises';
import {AppError} from '../core/error.ts';
import {errnoOf, explainFileError} from './file-error.ts';

/** Writes a private file with a path of the user's. Throws AppError("conflict") if it exists, AppError("failed") otherwise. */
export async function writeNewFile(path: string, content: string): Promise<string> {
	try {
		await writeFile(path, content, {flag: 'wx', mode: 0o600});
		return path;
	} catch (error) {
		throw explain(error, path);
	}
}

/** Does the same with chunks. An incomplete file is deleted, and the error of the chunks is thrown. */
export async function saveNewFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
	const file = await open(path, 'wx', 0o600).catch((error: unknown) => Promise.reject(explain(error, path)));
	try {
		for await (const chunk of chunks) {
			await file.writeFile(chunk);
		}

		await file.close();
		return path;
	} catch (error) {
		await file.close().catch(() => undefined);
		await unlink(path).catch(() => undefined);
		throw explain(error, path);
	}
}

function explain(error: unknown, path: string): unknown {
	return errnoOf(error) === 'EEXIST'
		? new AppError('conflict', `${path} already exists.`, {hint: 'Choose another name, or delete it first.'})
		: explainFileError(error, 'write', path);
}
