import {lstat, readdir, readFile, readlink} from 'node:fs/promises';
import {join, relative} from 'node:path';

/** Returns every file below a folder with its content, and every link with its target, by path. */
export async function snapshot(folder: string): Promise<Readonly<Record<string, string>>> {
	const entries = await readdir(folder, {recursive: true, withFileTypes: true});
	const found: [string, string][] = [];
	for (const entry of entries) {
		const path = join(entry.parentPath, entry.name);
		if (entry.isSymbolicLink()) {
			found.push([relative(folder, path), `-> ${await readlink(path)}`]);
		} else if (entry.isFile()) {
			const {mode} = await lstat(path);
			found.push([relative(folder, path), `${mode.toString(8)} ${await readFile(path, 'utf8')}`]);
		}
	}

	return Object.fromEntries(found);
}
