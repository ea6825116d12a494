/** Returns at most `length` UTF-16 units of a text, without half a character at the end. */
export function cutText(text: string, length: number): string {
	return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** Returns a text as one line of at most `length` UTF-16 units; one that is cut ends in an ellipsis, which counts. */
export function cutLine(text: string, length: number): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > length ? `${cutText(line, length - 1)}…` : line;
}

/** Keeps the beginning and the end of a long text, and says how many characters are left out in between. */
export function headAndTail(text: string, maxLength: number): string {
	if (text.length <= maxLength) {
		return text;
	}

	const head = cutText(text, Math.ceil(maxLength / 2));
	const tail = text.slice(text.length - Math.floor(maxLength / 2)).replace(/^[\uDC00-\uDFFF]/, '');
	return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}
