import {realpathSync, statSync} from 'node:fs';

/** Returns the real path of a folder; undefined if it doesn't exist. */
export function realFolder(path: string): string | undefined {
	try {
		return statSync(path).isDirectory() ? realpathSync(path) : undefined;
	} catch {
		return undefined;
	}
}
