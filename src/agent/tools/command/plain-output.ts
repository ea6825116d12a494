/** Escape sequences: control sequences, strings such as titles and links, and all others (ECMA-48). */
const escapes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001B]{0,4096}(?:\u0007|\u001B\\)?|[ -/]*[0-~])/g;

/**
 * Returns output as a terminal would finally show it, for a model: without escape sequences, and with only the last state
 * of a line that was redrawn, such as a progress bar. NUL characters become visible.
 */
export function plainOutput(text: string): string {
	return text
		.replace(escapes, '')
		.replace(/\r+\n/g, '\n')
		.replace(/\0/g, '␀')
		.split('\n')
		.map(line => (line.includes('\r') ? (line.split('\r').findLast(Boolean) ?? '') : line))
		.join('\n');
}
