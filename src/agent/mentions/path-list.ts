import {setImmediate as nextTurn} from 'node:timers/promises';
import {indexManyPaths, indexPaths, type PathIndex} from '../../core/fuzzy-paths.ts';
import {boundsOf} from '../policy/bounds.ts';
import type {Places} from '../policy/protected-places.ts';
import {findFiles} from '../tools/files/find-files.ts';

/** Most files that are offered for completion. */
const maxPaths = 200_000;

/** Returns the files and folders of a folder that the tools list, for completion: ignored and protected ones are left out. */
export async function listPaths(folder: string | undefined, places: Places, signal: AbortSignal): Promise<PathIndex> {
	if (folder === undefined) {
		return indexPaths([]);
	}

	const bounds = await boundsOf(folder, places);
	const {paths} = await findFiles({real: folder, shown: '.'}, bounds, signal);
	return indexManyPaths(paths.slice(0, maxPaths), nextTurn);
}
