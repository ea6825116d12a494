import type {MarkedToken, Token, Tokens} from 'marked';
import {lexBlocks, lexInline} from '../../terminal/markdown/markdown-lexer.ts';
import {escapeHtml} from './html-text.ts';

/**
 * Returns Markdown as HTML that loads and runs nothing: HTML in it is shown as text, images are links, and links lead to web
 * and mail addresses only.
 */
export function markdownHtml(markdown: string): string {
	return blocks(lexBlocks(markdown));
}

function blocks(tokens: readonly Token[]): string {
	return (tokens as readonly MarkedToken[]).map(block).join('\n');
}

function block(token: MarkedToken): string {
	switch (token.type) {
		case 'heading':
			// The headings of messages are not those of the page.
			return `<p class="h h${token.depth}">${inline(token.text)}</p>`;
		case 'paragraph':
			return `<p>${inline(token.text)}</p>`;
		case 'text':
			return inline(token.text);
		case 'code':
			return codeBlock(token.text, token.lang);
		case 'blockquote':
			return `<blockquote>${blocks(token.tokens)}</blockquote>`;
		case 'list':
			return list(token);
		case 'table':
			return table(token);
		case 'hr':
			return '<hr>';
		case 'space':
		case 'def':
			return '';
		default:
			return `<p>${escapeHtml(token.raw)}</p>`;
	}
}

/** Returns a block of code; `language` is untrusted. */
export function codeBlock(code: string, language = ''): string {
	const name = /^[^\s{,]{0,40}/.exec(language)?.[0] ?? '';
	const label = name ? `<span class="lang">${escapeHtml(name)}</span>` : '';
	return `<div class="code">${label}<pre><code>${escapeHtml(code)}</code></pre></div>`;
}

function list({ordered, start, items}: Tokens.List): string {
	const entries = items.map(({task, checked, tokens}) => {
		const box = task ? `${checked ? '☑' : '☐'} ` : '';
		return `<li>${box}${blocks(tokens.filter(({type}) => type !== 'checkbox'))}</li>`;
	});
	const first = typeof start === 'number' && start !== 1 ? ` start="${start}"` : '';
	return ordered ? `<ol${first}>${entries.join('')}</ol>` : `<ul>${entries.join('')}</ul>`;
}

function table({header, rows}: Tokens.Table): string {
	const row = (cells: readonly Tokens.TableCell[], tag: 'td' | 'th') =>
		`<tr>${cells.map(({text, align}) => `<${tag}${align ? ` class="${align}"` : ''}>${inline(text)}</${tag}>`).join('')}</tr>`;
	const body = rows.map(cells => row(cells, 'td')).join('');
	return `<div class="wide"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>`;
}

function inline(text: string): string {
	return pieces(lexInline(text));
}

function pieces(tokens: readonly Token[]): string {
	return (tokens as readonly MarkedToken[]).map(piece).join('');
}

function piece(token: MarkedToken): string {
	switch (token.type) {
		case 'strong':
			return `<strong>${pieces(token.tokens)}</strong>`;
		case 'em':
			return `<em>${pieces(token.tokens)}</em>`;
		case 'del':
			return `<del>${pieces(token.tokens)}</del>`;
		case 'codespan':
			return `<code>${escapeHtml(token.text)}</code>`;
		case 'br':
			return '<br>';
		case 'link':
			return link(token.href, pieces(token.tokens));
		case 'image':
			return link(token.href, `[Image${token.text ? `: ${escapeHtml(token.text)}` : ''}]`);
		case 'text':
			return token.tokens ? pieces(token.tokens) : escapeHtml(token.text);
		case 'escape':
			return escapeHtml(token.text);
		default:
			return escapeHtml(token.raw);
	}
}

/** Returns a link; only its text if the address is of another kind, such as one that runs a script. */
function link(href: string, shown: string): string {
	return /^(?:https?:\/\/|mailto:)/i.test(href)
		? `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${shown}</a>`
		: shown;
}
