import {Lexer, type MarkedToken, Tokenizer} from 'marked';

/** Quotes and lists deeper than this are drawn as text: nobody reads them, and each level costs stack and time. */
const deepest = 16;
/** Longer runs of text are drawn without inline styles, whose search takes more than linear time. */
const longestInline = 10_000;

let depth = 0;
const tokenizer = createTokenizer();

/** Takes safe Markdown apart into its blocks; the `raw`s of all tokens put together are the source. */
export function lexBlocks(source: string): readonly MarkedToken[] {
	depth = 0;
	// Inline tokens are not asked for: `lexInline` makes those of the blocks that are drawn.
	return new Lexer({gfm: true, tokenizer}).blockTokens(source, []) as MarkedToken[];
}

/** Takes the text of a paragraph, heading or cell apart. */
export function lexInline(text: string): readonly MarkedToken[] {
	if (text.length > longestInline) {
		return [{type: 'text', raw: text, text, escaped: true}];
	}

	return new Lexer({gfm: true, tokenizer}).inlineTokens(text) as MarkedToken[];
}

/**
 * GitHub's Markdown with two changes. Reference definitions are text, because a stream cannot take back what it has
 * drawn when a definition arrives. Nesting is limited.
 */
function createTokenizer(): Tokenizer {
	const own = new Tokenizer();
	const list = own.list.bind(own);
	const blockquote = own.blockquote.bind(own);
	own.def = () => undefined;
	own.list = source => nested(() => list(source));
	own.blockquote = source => nested(() => blockquote(source));
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
