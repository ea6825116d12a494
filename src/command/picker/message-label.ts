/** Most characters of a message in a list. */
const maxLabel = 60;

/** Returns the beginning of a message as one line, to choose it from a list. */
export function messageLabel(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > maxLabel ? `${line.slice(0, maxLabel)}…` : line;
}
