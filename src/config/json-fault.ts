import {parseJson} from '../core/json.ts';

/** Texts, which stay, and comments. Whatever has no end goes to the end, so that each takes one pass. */
const comments = /("(?:[^"\\]|\\[\s\S]?)*(?:"|$))|\/\/.*|\/\*[\s\S]*?(?:\*\/|$)/g;
/** Texts, which stay, and commas between a value and the end of its list or object. */
const trailingCommas = /("(?:[^"\\]|\\[\s\S]?)*(?:"|$))|(?<=[^\s[{,:]\s*),(?=\s*[}\]])/g;

/** Returns what is wrong with a file that isn't JSON, as a clause. Editors write comments and trailing commas in others. */
export function jsonFault(text: string): string {
	if (text.trim() === '') {
		return 'it is empty';
	}

	const strict = text.replace(comments, '$1').replace(trailingCommas, '$1');
	return parseJson(strict) === undefined
		? 'it is not valid JSON'
		: 'it has comments or trailing commas, which JSON does not allow';
}
