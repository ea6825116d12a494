import {writeFile} from 'node:fs/promises';
import {AppError} from '../core/error.ts';
import {errnoOf, explainFileError} from './file-error.ts';

/** Writes a file that the user named, for the user alone. Throws `conflict` for one that exists, `failed` otherwise. */
export async function writeNewFile(path: string, content: string): Promise<string> {
	try {
		await writeFile(path, content, {flag: 'wx', mode: 0o600});
		return path;
	} catch (error) {
		if (errnoOf(error) === 'EEXIST') {
			throw new AppError('conflict', `${path} exists already.`, {hint: 'Choose another name, or remove it first.'});
		}

		throw explainFileError(error, 'write', path);
	}
}
