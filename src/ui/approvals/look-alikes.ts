/** Letters that look like Latin ones, in words of their own: those of Cyrillic, Greek and Armenian. */
const looksLatin =
	/^[\u0430\u0435\u043E\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0501\u04BB\u04CF\u051B\u051D\u03BF\u03BD\u03B1\u0585\u0570\u057D]+$/iu;

/** Letters and signs that stand for ASCII ones: full width, and those of mathematics. */
const styled = /[\uFF01-\uFF5E\u{1D400}-\u{1D7FF}\u2215\u2044\u2024\uA789\u02D0]/u;

const otherScripts = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/** Returns the first word whose letters may be taken for others; undefined if there is none. */
export function lookAlikeIn(text: string): string | undefined {
	return text.match(/[\p{L}\p{M}\p{N}_.\u2215\u2044\uFF01-\uFF5E-]+/gu)?.find(word => {
		const isMixed = /\p{Script=Latin}/u.test(word) && otherScripts.test(word);
		return isMixed || styled.test(word) || looksLatin.test(word);
	});
}

/** Returns a word with the code of each letter that isn't ASCII. */
export function spelledOut(word: string): string {
	return Array.from(word, letter =>
		letter <= '\u007F'
			? letter
			: `${letter}⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
	).join('');
}
