import {cutText} from '../core/cut-text.ts';

/**
 * Most bytes of a result in UTF-8: about 10,000 tokens of code or prose. More would cost money at every further turn, and
 * crowd out the conversation.
 */
const maxBytes = 32_000;
/** The share of `maxBytes` for the end of the result. */
const tailShare = 0.25;
/** Most bytes of the note between head and tail. */
const maxNoteBytes = 400;

type ReadOn = string | ((leftOut: string) => string);

/** Returns true if a result is too long to be shown as a whole. */
export function isTooLong(text: string): boolean {
	return Buffer.byteLength(text) > maxBytes;
}

/** Keeps the beginning and the end of a long result, in whole lines if it has some. A note says how to read the rest. */
export function cutResult(text: string, readOn: ReadOn = 'Call it again for a shorter result.'): string {
	if (!isTooLong(text)) {
		return text;
	}

	const room = maxBytes - maxNoteBytes;
	const tailBytes = Math.floor(room * tailShare);
	const head = wholeLines(firstBytes(text, room - tailBytes), 'head');
	const tail = wholeLines(lastBytes(text, tailBytes), 'tail');
	const leftOut = text.slice(head.length, text.length - tail.length);
	const lines = leftOut.split('\n').length - (leftOut.endsWith('\n') ? 1 : 0);
	const what = head.endsWith('\n') ? `${lines} lines` : `${leftOut.length} characters`;
	const how = typeof readOn === 'string' ? readOn : readOn(leftOut);
	const note = `[… ${what} left out: a result has at most ${maxBytes / 1000} kB. ${cutText(how, maxNoteBytes / 2)} …]`;
	return `${head}${head.endsWith('\n') ? '' : '\n'}${note}\n${tail.replace(/^\n/, '')}`;
}

function firstBytes(text: string, count: number): string {
	// A UTF-16 unit takes at least one byte. A character that is cut is dropped.
	const bytes = Buffer.from(text.slice(0, count)).subarray(0, count);
	return bytes.toString('utf8').replace(/\uFFFD$/, '');
}

function lastBytes(text: string, count: number): string {
	const bytes = Buffer.from(text.slice(-count));
	return bytes
		.subarray(Math.max(0, bytes.length - count))
		.toString('utf8')
		.replace(/^\uFFFD+/, '');
}

/** Drops the line that was cut, unless it is most of the text. */
function wholeLines(text: string, part: 'head' | 'tail'): string {
	const at = part === 'head' ? text.lastIndexOf('\n') + 1 : text.indexOf('\n') + 1;
	if (at === 0) {
		return text;
	}

	const kept = part === 'head' ? text.slice(0, at) : text.slice(at);
	return kept.length > text.length / 2 ? kept : text;
}
