import {AppError} from '../core/error.ts';
import type {GlobalFlags} from './context.ts';
import {findFlag, type GlobalFlag, globalFlags, splitFlag} from './flags.ts';

/** The flags that every command understands, and the other words of a line. */
export type FlaggedWords = {readonly flags: GlobalFlags; readonly rest: readonly string[]};

/**
 * Splits the flags that every command understands from a command's words. The words after `--` stay as they are. Throws
 * `AppError("usage")` for a flag without its value.
 */
export function takeGlobalFlags(words: readonly string[]): FlaggedWords {
	const given = new Map<GlobalFlag, string>();
	const rest: string[] = [];
	for (let index = 0; index < words.length; index++) {
		const word = words[index] ?? '';
		if (word === '--') {
			rest.push(...words.slice(index));
			break;
		}

		const [name, inline] = splitFlag(word);
		const found = findFlag(globalFlags, name);
		// Help is up to the command.
		if (!found || found.key === 'help' || (inline !== undefined && !found.flag.value)) {
			rest.push(word);
		} else if (found.flag.value) {
			const value = inline ?? words[++index];
			if (!value || (inline === undefined && value.startsWith('-'))) {
				throw new AppError('usage', `${name} needs a value.`);
			}

			given.set(found.key, value);
		} else {
			given.set(found.key, '');
		}
	}

	return {flags: flagsOf(given), rest};
}

function flagsOf(given: ReadonlyMap<GlobalFlag, string>): GlobalFlags {
	return {
		json: given.has('json'),
		exact: given.has('exact'),
		insecureHttp: given.has('insecureHttp'),
		server: given.get('server'),
		profile: given.get('profile'),
		org: given.get('org'),
		workspace: given.get('workspace'),
		project: given.get('project'),
	};
}
