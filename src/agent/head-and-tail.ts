import {cutText} from '../core/cut-text.ts';

/** Keeps the beginning and the end of a long text and says how much of the middle is gone. `limit` is in UTF-16 units. */
export function headAndTail(text: string, limit: number): string {
	if (text.length <= limit) {
		return text;
	}

	const head = cutText(text, Math.ceil(limit / 2));
	const tail = text.slice(text.length - Math.floor(limit / 2)).replace(/^[\uDC00-\uDFFF]/, '');
	return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}
