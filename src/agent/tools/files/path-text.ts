import {unseenCharacters} from '../../../core/json.ts';
import {foldName} from './eye-fold.ts';

/**
 * Returns a path for the model, on one line: as a JSON string if it has line ends or invisible characters, so that a
 * file name can't look like several, and the model can repeat it exactly.
 */
export function pathText(path: string): string {
	return invisible.test(path)
		? JSON.stringify(path).replace(new RegExp(invisible, 'gu'), character => character.split('').map(escaped).join(''))
		: path;
}

/** Returns a text as a JSON string of ASCII characters alone. */
export function asciiJson(text: string): string {
	return JSON.stringify(text).replace(/[^\0-\x7F]/g, escaped);
}

const invisible = new RegExp(`[${unseenCharacters}]`, 'u');

function escaped(unit: string): string {
	return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Folds what file systems ignore in names and what people can't see in them: case, the form of accents and of letters,
 * the kind of a space, a quote or a dash, spaces at the ends, and invisible characters. Paths that look the same are the same.
 */
export function foldedPath(path: string): string {
	return foldName(path)
		.normalize('NFKC')
		.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '')
		.replace(/\p{Zs}/gu, ' ')
		.replace(/[\p{Pd}\u2212]/gu, '-')
		.replace(/(?:^| *\/) *| +$/g, ends => ends.trim())
		.toUpperCase()
		.toLowerCase()
		.normalize('NFC');
}
