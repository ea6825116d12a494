import {createHooks} from '../agent/hooks/hooks.ts';
import {hooksInEffect} from '../agent/project/effects.ts';
import {instructionText} from '../agent/project/instruction-text.ts';
import {inEffect} from '../agent/project/project.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

/** Creates what the agent takes from the files of the user and of a trusted project. */
export function createProjectParts({debug}: ProgramOptions, {project, folder, secrets}: LocalState) {
	return {
		instructions: async () => instructionText(inEffect(await project.state()), secrets.hide),
		loadHooks: async (session: string) =>
			createHooks({
				hooks: hooksInEffect(await project.state()),
				folder: folder.path(),
				hide: secrets.hideOwn,
				...{session, debug: debug?.write},
			}),
	};
}
