import {statSync} from 'node:fs';
import {resolve} from 'node:path';
import type {Hook} from '../../config/project/settings-file.ts';

/** Names of files that an interpreter runs, whatever their mode is. */
const script = /\.(?:sh|bash|zsh|fish|[cm]?[jt]s|py|rb|pl|php|lua)$/i;

/**
 * Returns the programs and scripts of a folder that the commands of hooks name, as absolute paths. A command may start
 * others without naming them, such as the scripts of a package: those are not found.
 */
export function hookFiles(hooks: readonly Pick<Hook, 'command'>[], folder: string): readonly string[] {
	const words = hooks.flatMap(({command}) => command.split(/[\s;|&<>()'"`$={}]+/)).filter(Boolean);
	const paths = new Set(words.map(word => resolve(folder, word)));
	return [...paths].filter(path => {
		const stats = statSync(path, {throwIfNoEntry: false});
		return stats?.isFile() && ((stats.mode & 0o111) !== 0 || script.test(path));
	});
}
