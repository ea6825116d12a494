import type {Hook} from '../../config/project/settings-file.ts';
import {AppError} from '../../core/error.ts';
import {inEffect, type Project, type ProjectState} from './project.ts';

/**
 * Returns the hooks in effect: the user's own, then those of the project. Throws AppError("failed") if the user's own
 * settings are invalid: nobody knows which hook is missing then.
 */
export function hooksInEffect(state: ProjectState): readonly Hook[] {
	const [fault] = state.ownFaults.filter(({path}) => path.endsWith('settings.json'));
	if (fault) {
		throw new AppError('failed', `Invalid settings in ${fault.path}: ${fault.reason}.`, {
			hint: 'Fix the file. Until then the agent does not run, because a hook may be missing.',
		});
	}

	return inEffect(state).flatMap(({settings, standing}) =>
		// Nothing of a project leaves the sandbox (SAFETY 12).
		(settings?.hooks ?? []).map(({sandbox, ...hook}) => ({
			...hook,
			...(standing === 'user' && sandbox === false && {sandbox}),
		})),
	);
}

/** Returns the commands of the hooks in effect; none while no hook runs because a file is invalid. */
export async function hookCommands({state}: Project): Promise<readonly string[]> {
	try {
		return hooksInEffect(await state()).map(({command}) => command);
	} catch (error) {
		if (error instanceof AppError) {
			return [];
		}

		throw error;
	}
}
