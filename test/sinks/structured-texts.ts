/** Hostile texts in the forms that are read, broken and coloured before they are drawn: JSON, and stack traces. */

/** JSON with a text in keys and values, in a line that is short, one that is broken, and a nested stack. Escaped as JSON is. */
export function hostileJson(text: string): string {
	const nested = {[text]: {[text]: [text, {[text]: text}]}, filler: 'x'.repeat(300)};
	return JSON.stringify({[text]: text, level: text, msg: text, ...nested, stack: hostileTrace(text)});
}

/** A line that begins as JSON, but has the text as it is, unescaped: too long to be checked. One megabyte. */
export function hugeJson(text: string): string {
	return `{"${text}": "${text}", "filler": [${'"x",'.repeat(250_000)}"${text}"]}`;
}

/** What Node prints for an error, with the text as message, function and file. */
export function hostileTrace(text: string): string {
	const frames = ['/app/src', '/app/node_modules/a', 'node:internal', '/app/node_modules/b', '/app/src'].map(
		place => `    at ${text} (${place}/${text}.ts:31:9)`,
	);
	return [`Error: ${text.split(' ')[0]}`, text, ...frames, `  code: '${text}' {`, '}'].join('\n');
}
