import type {MarkedToken, Token, Tokens} from 'marked';
import {decodeEntities} from '../../terminal/markdown/markdown-inline.ts';
import {lexBlocks, lexInline} from '../../terminal/markdown/markdown-lexer.ts';
import {collectReferences, noReferences, type References} from '../../terminal/markdown/markdown-options.ts';

/**
 * Returns Markdown as HTML that loads and runs nothing: HTML in it is shown as text, images are links, and links lead to web
 * and mail addresses only.
 */
export function markdownHtml(markdown: string): string {
	const tokens = lexBlocks(markdown);
	const references = noReferences();
	for (const token of tokens) {
		if (token.type === 'paragraph') {
			collectReferences(token.text, references);
		}
	}

	return blocks(tokens, references);
}

function blocks(tokens: readonly Token[], references: References): string {
	return (tokens as readonly MarkedToken[]).map(token => block(token, references)).join('\n');
}

function block(token: MarkedToken, references: References): string {
	switch (token.type) {
		case 'heading':
			// The headings of messages are not those of the page.
			return `<p class="h h${token.depth}">${inline(token.text, references)}</p>`;
		case 'paragraph':
			return `<p>${inline(token.text, references)}</p>`;
		case 'text':
			return inline(token.text, references);
		case 'code':
			return codeBlock(token.text, token.lang);
		case 'blockquote':
			return `<blockquote>${blocks(token.tokens, references)}</blockquote>`;
		case 'list':
			return list(token, references);
		case 'table':
			return table(token, references);
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

function list({ordered, start, items}: Tokens.List, references: References): string {
	const entries = items.map(({task, checked, tokens}) => {
		const box = task ? `${checked ? '☑' : '☐'} ` : '';
		return `<li>${box}${blocks(
			tokens.filter(({type}) => type !== 'checkbox'),
			references,
		)}</li>`;
	});
	const first = typeof start === 'number' && start !== 1 ? ` start="${start}"` : '';
	return ordered ? `<ol${first}>${entries.join('')}</ol>` : `<ul>${entries.join('')}</ul>`;
}

function table({header, rows}: Tokens.Table, references: References): string {
	const row = (cells: readonly Tokens.TableCell[], tag: 'td' | 'th') =>
		`<tr>${cells.map(({text, align}) => `<${tag}${align ? ` class="${align}"` : ''}>${inline(text, references)}</${tag}>`).join('')}</tr>`;
	const body = rows.map(cells => row(cells, 'td')).join('');
	return `<div class="wide"><table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table></div>`;
}

function inline(text: string, references: References): string {
	return pieces(lexInline(text, references));
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
			return link(decodeEntities(token.href), pieces(token.tokens));
		case 'image':
			return link(decodeEntities(token.href), `[Image${token.text ? `: ${decoded(token.text)}` : ''}]`);
		case 'text':
			return token.tokens ? pieces(token.tokens) : decoded(token.raw);
		case 'html':
			return /^<br ?\/?>$/i.test(token.raw) ? '<br>' : escapeHtml(token.raw);
		case 'escape':
			return escapeHtml(token.text);
		default:
			return escapeHtml(token.raw);
	}
}

/** Returns text for HTML with the characters that its references stand for, as the terminal shows it. */
function decoded(text: string): string {
	return escapeHtml(decodeEntities(text));
}

/** Returns a link; only its text if the address is of another kind, such as one that runs a script. */
function link(href: string, shown: string): string {
	return /^(?:https?:\/\/|mailto:)/i.test(href)
		? `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${shown}</a>`
		: shown;
}

/** Returns text for HTML, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
