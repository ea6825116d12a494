/** The beginning of a text, of so many UTF-16 units at most, without the half of a character that may stand at its end. */
export function cutText(text: string, length: number): string {
	return text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}
