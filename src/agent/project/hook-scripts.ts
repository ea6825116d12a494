import {relative, sep} from 'node:path';
import type {HookPlace} from '../hooks/hook-files.ts';
import type {ProjectFile} from './project-files.ts';

/** Returns the files of the project that hooks name, as files to agree to. Loads the parser only if there are hooks. */
export async function readHookScripts(
	files: readonly ProjectFile[],
	place: HookPlace,
): Promise<readonly ProjectFile[]> {
	const hooks = files.flatMap(({settings}) => settings?.hooks ?? []);
	if (hooks.length === 0) {
		return [];
	}

	const {hookFiles} = await import('../hooks/hook-files.ts');
	const found = hooks.flatMap(({command}) => hookFiles(command, place).files);
	const scripts = found.map(({path, hash, sizeBytes}) => ({
		...{path: relative(place.root, path).replaceAll(sep, '/'), real: path, hash, sizeBytes},
		...({kind: 'hook script', text: '', isCut: false} as const),
	}));
	return [...new Map(scripts.map(file => [file.path, file])).values()];
}
