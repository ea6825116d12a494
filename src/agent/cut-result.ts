import {cutText} from '../core/cut-text.ts';

/**
 * The most that a model reads of one result, in bytes of UTF-8: about 10,000 tokens of code or prose. More would cost
 * money at every further turn, and crowd out what the conversation is about.
 */
const mostBytes = 32_000;
/** How much of that the end of the result gets. */
const tailShare = 0.25;
/** What the note between head and tail may take, in bytes. */
const noteBytes = 400;

type ReadOn = string | ((leftOut: string) => string);

/**
 * Keeps the beginning and the end of a result that is too long, in whole lines where it has some, and says how to read
 * on.
 */
export function cutResult(text: string, readOn: ReadOn = 'Call it again so that it gives less.'): string {
	if (Buffer.byteLength(text) <= mostBytes) {
		return text;
	}

	const room = mostBytes - noteBytes;
	const tailBytes = Math.floor(room * tailShare);
	const head = wholeLines(firstBytes(text, room - tailBytes), 'head');
	const tail = wholeLines(lastBytes(text, tailBytes), 'tail');
	const leftOut = text.slice(head.length, text.length - tail.length);
	const lines = leftOut.split('\n').length - (leftOut.endsWith('\n') ? 1 : 0);
	const what = head.endsWith('\n') ? `${lines} lines` : `${leftOut.length} characters`;
	const how = typeof readOn === 'string' ? readOn : readOn(leftOut);
	const note = `[… ${what} left out: a result takes ${mostBytes / 1000} kB at most. ${cutText(how, noteBytes / 2)} …]`;
	return `${head}${head.endsWith('\n') ? '' : '\n'}${note}\n${tail.replace(/^\n/, '')}`;
}

function firstBytes(text: string, most: number): string {
	// No character takes fewer bytes than one of its UTF-16 units; of a character that is cut nothing stays.
	const bytes = Buffer.from(text.slice(0, most)).subarray(0, most);
	return bytes.toString('utf8').replace(/\uFFFD$/, '');
}

function lastBytes(text: string, most: number): string {
	const bytes = Buffer.from(text.slice(-most));
	return bytes
		.subarray(Math.max(0, bytes.length - most))
		.toString('utf8')
		.replace(/^\uFFFD+/, '');
}

/** Drops the line that was cut, unless that is most of the text. */
function wholeLines(text: string, part: 'head' | 'tail'): string {
	const at = part === 'head' ? text.lastIndexOf('\n') + 1 : text.indexOf('\n') + 1;
	if (at === 0) {
		return text;
	}

	const kept = part === 'head' ? text.slice(0, at) : text.slice(at);
	return kept.length > text.length / 2 ? kept : text;
}
