/** A word of a pattern: the text between its wildcards. One piece is an exact word; `['a', '']` is `a*`. */
export type PatternWord = readonly string[];

/**
 * Which simple commands a rule covers. Its words are written as in a shell: `*` stands for any characters of one word. As
 * the last word it stands for further words that are known to be harmless, or none, and `**` for any further words. Quotes
 * and backslashes make it a plain character.
 */
export type CommandPattern = {
	/** Where the command runs, relative to the working folder: `cd packages/a && npm test *`. The folder itself if absent. */
	readonly folder?: string;
	readonly words: readonly PatternWord[];
	/** Which words may follow. */
	readonly rest: 'none' | 'harmless' | 'any';
};

type Token = {readonly pieces: PatternWord} | {readonly operator: string};

/** Reads the pattern of a rule for commands. A fault is a clause for an error. */
export function readCommandPattern(pattern: string): CommandPattern | {readonly fault: string} {
	const tokens = tokensOf(pattern);
	if (tokens === undefined) {
		return {fault: 'a quote is not closed, or holds a variable'};
	}

	const [first, folder, and] = tokens;
	const folderText =
		isWord(first, 'cd') && and && 'operator' in and && and.operator === '&&' ? exactText(folder) : undefined;
	const rest = folderText === undefined ? tokens : tokens.slice(3);
	const words = rest.flatMap(token => ('pieces' in token ? [token.pieces] : []));
	if (words.length < rest.length) {
		return {fault: 'it covers one command, without operators, variables or substitutions'};
	}

	const last = words.at(-1);
	if (last === undefined) {
		return {fault: 'the pattern is empty'};
	}

	const stars = last.every(piece => piece === '') ? last.length - 1 : 0;
	return {
		...(folderText !== undefined && {folder: folderText}),
		words: stars > 0 ? words.slice(0, -1) : words,
		rest: stars === 0 ? 'none' : stars === 1 ? 'harmless' : 'any',
	};
}

/** True if a word fits. Takes time in proportion to its length. */
export function matchesWord([first = '', ...others]: PatternWord, word: string): boolean {
	const last = others.pop();
	if (last === undefined) {
		return word === first;
	}

	if (word.length < first.length + last.length || !word.startsWith(first) || !word.endsWith(last)) {
		return false;
	}

	let at = first.length;
	for (const piece of others) {
		const found = word.indexOf(piece, at);
		if (found < 0) {
			return false;
		}

		at = found + piece.length;
	}

	return at <= word.length - last.length;
}

/** Returns a word as a pattern that matches exactly this word. */
export function quoteWord(word: string): string {
	return /^[\w@%+=:,./^-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function isWord(token: Token | undefined, text: string): boolean {
	return exactText(token) === text;
}

function exactText(token: Token | undefined): string | undefined {
	return token && 'pieces' in token && token.pieces.length === 1 ? token.pieces[0] : undefined;
}

/** Splits a pattern; undefined if a quote stays open. */
function tokensOf(pattern: string): readonly Token[] | undefined {
	const tokens: Token[] = [];
	let pieces: string[] | undefined;
	const add = (text: string) => {
		pieces ??= [''];
		pieces.push((pieces.pop() ?? '') + text);
	};
	const end = () => {
		if (pieces) {
			tokens.push({pieces});
			pieces = undefined;
		}
	};
	const part = /\s+|'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\(.)|(\*)|(&&|[|&;<>()$`#"'\\])|([^\s'"\\*|&;<>()$`#]+)/gsy;
	while (part.lastIndex < pattern.length) {
		const match = part.exec(pattern);
		if (!match) {
			return undefined;
		}

		const [, single, double, escaped, star, operator, plain] = match;
		const text = single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? escaped ?? plain;
		if (operator === '"' || operator === "'" || operator === '\\') {
			return undefined;
		}

		if (text !== undefined) {
			add(text);
		} else if (star !== undefined) {
			add('');
			pieces?.push('');
		} else {
			end();
			tokens.push(...(operator === undefined ? [] : [{operator}]));
		}
	}

	end();
	return tokens;
}
