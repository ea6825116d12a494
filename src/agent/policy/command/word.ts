/** A word of a command whose value is known before the shell runs it, but for file names that match its wildcards. */
export type Word = {
	/** The word without its quotes. */
	readonly value: string;
	/** As it is written. */
	readonly text: string;
	/**
	 * With unquoted `*`, `?` or `[…]`: the pattern for file names, in which `\` makes the next character plain. Brackets
	 * are widened to `?`.
	 */
	readonly pattern?: string;
};

/** What may stand in a word without quotes: of other scripts only letters, nothing like a space or a quote. */
const plain = /[\w@%+=:,./^!{}~#-]|[\p{L}\p{N}\p{M}]/u;
const part = /'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\([^\n])|([*?])|\[([\w^!-][\w-]*)\]|([^\s'"\\*?[\]|&;<>()$`])/gsuy;

/**
 * Returns what a word means to bash, worked out without the parser as a check of it. Returns undefined for anything that
 * takes more than quotes and file name patterns: variables, substitutions, `~`, braces, `$'…'`, unusual characters.
 */
export function readWord(text: string): Word | undefined {
	let value = '';
	let pattern = '';
	let isPattern = false;
	let bare = '';
	part.lastIndex = 0;
	while (part.lastIndex < text.length) {
		const match = part.exec(text);
		if (!match) {
			return undefined;
		}

		const [raw, single, double, escaped, wildcard, bracket, character] = match;
		const quoted = single ?? double?.replace(/\\(["\\$`\n])/g, unescaped) ?? escaped;
		if (quoted !== undefined) {
			value += quoted;
			pattern += quoted.replace(/[\\*?]/g, '\\$&');
			bare += quoted === '' ? '' : '\0';
		} else if (wildcard !== undefined || bracket !== undefined) {
			isPattern = true;
			value += raw;
			pattern += wildcard ?? '?';
			bare += raw;
		} else if (character !== undefined && plain.test(character)) {
			value += raw;
			pattern += raw;
			bare += raw;
		} else {
			return undefined;
		}
	}

	return text === '' || isExpanded(bare) ? undefined : {value, text, ...(isPattern && {pattern})};
}

/** True for what bash expands: a home folder at the start or after `=` and `:`, and braces with a list or a range. */
function isExpanded(bare: string): boolean {
	const braces = bare.slice(bare.indexOf('{') + 1, bare.lastIndexOf('}') + 1);
	return /^[~#]|[=:]~/.test(bare) || (bare.includes('{') && /,|\.\./.test(braces));
}

/** In double quotes, a backslash before a line feed joins the lines. */
function unescaped(_: string, character: string): string {
	return character === '\n' ? '' : character;
}
