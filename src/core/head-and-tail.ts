import {cutText} from './cut-text.ts';

/** Keeps the beginning and the end of a long text, and says how many characters are left out in between. */
export function headAndTail(text: string, maxLength: number): string {
	if (text.length <= maxLength) {
		return text;
	}

	const head = cutText(text, Math.ceil(maxLength / 2));
	const tail = text.slice(text.length - Math.floor(maxLength / 2)).replace(/^[\uDC00-\uDFFF]/, '');
	return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}
