/** A Markdown file with its fields, such as `description: Reviews a change`. */
export type FrontMatter = {
	readonly fields: ReadonlyMap<string, string>;
	/** The text behind the fields. */
	readonly body: string;
};

/** Most characters that are read as fields. */
const maxLength = 16 * 1024;

/**
 * Splits a file at the fields between two lines of `---` that it begins with. Reads texts at the first level, plain, quoted
 * or as a block (`>` and `|`), of one line or more; lists, maps and comments are skipped. Without fields the whole file is the
 * body.
 */
export function readFrontMatter(text: string): FrontMatter {
	const [head = '', fenced = ''] =
		/^---[ \t]*\r?\n([\s\S]*?)^---[ \t]*(?:\r?\n|$)/m.exec(text.slice(0, maxLength)) ?? [];
	if (!head || !text.startsWith(head)) {
		return {fields: new Map(), body: text};
	}

	const fields = new Map<string, string>();
	const lines = fenced.split(/\r?\n/);
	for (const [index, line] of lines.entries()) {
		const [, name, value = ''] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(line) ?? [];
		if (name === undefined || fields.has(name)) {
			continue;
		}

		const below = lines.slice(index + 1);
		const end = below.findIndex(other => /^\S/.test(other));
		fields.set(name, textOf(value.trim(), end < 0 ? below : below.slice(0, end)));
	}

	return {fields, body: text.slice(head.length)};
}

function textOf(value: string, below: readonly string[]): string {
	if (/^[>|][+-]?\d?[+-]?(?:\s+#.*)?$/.test(value)) {
		const join = value.startsWith('>') ? ' ' : '\n';
		return below
			.map(line => line.trim())
			.join(join)
			.trim();
	}

	const lines = [value, ...below.map(line => line.trim())].filter(Boolean);
	if (value === '' && /^(?:-|[\w-]+:)(?:\s|$)/.test(lines[0] ?? '')) {
		return '';
	}

	const text = lines.join(' ');
	const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')(?:\s+#.*)?$/.exec(text) ?? [];
	if (double !== undefined) {
		return double.replace(/\\(.)/g, (_, character: string) => ({n: '\n', t: '\t'})[character] ?? character);
	}

	return single === undefined ? text.replace(/(?:^|\s+)#.*$/, '') : single.replaceAll("''", "'");
}
