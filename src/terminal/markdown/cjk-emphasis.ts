/** A letter or punctuation of Chinese, Japanese or Korean, which puts no blanks between words. */
const cjk =
	/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303F\u30FB\u30FC\uFE10-\uFE1F\uFE30-\uFE6F\uFF00-\uFFEF]/u;
/** What CommonMark calls punctuation. */
const punctuation = /[\p{P}\p{S}]/u;

let lastMasked = '';
let lastMask = '';

/**
 * Returns the text in which the end of a style with stars is searched. CommonMark (0.31.2, 6.2) tells beginnings from ends by
 * blanks and punctuation beside the stars, so that neither `**「語」**です` nor `**語(go)**는` would be bold. Beside CJK,
 * punctuation counts as a letter here: a letter of the same length stands for it.
 */
export function emphasisMask(masked: string): string {
	if (masked !== lastMasked) {
		lastMasked = masked;
		lastMask = cjk.test(masked) ? maskPunctuation(masked) : masked;
	}

	return lastMask;
}

/** Returns what stands before stars that may begin a style: '' where CJK on either side lets them begin one. */
export function emphasisBefore(source: string, before: string): string {
	const after = /^\*+([\s\S])/.exec(source)?.[1] ?? '';
	const begins = cjk.test(before) || (cjk.test(after) && punctuation.test(after));
	return begins && !/\s/.test(after) ? '' : before;
}

function maskPunctuation(text: string): string {
	return text.replace(/([^*]?)(\*+)(?=([^*]?))/gu, (whole, before: string, stars: string, after: string) => {
		const isBesideCjk = cjk.test(before) || cjk.test(after);
		const isEnd = before.length === 1 && punctuation.test(before) && isBesideCjk && !/[\\+]/.test(before);
		return isEnd ? `a${stars}` : whole;
	});
}
