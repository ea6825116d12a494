/** Escape sequences: control sequences, strings such as titles and links, and all others (ECMA-48). */
const sequences =
	/(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u009C]{0,4096}(?:\u0007|\u009C|\u001B\\)?|\u001B[ -/]*[0-~]/g;

/** All that remains of them, and other control characters except line ends and tabs. */
const controls = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/**
 * Returns a text as it may be in a clipboard: without escape sequences or other control characters, which a terminal that
 * it is pasted into would obey, and without a line end behind it (SAFETY 3).
 */
export function plainCopy(text: string): string {
	return text.replace(/\r\n?/g, '\n').replace(sequences, '').replace(controls, '').replace(/\n+$/, '');
}
