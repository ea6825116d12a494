import type {MarkedToken} from 'marked';
import {hyperlink, plainText} from '../text/ansi.ts';
import {safeText} from '../text/safe-text.ts';
import {lexInline} from './markdown-lexer.ts';
import type {MarkdownOptions} from './markdown-options.ts';
import {isPlain, pieceEnd} from './markdown-pieces.ts';

const maxUrlLength = 2048;
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

/** Possible beginnings of a style or a link that is not closed yet, and look-alikes that are not. */
const opening = /[*_~`[<\\]/;
const inert = /\[[^[\]]*\](?![([:])|(?<=\w)_+(?=\w)|(?<=\s)(?:\*|_)(?=\s)|<(?![\w/!?])/g;

/**
 * Styles the text of a block, piece by piece. Line breaks stay LF for `wrapLine`; tabs become spaces, so that a line
 * does not depend on the column where its text began.
 */
export function renderInline(source: string, options: MarkdownOptions): string {
	const text = source.replaceAll('\t', ' ');
	if (isPlain(text)) {
		return joinLines(text);
	}

	const styled: string[] = [];
	let start = 0;
	for (let end: number | undefined = 0; end !== undefined; ) {
		end = inlinePieceEnd(text, start);
		const piece = text.slice(start, end);
		styled.push(isPlain(piece) ? joinLines(piece) : renderTokens(lexInline(piece, options.references), options));
		start = end ?? 0;
	}

	return styled.join('').replace(/ *\n */g, '\n');
}

/**
 * Returns where the piece of a paragraph that begins at `start` ends; undefined for the last or an unfinished piece.
 */
export function inlinePieceEnd(text: string, start: number): number | undefined {
	return pieceEnd(text, start, piece => lexInline(piece).every(isSettled));
}

/** True unless later text could change the meaning of the token. */
function isSettled({type, raw}: MarkedToken): boolean {
	return type === 'text' ? !opening.test(raw.replace(inert, '')) : !(type === 'escape' && /^\\[([]$/.test(raw));
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
			// Not `text`: there the lexer has decoded control characters.
			return withFootnotes(decodeEntities(joinLines(token.raw)), options);
		default:
			return safeText(token.raw);
	}
}

/** Marks the names of footnotes: `[^1]` becomes `[1]`. Their texts stay where they are, because a stream can't move them. */
function withFootnotes(text: string, {palette}: MarkdownOptions): string {
	return text.replace(/\[\^([\p{L}\p{N}_-]{1,32})\]/gu, (_, name: string) => palette.accent(`[${name}]`));
}

/** Drops spaces beside line breaks, which mean nothing. */
function joinLines(text: string): string {
	return text.replace(/[ \t]*\n[ \t]*/g, '\n');
}

function children(token: {readonly tokens?: readonly unknown[]}, options: MarkdownOptions): string {
	return renderTokens((token.tokens ?? []) as readonly MarkedToken[], options);
}

/**
 * Returns a link as its text and its URL, without the URL if that is the text. It is clickable if the terminal supports
 * hyperlinks (`options.links`) and the URL may be opened (SAFETY 3).
 */
function renderLink(text: string, href: string, {palette, links = palette.links}: MarkdownOptions): string {
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

/** Returns the URL in canonical ASCII form; undefined unless it is a web page or a mail address. */
function checkedUrl(href: string): string | undefined {
	if (href.length > maxUrlLength || !URL.canParse(href)) {
		return undefined;
	}

	const {href: url, protocol} = new URL(href);
	const known = protocol === 'https:' || protocol === 'http:' || protocol === 'mailto:';
	return known && /^[!-~]+$/.test(url) ? url : undefined;
}

/** Decodes common character references. The result is safe to draw, and untrusted like any text. */
export function decodeEntities(text: string): string {
	const decoded = text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,6}));/g, (raw, decimal, hex, name) => {
		if (name) {
			return namedEntities[name] ?? raw;
		}

		const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
		return code >= 0x20 && code <= 0x10ffff ? String.fromCodePoint(code) : raw;
	});
	return safeText(decoded);
}
