import {delimiter, isAbsolute} from 'node:path';

/**
 * The folders of a `PATH` in which programs are looked for: without relative and empty entries, which would run programs of
 * the folder that we work in instead of the user's own (SAFETY 15).
 */
export function searchFolders(path: string): readonly string[] {
	return path.split(delimiter).filter(isAbsolute);
}

/** A `PATH` of those folders; undefined for none, because an empty one means the folder that we work in. */
export function searchPath(path: string): string | undefined {
	return searchFolders(path).join(delimiter) || undefined;
}
