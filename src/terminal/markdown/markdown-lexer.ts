import {Lexer, type MarkedToken, Tokenizer, type Tokens} from 'marked';
import type {References} from './markdown-options.ts';
import {leastPiece} from './markdown-pieces.ts';

/** Quotes and lists deeper than this are drawn as text: nobody reads them, and each level costs stack and time. */
const deepest = 16;
/** Longer runs of text are drawn without inline styles, whose search takes more than linear time. */
const longestInline = 10_000;
/** So many UTF-16 units may be searched for the ends of emphases in one text; those that begin later are drawn as text. */
const mostSearched = 10_000;
/** A formula as LaTeX delimits it, with nothing in it that Markdown means. */
const formula = /^\\(?:\((?:[^\\\n]|\\[^)\n]){1,500}\\\)|\[(?:[^\\]|\\[^\]]){1,500}\\\])/;
/** What LaTeX means by a backslash before it, though Markdown would drop the backslash. */
const latexEscape = /^\\[\\()[\]{},;]/;

let depth = 0;
let searched = 0;
const tokenizer = createTokenizer();

/** Takes safe Markdown apart into its blocks; the `raw`s of all tokens put together are the source. */
export function lexBlocks(source: string): readonly MarkedToken[] {
	depth = 0;
	// Inline tokens are not asked for: `lexInline` makes those of the blocks that are drawn.
	return new Lexer({gfm: true, tokenizer}).blockTokens(source, []) as MarkedToken[];
}

/** Takes the text of a paragraph, heading or cell apart. */
export function lexInline(text: string, references?: References): readonly MarkedToken[] {
	if (text.length > longestInline) {
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
 * GitHub's Markdown with a few changes, so that a stream never takes back what it has drawn, and for models that write
 * LaTeX. Reference definitions are drawn as text, and links find those that stand before them. An underlined heading is
 * one short line, the header of a table shows a bar early. Backslashes of formulas stay. Nesting is limited.
 */
function createTokenizer(): Tokenizer {
	const own = new Tokenizer();
	const list = own.list.bind(own);
	const blockquote = own.blockquote.bind(own);
	const lheading = own.lheading.bind(own);
	const table = own.table.bind(own);
	const reflink = own.reflink.bind(own);
	const escaped = own.escape.bind(own);
	const emStrong = own.emStrong.bind(own);
	own.def = () => undefined;
	own.list = source => nested(() => list(source));
	own.blockquote = source => nested(() => blockquote(source));
	own.lheading = source => {
		const heading = lheading(source);
		return heading && heading.text.length < leastPiece && !heading.text.includes('\n') ? heading : undefined;
	};
	own.table = source => (/^[^\n]*\|/.test(source.slice(0, leastPiece)) ? table(source) : undefined);
	own.reflink = (source, links) => {
		const link = reflink(source, links);
		return link?.type === 'link' && source[link.raw.length] === ':' ? undefined : link;
	};
	own.emStrong = (source, masked, before = '') => {
		if (searched > mostSearched) {
			return undefined;
		}

		const token = emStrong(source, masked, before);
		// Within a word an underscore begins nothing, and nothing is searched for.
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

function nested<T>(tokenize: () => T): T | undefined {
	if (depth >= deepest) {
		return undefined;
	}

	depth++;
	try {
		return tokenize();
	} finally {
		depth--;
	}
}
