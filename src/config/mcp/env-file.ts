/** What a file of variables says, or the first line that is no variable, counted from 1. */
export type EnvFile = {readonly variables: Readonly<Record<string, string>>} | {readonly wrongLine: number};

/** A variable, as `.env` files have it: quotes may hold several lines, and a comment may follow. */
const variable =
	/[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(?:(?:'([^']*)'|"((?:[^"\\]|\\.)*)")[ \t]*(?:#[^\n]*)?|((?![ \t'"])[^\n]*))(?:\n|$)/sy;
const blank = /[ \t]*(?:#[^\n]*)?(?:\n|$)/y;

const escapes: Readonly<Record<string, string>> = {n: '\n', r: '\r', t: '\t'};

/** Parses a file of `NAME=value` lines. Of several lines with one name, the last one counts. */
export function parseEnvFile(source: string): EnvFile {
	const text = source.replace(/\r(?=\n|$)/g, '').replace(/^\uFEFF/, '');
	const variables = new Map<string, string>();
	for (let at = 0; at < text.length; ) {
		blank.lastIndex = at;
		variable.lastIndex = at;
		const skipped = blank.exec(text)?.[0].length ?? 0;
		const found = skipped > 0 ? undefined : variable.exec(text);
		const length = found?.[0].length ?? skipped;
		if (length === 0) {
			return {wrongLine: text.slice(0, at).split('\n').length};
		}

		const [, name, single, double, bare = ''] = found ?? [];
		if (name !== undefined) {
			variables.set(
				name,
				single ?? double?.replace(/\\(.)/gs, (_, each: string) => escapes[each] ?? each) ?? withoutComment(bare),
			);
		}

		at += length;
	}

	return {variables: Object.fromEntries(variables)};
}

/** A comment begins with a space: an address may have `#`. */
function withoutComment(value: string): string {
	const at = value.search(/(?:^|[ \t])#/);
	return (at < 0 ? value : value.slice(0, at)).trimEnd();
}
