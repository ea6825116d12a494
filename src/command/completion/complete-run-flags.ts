import {findFlag, longName, runFlags, splitFlag} from '../flags.ts';
import type {Candidate} from './complete-argument.ts';
import type {KnownValues} from './known-values.ts';

/** Completes the last of `words` on a line without a command: a flag, or the value of the flag before it. */
export function completeRunFlags(words: readonly string[], valuesOf: KnownValues): readonly Candidate[] {
	const typed = words.at(-1) ?? '';
	const [name, inline] = splitFlag(typed);
	const flag = findFlag(runFlags, inline === undefined ? (words.at(-2) ?? '') : name)?.flag;
	if (flag?.value) {
		const {choices, completes} = flag;
		return (completes ? valuesOf(completes) : (choices ?? []))
			.map(known => (typeof known === 'string' ? {value: known, hint: ''} : known))
			.map(({value, hint}) => ({word: inline === undefined ? value : `${name}=${value}`, summary: hint}))
			.filter(({word}) => word.startsWith(typed))
			.map(found => ({...found, follows: false, isOptional: false}));
	}

	const before = words.slice(0, -1);
	return Object.values(runFlags)
		.map(row => ({word: longName(row), summary: row.summary, follows: false, isOptional: false}))
		.filter(({word}) => word.startsWith(typed) && !before.includes(word));
}
