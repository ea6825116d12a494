import {hookFiles} from '../agent/hooks/hook-files.ts';
import {createHooks} from '../agent/hooks/hooks.ts';
import {hooksInEffect} from '../agent/project/effects.ts';
import {instructionText} from '../agent/project/instruction-text.ts';
import {createNestedInstructions} from '../agent/project/nested.ts';
import {inEffect} from '../agent/project/project.ts';
import type {LocalState} from './local-state.ts';
import type {ProgramOptions} from './program-options.ts';

/** Creates what the agent takes from the files of the user and of a trusted project. */
export function createProjectParts({store, debug}: ProgramOptions, {project, folder, secrets}: LocalState) {
	let files: readonly string[] = [];
	return {
		/** Returns the files that the hooks of the run start. */
		hookFiles: () => files,
		/** Adds the instructions of folders below to what the model reads of their files. */
		withNested: createNestedInstructions({
			project,
			session: () => store.getState().transcript.session,
			hide: secrets.hide,
		}),
		instructions: async () => instructionText(inEffect(await project.state()), secrets.hide),
		async loadHooks(session: string) {
			const hooks = hooksInEffect(await project.state());
			files = hookFiles(hooks, folder.path());
			return createHooks({hooks, folder: folder.path(), hide: secrets.hideOwn, session, debug: debug?.write});
		},
	};
}
