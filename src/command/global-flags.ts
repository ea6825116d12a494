import type {CompletionKind} from '../config/completion-values.ts';
import {AppError} from '../core/error.ts';
import type {GlobalFlags} from './context.ts';
import type {FlagHelp} from './run-flags.ts';

const named = ['server', 'profile', 'org', 'workspace', 'project'] as const;

/** In the order shown. */
export const globalFlagHelp: readonly FlagHelp[] = [
	{usage: '--json', summary: 'Output JSON'},
	{usage: '--exact', summary: 'Show times in full, not how long ago they were'},
	{usage: '--server url', summary: 'Use this server'},
	{usage: '--profile name', summary: 'Use this profile'},
	{usage: '--org, --workspace, --project', summary: 'Organization, workspace, project to use'},
	{usage: '--insecure-http', summary: 'Allow plain http beyond this machine'},
];

type GlobalFlagToComplete = {
	readonly name: string;
	readonly summary: string;
	readonly takesValue: boolean;
	/** Where its values are known from. */
	readonly kind?: CompletionKind;
};

/** What completion offers behind a command's own flags. */
export const globalFlagsToComplete: readonly GlobalFlagToComplete[] = [
	{name: 'json', summary: 'Output JSON', takesValue: false},
	{name: 'exact', summary: 'Show times in full, not how long ago they were', takesValue: false},
	{name: 'server', summary: 'Use this server', takesValue: true, kind: 'server'},
	{name: 'profile', summary: 'Use this profile', takesValue: true, kind: 'profile'},
	{name: 'org', summary: 'Use this organization', takesValue: true, kind: 'org'},
	{name: 'workspace', summary: 'Use this workspace', takesValue: true, kind: 'workspace'},
	{name: 'project', summary: 'Use this project', takesValue: true, kind: 'project'},
	{name: 'insecure-http', summary: 'Allow plain http beyond this machine', takesValue: false},
	{name: 'help', summary: 'Show its usage', takesValue: false},
];

/** True for a flag, without its value, that goes with a command. */
export function isGlobalFlag(flag: string): boolean {
	return flag === '--json' || flag === '--exact' || named.some(name => flag === `--${name}`);
}

/**
 * Splits the flags that every command understands from a command's words. What follows `--` stays as it is. Throws
 * `usage` for a flag without its value.
 */
export function takeGlobalFlags(words: readonly string[]): {
	readonly flags: GlobalFlags;
	readonly rest: readonly string[];
} {
	const values: Partial<Record<(typeof named)[number], string>> = {};
	const rest: string[] = [];
	let json = false;
	let exact = false;
	let insecureHttp = false;
	for (let index = 0; index < words.length; index++) {
		const word = words[index] ?? '';
		if (word === '--') {
			rest.push(...words.slice(index));
			break;
		}

		const name = named.find(candidate => word === `--${candidate}` || word.startsWith(`--${candidate}=`));
		if (word === '--json') {
			json = true;
		} else if (word === '--exact') {
			exact = true;
		} else if (word === '--insecure-http') {
			insecureHttp = true;
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
	return {flags: {json, exact, insecureHttp, server, profile, org, workspace, project}, rest};
}
