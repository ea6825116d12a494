import {open, unlink, writeFile} from 'node:fs/promises';
import {AppError} from '../core/error.ts';
import {errnoOf, explainFileError} from './file-error.ts';

/** Writes a file that the user named, for the user alone. Throws `conflict` for one that exists, `failed` otherwise. */
export async function writeNewFile(path: string, content: string): Promise<string> {
	try {
		await writeFile(path, content, {flag: 'wx', mode: 0o600});
		return path;
	} catch (error) {
		throw explain(error, path);
	}
}

/** The same from bytes as they come. A file that does not come to its end is removed; what broke it is thrown on. */
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
		? new AppError('conflict', `${path} exists already.`, {hint: 'Choose another name, or remove it first.'})
		: explainFileError(error, 'write', path);
}
