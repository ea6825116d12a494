import {AppError} from '../core/error.ts';
import type {GlobalFlags} from './context.ts';

const named = ['server', 'profile', 'org', 'workspace', 'project'] as const;

/**
 * Takes the flags that every command understands out of a command's words. What follows `--` stays as it is. Throws
 * `usage` for a flag without its value.
 */
export function takeGlobalFlags(words: readonly string[]): {
	readonly flags: GlobalFlags;
	readonly rest: readonly string[];
} {
	const values: Partial<Record<(typeof named)[number], string>> = {};
	const rest: string[] = [];
	let json = false;
	for (let index = 0; index < words.length; index++) {
		const word = words[index] ?? '';
		if (word === '--') {
			rest.push(...words.slice(index));
			break;
		}

		const name = named.find(candidate => word === `--${candidate}` || word.startsWith(`--${candidate}=`));
		if (word === '--json') {
			json = true;
		} else if (name) {
			const value = word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[++index];
			if (!value || (!word.includes('=') && value.startsWith('-'))) {
				throw new AppError('usage', `--${name} needs a value.`);
			}

			values[name] = value;
		} else {
			rest.push(word);
		}
	}

	const {server, profile, org, workspace, project} = values;
	return {flags: {json, server, profile, org, workspace, project}, rest};
}
