import {open, stat, unlink, writeFile} from 'node:fs/promises';
import {AppError} from '../core/error.ts';
import {errnoOf, explainFileError} from './file-error.ts';

/** Writes a private file with a path of the user's. Throws AppError("conflict") if it exists, AppError("failed") otherwise. */
export async function writeNewFile(path: string, content: string): Promise<string> {
	try {
		await writeFile(path, content, {flag: 'wx', mode: 0o600});
		return path;
	} catch (error) {
		throw await explain(error, path);
	}
}

/** Does the same with chunks. An incomplete file is deleted, and the error of the chunks is thrown. */
export async function saveNewFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<string> {
	const file = await open(path, 'wx', 0o600).catch(async (error: unknown) =>
		Promise.reject(await explain(error, path)),
	);
	try {
		for await (const chunk of chunks) {
			await file.writeFile(chunk);
		}

		await file.close();
		return path;
	} catch (error) {
		await file.close().catch(() => undefined);
		await unlink(path).catch(() => undefined);
		throw await explain(error, path);
	}
}

async function explain(error: unknown, path: string): Promise<unknown> {
	if (errnoOf(error) !== 'EEXIST') {
		return explainFileError(error, 'write', path);
	}

	const isFolder = await stat(path).then(
		found => found.isDirectory(),
		() => false,
	);
	return isFolder
		? new AppError('conflict', `${path} is a folder.`, {hint: 'Name a new file in it.'})
		: new AppError('conflict', `${path} already exists.`, {hint: 'Choose another name, or delete it first.'});
}
