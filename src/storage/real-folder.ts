import {realpathSync, statSync} from 'node:fs';

/** The real path of a folder; undefined where there is none. */
export function realFolder(path: string): string | undefined {
	try {
		return statSync(path).isDirectory() ? realpathSync(path) : undefined;
	} catch {
		return undefined;
	}
}
