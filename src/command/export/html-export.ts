import type {MarkedToken, Token, Tokens} from 'marked';
import {cutLine} from '../../core/cut-text.ts';
import {formatAmount, formatDuration} from '../../core/format.ts';
import type {RecordedOutput} from '../../core/output/recorded-output.ts';
import {hideStyled, readStyles} from '../../core/output/text-styles.ts';
import {redactKnown} from '../../core/secrets/redact.ts';
import type {Block} from '../../core/session/block.ts';
import {callText} from '../../core/session/call-words.ts';
import {restoreText} from '../../core/session/changes.ts';
import {blocksOf, type Transcript} from '../../core/session/transcript.ts';
import {plainCopy} from '../../terminal/clipboard.ts';
import {decodeEntities} from '../../terminal/markdown/markdown-inline.ts';
import {lexBlocks, lexInline} from '../../terminal/markdown/markdown-lexer.ts';
import {collectReferences, noReferences, type References} from '../../terminal/markdown/markdown-options.ts';
import {applySgr, plain} from '../../terminal/text/sgr.ts';

/** Facts below the title: a label and its value. */
type Facts = ReadonlyArray<readonly [label: string, value: string]>;

/**
 * Returns the conversation as one HTML page that needs nothing else: no script, no request, light and dark. Everything in it
 * is escaped, and known credentials are hidden.
 */
export function toHtml(transcript: Transcript, facts: Facts): string {
	const title = safe(transcript.title.replace(/\s+/g, ' ').trim() || `Session ${transcript.session.slice(0, 8)}`);
	const list = facts.map(([label, value]) => `<dt>${safe(label)}</dt><dd>${safe(value)}</dd>`).join('');
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>
${pageStyle}
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<dl>${list}</dl>
${sections(blocksOf(transcript))}
</main>
</body>
</html>
`;
}

/** Returns untrusted text for HTML, without credentials and control characters. */
function safe(text: string): string {
	return escapeHtml(plainText(text));
}

const plainText = (text: string) => redactKnown(plainCopy(text));

function sections(blocks: readonly Block[]): string {
	return blocks.map(section).filter(Boolean).join('\n');
}

function section(block: Block): string {
	switch (block.kind) {
		case 'user':
			return `<section class="user"><h2>You</h2><p class="typed">${safe(block.text)}</p></section>`;
		case 'text':
			return (
				block.text.trim() &&
				`<section><h2>${safe(block.model || 'Agent')}</h2>${markdownHtml(plainText(block.text))}</section>`
			);
		case 'reasoning':
			return block.text.trim() && folded('reasoning', 'Thought', markdownHtml(plainText(block.text)));
		case 'tool':
			return folded(`tool ${block.status}`, toolTitle(block), toolBody(block));
		case 'command':
			return folded(
				`tool ${block.status}`,
				`! ${cutLine(block.command, maxTitle)} · ${block.end || block.status}`,
				codeBlock(plainText(block.command), 'sh') + outputBlock(block, plainText),
			);
		case 'attachment':
			return folded('attachment', `Attached: ${block.name}`, codeBlock(plainText(block.text)));
		case 'notice':
		case 'end':
			return block.text && `<p class="notice">${safe(block.text)}</p>`;
		case 'restore':
			return `<p class="notice">${safe(restoreText(block))}</p>`;
		case 'compaction':
			return folded('compaction', 'Conversation compacted', markdownHtml(plainText(block.summary)));
		default:
			return block satisfies never;
	}
}

/** Most characters of a title. */
const maxTitle = 160;

function folded(kind: string, title: string, body: string): string {
	return `<details class="${kind}"><summary>${safe(title)}</summary>${body}</details>`;
}

type Tool = Extract<Block, {kind: 'tool'}>;

function toolTitle({name, arguments: args, words, status, milliseconds}: Tool): string {
	const took = milliseconds === undefined ? [] : [formatDuration(milliseconds)];
	return [cutLine(callText(name, args, words), maxTitle), status, ...took].join(' · ');
}

function toolBody(block: Tool): string {
	const {arguments: args, change, output, images = [], task} = block;
	const {command} = args;
	const input = change
		? diff(plainText(change.diff))
		: typeof command === 'string'
			? codeBlock(plainText(command), 'sh')
			: codeBlock(plainText(JSON.stringify(args, undefined, 2)), 'json');
	return [
		input,
		task ? `<div class="task">${sections([...task.settled, ...task.open])}</div>` : '',
		output ? outputBlock(block, plainText) : '',
		images.length > 0 ? `<p class="notice">${formatAmount(images.length, 'image')}</p>` : '',
	].join('');
}

function diff(text: string): string {
	const lines = text.split('\n').map(line => {
		const kind = line.startsWith('+') ? 'ins' : line.startsWith('-') ? 'del' : 'span';
		return `<${kind}>${escapeHtml(line)}</${kind}>`;
	});
	return `<div class="code"><pre class="diff"><code>${lines.join('\n')}</code></pre></div>`;
}

/** The style of an exported page. */
export const pageStyle = `:root { color-scheme: light dark; --text: #1f2328; --dim: #59636e; --back: #fff; --code: #f4f5f7; --line: #d5dae0; --accent: #0550ae; --bad: #b3261e; --added: #dafbe1; --removed: #ffebe9;
  --c0: #1f2328; --c1: #b3261e; --c2: #116329; --c3: #7d4e00; --c4: #0550ae; --c5: #6639ba; --c6: #0b5f66; --c7: #59636e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --dim: #9aa4af; --back: #14181d; --code: #1d232a; --line: #363d46; --accent: #79b8ff; --bad: #ff8f87; --added: #173a22; --removed: #4a1f1e;
  --c0: #9aa4af; --c1: #ff8f87; --c2: #7ee787; --c3: #e3b341; --c4: #79b8ff; --c5: #d2a8ff; --c6: #76e3ea; --c7: #e6edf3; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1rem 4rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; }
h2 { font-size: .8rem; margin: 0 0 .25rem; color: var(--dim); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; color: var(--dim); font-size: .875rem; }
dd { margin: 0; }
section { margin: 1.5rem 0; unicode-bidi: isolate; }
.user { border-left: 3px solid var(--accent); padding-left: 1rem; }
.typed { white-space: pre-wrap; margin: 0; }
.h { font-weight: 700; }
.h1, .h2 { font-size: 1.15rem; }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: 6px; padding: .25rem .75rem; font-size: .875rem; }
summary { cursor: pointer; color: var(--dim); font-family: ui-monospace, monospace; unicode-bidi: isolate; }
.failed > summary, .interrupted > summary { color: var(--bad); }
.task { padding-left: 1rem; }
.notice { color: var(--dim); font-style: italic; }
.code { position: relative; margin: .5rem 0; }
.lang { position: absolute; right: .5rem; top: .15rem; font-size: .7rem; color: var(--dim); user-select: none; }
pre { margin: 0; padding: .75rem; background: var(--code); border-radius: 6px; overflow-x: auto; max-height: 40rem; unicode-bidi: isolate; }
code { font: .875em/1.45 ui-monospace, monospace; }
p code, li code, td code { background: var(--code); border-radius: 4px; padding: .1em .3em; }
.diff ins, .diff del { text-decoration: none; display: inline-block; min-width: 100%; }
.diff ins { background: var(--added); }
.diff del { background: var(--removed); }
.bold { font-weight: 700; } .dim { color: var(--dim); } .italic { font-style: italic; } .underline { text-decoration: underline; } .strikethrough { text-decoration: line-through; }
.f0 { color: var(--c0); } .g0 { color: var(--back); background: var(--c0); }
.f1 { color: var(--c1); } .g1 { color: var(--back); background: var(--c1); }
.f2 { color: var(--c2); } .g2 { color: var(--back); background: var(--c2); }
.f3 { color: var(--c3); } .g3 { color: var(--back); background: var(--c3); }
.f4 { color: var(--c4); } .g4 { color: var(--back); background: var(--c4); }
.f5 { color: var(--c5); } .g5 { color: var(--back); background: var(--c5); }
.f6 { color: var(--c6); } .g6 { color: var(--back); background: var(--c6); }
.f7 { color: var(--c7); } .g7 { color: var(--back); background: var(--c7); }
a { color: var(--accent); }
blockquote { margin: .5rem 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--dim); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .5rem; text-align: left; }
.right { text-align: right; }
.center { text-align: center; }`;

/**
 * Returns an output of a command for HTML, with its colours as classes of the page's style. `hide` makes the text safe,
 * line by line.
 */
export function outputBlock({output, styles}: RecordedOutput, hide: (text: string) => string): string {
	const {text, styles: ranges} = hideStyled({text: output, styles: readStyles(styles)}, hide);
	const parts: string[] = [];
	let at = 0;
	for (const {start, end, codes} of ranges) {
		const part = escapeHtml(text.slice(start, end));
		const classes = classesOf(codes);
		parts.push(escapeHtml(text.slice(at, start)), classes ? `<span class="${classes}">${part}</span>` : part);
		at = end;
	}

	return `<div class="code"><pre><code>${parts.join('')}${escapeHtml(text.slice(at))}</code></pre></div>`;
}

/** A bright colour is as its ordinary one. On a background, text is in the colour of the page, so that it can be read. */
function classesOf(codes: string): string {
	const {color, background, inverse, ...attributes} = applySgr(plain, codes);
	const behind = inverse ? (color ?? 'text') : background;
	const hue = (index: number | 'text') => (index === 'text' ? 7 : index % 8);
	return [
		behind === undefined ? color !== undefined && `f${hue(color)}` : `g${hue(behind)}`,
		...Object.entries(attributes).map(([name, isOn]) => isOn && name),
	]
		.filter(Boolean)
		.join(' ');
}

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
function codeBlock(code: string, language = ''): string {
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
function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`);
}
