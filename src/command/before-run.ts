import {faultText, inEffect, leftOut, type Project} from '../agent/project/project.ts';
import {formatBytes} from '../core/format.ts';
import type {ProjectPart} from './parts.ts';

/** Lets the agent read a wide folder: the user can't be asked, and chose the folder of the script. */
export async function openFolder(folder: ProjectPart['folder'], note: (text: string) => void): Promise<void> {
	const wide = folder.unasked();
	if (wide) {
		await folder.answer(true, {isOnce: true});
		note(`The agent can read ${wide}. Run this in a project folder to narrow that.`);
	}
}

/** Returns what the user must know about files of the project that are not used, or not as a whole. */
export async function unusedFiles(project: Project): Promise<readonly string[]> {
	const state = await project.state();
	const cut = inEffect(state).filter(({isCut}) => isCut);
	const faults = [
		...state.ownFaults.map(faultText),
		...state.faults.map(faultText),
		...cut.map(({path, sizeBytes}) => `${path} is too long (${formatBytes(sizeBytes)}): only its beginning is used.`),
	];
	const unused = leftOut(state).map(({path}) => path);
	return unused.length > 0
		? [...faults, `Not trusted, so left out: ${unused.join(', ')}. Pass --trust to use them in this run.`]
		: faults;
}
