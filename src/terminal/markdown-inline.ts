import type {MarkedToken} from 'marked';
import {hyperlink, plainText} from './ansi.ts';
import {lexInline} from './markdown-lexer.ts';
import type {MarkdownOptions} from './markdown-options.ts';
import {safeText} from './safe-text.ts';

const longestUrl = 2048;
const namedEntities: Readonly<Record<string, string>> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
	nbsp: '\u00A0',
	copy: '©',
	reg: '®',
	trade: '™',
	hellip: '…',
	ndash: '–',
	mdash: '—',
	lsquo: '‘',
	rsquo: '’',
	ldquo: '“',
	rdquo: '”',
	larr: '←',
	rarr: '→',
	uarr: '↑',
	darr: '↓',
	bull: '•',
	middot: '·',
	times: '×',
};

/** What inline styles, links and character references begin with. Most text has none of it, and needs no lexer. */
const special = /[\\`*_~[<&:@]|www\./i;

/** Styles the text of a block; line breaks of the source are kept as LF, for `wrapLine` to break at. */
export function renderInline(text: string, options: MarkdownOptions): string {
	if (!special.test(text)) {
		return joinLines(text);
	}

	return renderTokens(lexInline(text), options);
}

function renderTokens(tokens: readonly MarkedToken[], options: MarkdownOptions): string {
	return tokens.map(token => renderToken(token, options)).join('');
}

function renderToken(token: MarkedToken, options: MarkdownOptions): string {
	const {palette} = options;
	switch (token.type) {
		case 'strong':
			return palette.strong(children(token, options));
		case 'em':
			return palette.emphasis(children(token, options));
		case 'del':
			return palette.strikethrough(children(token, options));
		case 'codespan':
			return palette.code(safeText(token.text));
		case 'br':
			return '\n';
		case 'link':
			return renderLink(children(token, options), token.href, options);
		case 'image':
			return renderLink(decodeEntities(token.text) || 'image', token.href, options);
		case 'html':
			return /^<br ?\/?>$/i.test(token.raw) ? '\n' : safeText(token.raw);
		case 'escape':
			return safeText(token.text);
		case 'text':
			// Not `text`: the lexer has decoded control characters in there.
			return decodeEntities(joinLines(token.raw));
		default:
			return safeText(token.raw);
	}
}

/** Spaces beside a line break mean nothing. */
function joinLines(text: string): string {
	return text.replace(/[ \t]*\n[ \t]*/g, '\n');
}

function children(token: {readonly tokens?: readonly unknown[]}, options: MarkdownOptions): string {
	return renderTokens((token.tokens ?? []) as readonly MarkedToken[], options);
}

/**
 * A link as its text and its address; the address is left out only where it is the text. It can be clicked where the
 * terminal may be told of links (`options.links`) and the address is one that may be opened (SAFETY 3).
 */
function renderLink(text: string, href: string, {palette, links}: MarkdownOptions): string {
	const decoded = decodeEntities(href);
	const url = checkedUrl(decoded);
	const target = links ? url : undefined;
	const clickable = (part: string) => (target ? hyperlink(part, target) : part);
	const address = url ?? decoded;
	const shown = clickable(palette.link(text));
	return text && bare(plainText(text)) === bare(address)
		? shown
		: `${text ? `${shown} ` : ''}${palette.dim(`(${clickable(address)})`)}`;
}

function bare(address: string): string {
	return address.replace(/^(?:https?:\/\/|mailto:)/, '').replace(/\/$/, '');
}

/** The address in its canonical form, in ASCII; undefined unless it is a web page or a mail address. */
function checkedUrl(href: string): string | undefined {
	if (href.length > longestUrl || !URL.canParse(href)) {
		return undefined;
	}

	const {href: url, protocol} = new URL(href);
	const known = protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:';
	return known && /^[!-~]+$/.test(url) ? url : undefined;
}

/** Decodes common character references; what they give is untrusted text like any other. */
function decodeEntities(text: string): string {
	const decoded = text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,6}));/g, (raw, decimal, hex, name) => {
		if (name) {
			return namedEntities[name] ?? raw;
		}

		const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
		return code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : raw;
	});
	return safeText(decoded);
}
