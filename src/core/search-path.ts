import {delimiter, isAbsolute} from 'node:path';

/**
 * Returns the folders of a `PATH` without relative and empty entries, which would run programs of the working folder
 * instead of the user's own (SAFETY 15).
 */
export function searchFolders(path: string): readonly string[] {
	return path.split(delimiter).filter(isAbsolute);
}

/** Returns a `PATH` of those folders; undefined if there are none, because an empty one means the working folder. */
export function searchPath(path: string): string | undefined {
	return searchFolders(path).join(delimiter) || undefined;
}
