/**
 * A path as a model reads it, on one line: a JSON string where it has characters that end a line or are not seen, so that
 * the name of a file can neither pass for several nor be typed in vain.
 */
export function pathText(path: string): string {
	return unseen.test(path)
		? JSON.stringify(path).replace(new RegExp(unseen, 'gu'), character => character.split('').map(escaped).join(''))
		: path;
}

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function escaped(unit: string): string {
	return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
