import {redact} from '../secrets/redact.ts';

/** Most cells of a title. */
const maxCells = 48;
/** What is read of a message, in UTF-16 units: a question may stand below what was pasted. */
const maxRead = 8000;
/** Shorter first sentences don't say what a conversation is about. */
const minSentence = 12;
/** Lines side by side that may be a paste. */
const minPasted = 3;

const letters = /\p{L}{2}/u;
const greeting =
	/^(?:(?:hi|hey|hello|good (?:morning|afternoon|evening))(?! world)(?: (?:there|all|again|everyone))?(?:[\s,.!:–—-]+|$)|(?:thanks|thank you|ok|okay|well|so|great)(?:[,.!:–—]+\s*|$)|please\s+)/iu;
const command = /^\/[a-z][\w:.-]*(?:\s|$)/iu;
/** The signs of Markdown at the beginning of a line. */
const marks = /^(?:#{1,6}|[-*+]|\d{1,3}[.)])\s+/;
const fence = /^(`{3,}|~{3,})/;
const openTag = /^<([a-z][\w-]*)[^<>]*>/i;

/**
 * Returns what a message is about, to name its conversation: its first sentence that says something, cut between words. What
 * was quoted or pasted, commands and greetings say nothing. Credentials are masked. Returns '' for a message without such a
 * sentence.
 */
export function titleFrom(message: string): string {
	const read = typedLines(redact(beginningOf(message)).split(/\r\n?|\n/));
	for (const [index, line] of read.entries()) {
		const text = spoken(line);
		if (letters.test(text)) {
			return cutTitle(firstSentence([text, ...read.slice(index + 1).filter(Boolean)]));
		}
	}

	return '';
}

/** Returns the title that the messages of a user give a conversation; the beginning of the first one if none says anything. */
export function titleFromAll(messages: readonly string[]): string {
	for (const message of messages) {
		const title = titleFrom(message);
		if (title) {
			return title;
		}
	}

	return cutTitle(redact(beginningOf(messages[0] ?? '')));
}

/** Returns the beginning of a long message. Its last word is left out: it may be half a credential. */
function beginningOf(message: string): string {
	if (message.length <= maxRead) {
		return message;
	}

	const read = message.slice(0, maxRead);
	return read.slice(0, Math.max(read.lastIndexOf(' '), read.lastIndexOf('\n')) + 1);
}

/** Returns a text as one line of at most 48 cells; one that is cut ends in an ellipsis. */
export function cutTitle(text: string): string {
	const line = text.replace(/\s+/gu, ' ').trim();
	let cells = 0;
	let length = 0;
	for (const character of line) {
		cells += cellsOf(character);
		if (cells > maxCells) {
			const fits = line.slice(0, length);
			const words = line[length] === ' ' ? fits : fits.slice(0, Math.max(0, fits.lastIndexOf(' ')));
			return `${words.length * 2 > fits.length ? words : fits}…`;
		}

		length += cells < maxCells ? character.length : 0;
	}

	return line;
}

/** Returns the most cells that a character may take. */
function cellsOf(character: string): number {
	return character < '\u1100' ? 1 : 2;
}

/** Returns the lines that the user typed, empty where something else was left out. */
function typedLines(lines: readonly string[]): readonly string[] {
	const kept: string[] = [];
	let paragraph: string[] = [];
	for (const line of [...outsideOfBlocks(lines), '']) {
		if (line.trim()) {
			paragraph.push(line);
			continue;
		}

		const isPasted = paragraph.length >= minPasted && paragraph.filter(isMaterial).length * 2 > paragraph.length;
		kept.push(...(isPasted ? [] : paragraph), '');
		paragraph = [];
	}

	return kept;
}

/** Returns lines, empty ones in the place of blocks of code, quotations and elements. */
function outsideOfBlocks(lines: readonly string[]): readonly string[] {
	let end: string | undefined;
	return lines.map(line => {
		const text = line.trim();
		if (end !== undefined) {
			end = text.startsWith(end) || (end.startsWith('</') && text.includes(end)) ? undefined : end;
			return '';
		}

		const [, fenced] = fence.exec(text) ?? [];
		const [, tag] = openTag.exec(text) ?? [];
		const closing = fenced ?? (tag && `</${tag}>`);
		end = closing && (fenced || !text.includes(closing)) ? closing : undefined;
		return closing || text.startsWith('>') ? '' : line;
	});
}

/** True for a line that looks like code or output: indented, of signs and digits, or with the end of a statement. */
function isMaterial(line: string): boolean {
	const words = line.replace(/[^\p{L}\p{M} ]/gu, '').length;
	return /^(?:\t| {2})/.test(line) || /[;{}()[\]\\,]$/.test(line.trimEnd()) || words * 10 < line.length * 8;
}

/** Returns a line without marks and greetings before it; '' for a command. */
function spoken(line: string): string {
	let text = line.trim().replace(marks, '');
	if (command.test(text)) {
		return '';
	}

	for (let before = ''; before !== text; ) {
		before = text;
		text = text.replace(greeting, '');
	}

	return text;
}

/** Returns the first sentence of lines; with what follows it, if it is very short. */
function firstSentence([line = '', ...rest]: readonly string[]): string {
	const [sentence = ''] = line.split(/(?<=[.?!])\s|(?<=[\u3002\uFF1F\uFF01])|(?<=\p{L}):\s/u, 1);
	const whole = sentence.length < minSentence ? [line, ...rest].join(' ') : sentence;
	return whole.replace(/[\s:]+$/u, '');
}
