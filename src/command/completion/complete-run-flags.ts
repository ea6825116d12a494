import {approvals, formats} from '../invocation.ts';
import {type RunFlag, runFlagHelp, runFlags} from '../run-flags.ts';
import type {Candidate} from './complete-argument.ts';
import type {KnownValue, KnownValues} from './known-values.ts';

/** What the last of `words` may become on a line without a command: a flag, or the value of the one before it. */
export function completeRunFlags(words: readonly string[], valuesOf: KnownValues): readonly Candidate[] {
	const typed = words.at(-1) ?? '';
	const [head = '', inline] = typed.startsWith('--') ? typed.split(/=(.*)/, 2) : [];
	const flagBefore = inline === undefined ? words.at(-2) : head;
	const meaning = Object.entries(runFlags).find(([flag]) => flag === flagBefore)?.[1];
	const values = meaning && valuesOfFlag(meaning, valuesOf);
	if (values) {
		return values
			.map(known => (typeof known === 'string' ? {value: known, hint: ''} : known))
			.map(({value, hint}) => ({word: inline === undefined ? value : `${head}=${value}`, summary: hint}))
			.filter(({word}) => word.startsWith(typed))
			.map(found => ({...found, follows: false, isOptional: false}));
	}

	return Object.entries(runFlags)
		.filter(([flag]) => flag.startsWith('--') && flag.startsWith(typed) && !words.slice(0, -1).includes(flag))
		.map(([word, flag]) => ({word, summary: runFlagHelp[flag].summary, follows: false, isOptional: false}));
}

function valuesOfFlag(flag: RunFlag, valuesOf: KnownValues): readonly KnownValue[] | undefined {
	switch (flag) {
		case 'model':
		case 'profile':
			return valuesOf(flag);
		case 'resume':
			return valuesOf('saved-session');
		case 'format':
			return formats;
		case 'approve':
			return approvals;
		case 'prompt':
		case 'turns':
		case 'budget':
			return [];
		default:
			return undefined;
	}
}
