import {AppError} from '../core/error.ts';
import type {GlobalFlags} from './context.ts';
import {globalFlags, readFlags} from './flags.ts';

/** The flags that every command understands, and the other words of a line. */
export type FlaggedWords = {readonly flags: GlobalFlags; readonly rest: readonly string[]};

/** Help is up to the command. */
const {help: _, ...takenFlags} = globalFlags;

/**
 * Splits the flags that every command understands from a command's words. The words after `--` stay as they are. Throws
 * `AppError("usage")` for a flag without its value, or with one that it doesn't take.
 */
export function takeGlobalFlags(words: readonly string[]): FlaggedWords {
	const {given, words: others, behind, fault} = readFlags(words, takenFlags);
	if (fault) {
		throw new AppError('usage', fault);
	}

	const flags = {
		json: given.has('json'),
		exact: given.has('exact'),
		insecureHttp: given.has('insecureHttp'),
		server: given.get('server')?.at(-1),
		profile: given.get('profile')?.at(-1),
		org: given.get('org')?.at(-1),
		workspace: given.get('workspace')?.at(-1),
		project: given.get('project')?.at(-1),
	};
	return {flags, rest: behind ? [...others, '--', ...behind] : others};
}
