import {relative, sep} from 'node:path';
import type {HookPlace} from '../hooks/hook-files.ts';
import type {ProjectFile} from './project-files.ts';
import {startedCommands} from './started-commands.ts';

/**
 * Returns the files of the project that hooks and MCP servers name, as files to agree to. Loads the parser only if
 * there are any.
 */
export async function readHookScripts(
	files: readonly ProjectFile[],
	place: HookPlace,
): Promise<readonly ProjectFile[]> {
	const commands = startedCommands(files);
	if (commands.length === 0) {
		return [];
	}

	const {hookFiles} = await import('../hooks/hook-files.ts');
	const scripts = commands.flatMap(({command, scripts: kind}) =>
		hookFiles(command, place).files.map(({path, hash, sizeBytes}) => ({
			...{path: relative(place.root, path).replaceAll(sep, '/'), real: path, hash, sizeBytes},
			...({kind, text: '', isCut: false} as const),
		})),
	);
	return [...new Map(scripts.map(file => [file.path, file])).values()];
}
