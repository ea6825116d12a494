import {diffArrays} from 'diff';

/** A part of a line; `isChanged` if the other line of its pair doesn't have it. */
export type Part = {readonly text: string; readonly isChanged: boolean};

/** A removed line and the one in its place, in parts. */
export type MarkedPair = {readonly removed: readonly Part[]; readonly added: readonly Part[]};

/** Longer lines are not compared. */
const maxLength = 1000;
/** More differences are not sought. */
const maxEdits = 40;
/** The least share of a line that stays the same: marks on nearly everything would say nothing. */
const minSame = 0.4;

/** Returns which words of two lines differ; undefined if hardly any is the same. */
export function markWords(removed: string, added: string): MarkedPair | undefined {
	if (Math.max(removed.length, added.length) > maxLength) {
		return undefined;
	}

	const changes = diffArrays(wordsOf(removed), wordsOf(added), {maxEditLength: maxEdits});
	const parts = changes?.map(change => ({...change, text: change.value.join('')}));
	const same = parts?.filter(part => !part.added && !part.removed).map(({text}) => text.trim()) ?? [];
	const sameLength = same.reduce((sum, {length}) => sum + length, 0);
	if (!parts || sameLength < minSame * Math.max(removed.trim().length, added.trim().length)) {
		return undefined;
	}

	return {
		removed: parts.filter(part => !part.added).map(({text, removed: isChanged}) => ({text, isChanged})),
		added: parts.filter(part => !part.removed).map(({text, added: isChanged}) => ({text, isChanged})),
	};
}

/** Splits a line into words, runs of white space and single signs. */
function wordsOf(line: string): string[] {
	return line.match(/[\p{L}\p{N}\p{M}_]+|\s+|./gsu) ?? [];
}
