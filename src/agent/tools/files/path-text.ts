import {unseenCharacters} from '../../../core/json.ts';

/**
 * Returns a path for the model, on one line: as a JSON string if it has line ends or invisible characters, so that a
 * file name can't look like several, and the model can repeat it exactly.
 */
export function pathText(path: string): string {
	return invisible.test(path)
		? JSON.stringify(path).replace(new RegExp(invisible, 'gu'), character => character.split('').map(escaped).join(''))
		: path;
}

const invisible = new RegExp(`[${unseenCharacters}]`, 'u');

function escaped(unit: string): string {
	return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
