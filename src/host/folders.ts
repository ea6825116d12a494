import {AppError} from '../core/error.ts';
import {realFolder} from '../storage/real-folder.ts';

/** Returns the real paths of folders. Throws AppError("usage") for one that doesn't exist. */
export function realFolders(folders: readonly string[]): readonly string[] {
	return folders.map(folder => {
		const path = realFolder(folder);
		if (path === undefined) {
			throw new AppError('usage', `The folder “${folder}” does not exist.`, {hint: 'Name another one.'});
		}

		return path;
	});
}
