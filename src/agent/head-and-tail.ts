/** Keeps the beginning and the end of a long text and says how much of the middle is gone. `limit` is in UTF-16 units. */
export function headAndTail(text: string, limit: number): string {
	if (text.length <= limit) {
		return text;
	}

	const head = whole(text.slice(0, Math.ceil(limit / 2)), 'end');
	const tail = whole(text.slice(text.length - Math.floor(limit / 2)), 'start');
	return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}

/** Without the half of a surrogate pair that a cut may have left. */
function whole(text: string, cut: 'start' | 'end'): string {
	return cut === 'end' ? text.replace(/[\uD800-\uDBFF]$/, '') : text.replace(/^[\uDC00-\uDFFF]/, '');
}
