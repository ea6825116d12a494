import {AppError} from '../core/error.ts';

/** Returns the error of a slash command that must wait until the agent has ended its work. */
export function runConflict(name: string, isLineByLine: boolean | undefined): AppError {
	return new AppError('conflict', `/${name} can't run while the agent works.`, {
		hint: `Press ${isLineByLine ? 'Ctrl+C' : 'Esc'} to interrupt it.`,
	});
}
