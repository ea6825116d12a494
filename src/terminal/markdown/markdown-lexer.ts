import {Lexer, type MarkedToken, Tokenizer, type Tokens} from 'marked';
import type {References} from './markdown-options.ts';
import {minPieceLength} from './markdown-pieces.ts';

/** Deeper quotes and lists are drawn as text: they are unreadable, and each level costs stack and time. */
const maxDepth = 16;
/** Longer runs of text are drawn without inline styles, whose search takes more than linear time. */
const maxInlineLength = 10_000;
/** Most UTF-16 units of one text that are searched for the ends of emphasis; later emphasis is drawn as text. */
const maxSearched = 10_000;
/** A formula as LaTeX delimits it, without anything that Markdown uses. */
const formula = /^\\(?:\((?:[^\\\n]|\\[^)\n]){1,500}\\\)|\[(?:[^\\]|\\[^\]]){1,500}\\\])/;
/** A formula between dollars; not two prices. */
const dollars = /\$\$[^$\n]{1,500}\$\$|\$(?![\s$])[^$\n]{0,199}[^\s$\\]\$(?![\w$])/g;
/** A backslash with a meaning in LaTeX, which Markdown would drop. */
const latexEscape = /^\\[\\()[\]{},;]/;

let depth = 0;
let searched = 0;
const tokenizer = createTokenizer();

/** Lexes safe Markdown into blocks; the `raw`s of all tokens put together are the source. */
export function lexBlocks(source: string): readonly MarkedToken[] {
	depth = 0;
	// Only blocks; `lexInline` lexes the text of blocks that are drawn.
	return new Lexer({gfm: true, tokenizer}).blockTokens(source, []) as MarkedToken[];
}

/** Lexes the text of a paragraph, heading or cell. */
export function lexInline(text: string, references?: References): readonly MarkedToken[] {
	if (text.length > maxInlineLength) {
		return [{type: 'text', raw: text, text, escaped: true}];
	}

	searched = 0;
	const lexer = new Lexer({gfm: true, tokenizer});
	if (references) {
		lexer.tokens.links = references as Record<string, {href: string; title: string}>;
	}

	return lexer.inlineTokens(text) as MarkedToken[];
}

/**
 * Changes GitHub's Markdown in a few ways, so that a stream never takes back what it has drawn, and for models that
 * write LaTeX. Reference definitions are drawn as text, and links find only earlier ones. An underlined heading is one
 * short line, the header of a table has an early bar. Stars begin and end a style beside Chinese, Japanese and Korean, too. Formulas stay as they are, and so does `H~2~O`: only two tildes
 * strike. Nesting is limited.
 */
function createTokenizer(): Tokenizer {
	const own = new Tokenizer();
	const list = own.list.bind(own);
	const blockquote = own.blockquote.bind(own);
	const lheading = own.lheading.bind(own);
	const table = own.table.bind(own);
	const reflink = own.reflink.bind(own);
	const escaped = own.escape.bind(own);
	const del = own.del.bind(own);
	const inlineText = own.inlineText.bind(own);
	const emStrong = own.emStrong.bind(own);
	own.def = () => undefined;
	own.del = (source, ...rest) => (source.startsWith('~~') ? del(source, ...rest) : undefined);
	own.inlineText = source => withFormula(inlineText(source), source);
	own.list = source => nested(() => list(source));
	own.blockquote = source => nested(() => blockquote(source));
	own.lheading = source => {
		const heading = lheading(source);
		return heading && heading.text.length < minPieceLength && !heading.text.includes('\n') ? heading : undefined;
	};
	own.table = source => (/^[^\n]*\|/.test(source.slice(0, minPieceLength)) ? table(source) : undefined);
	own.reflink = (source, links) => {
		const link = reflink(source, links);
		return link?.type === 'link' && source[link.raw.length] === ':' ? undefined : link;
	};
	own.emStrong = (source, masked, before = '') => {
		if (searched > maxSearched) {
			return undefined;
		}

		const isStar = source.startsWith('*');
		const token = isStar
			? emStrong(source, emphasisMask(masked), emphasisBefore(source, before))
			: emStrong(source, masked, before);
		// An underscore within a word begins nothing, so nothing is searched.
		const isInWord = source.startsWith('_') && /[\p{L}\p{N}]$/u.test(before);
		searched += token ? token.raw.length : isInWord ? 0 : source.length;
		return token;
	};
	own.escape = source => {
		const [raw] = formula.exec(source) ?? latexEscape.exec(source) ?? [];
		return raw ? ({type: 'escape', raw, text: raw} satisfies Tokens.Escape) : escaped(source);
	};
	return own;
}

/** Returns a text up to the end of a formula that begins in it, so that nothing in the formula is a style. */
function withFormula(token: Tokens.Text | undefined, source: string): Tokens.Text | undefined {
	const at = token?.raw.indexOf('$') ?? -1;
	if (!token || at === -1) {
		return token;
	}

	dollars.lastIndex = at;
	const match = dollars.exec(source.slice(0, at + 1000));
	const isBegun = match !== null && match.index < token.raw.length;
	const raw = isBegun ? source.slice(0, match.index + match[0].length) : token.raw;
	return raw.length > token.raw.length ? {...token, raw, text: raw} : token;
}

function nested<T>(tokenize: () => T): T | undefined {
	if (depth >= maxDepth) {
		return undefined;
	}

	depth++;
	try {
		return tokenize();
	} finally {
		depth--;
	}
}

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
function emphasisMask(masked: string): string {
	if (masked !== lastMasked) {
		lastMasked = masked;
		lastMask = cjk.test(masked) ? maskPunctuation(masked) : masked;
	}

	return lastMask;
}

/** Returns what stands before stars that may begin a style: '' where CJK on either side lets them begin one. */
function emphasisBefore(source: string, before: string): string {
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
