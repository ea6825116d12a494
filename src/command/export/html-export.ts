import {cutLine} from '../../core/cut-text.ts';
import {formatAmount, formatDuration} from '../../core/format.ts';
import {redactKnown} from '../../core/secrets/redact.ts';
import type {Block} from '../../core/session/block.ts';
import {callText} from '../../core/session/call-words.ts';
import {restoreText} from '../../core/session/changes.ts';
import {blocksOf, type Transcript} from '../../core/session/transcript.ts';
import {plainCopy} from '../../terminal/clipboard.ts';
import {outputBlock} from './html-output.ts';
import {pageStyle} from './html-style.ts';
import {escapeHtml} from './html-text.ts';
import {codeBlock, markdownHtml} from './markdown-html.ts';

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
	return escapeHtml(plain(text));
}

const plain = (text: string) => redactKnown(plainCopy(text));

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
				`<section><h2>${safe(block.model || 'Agent')}</h2>${markdownHtml(plain(block.text))}</section>`
			);
		case 'reasoning':
			return block.text.trim() && folded('reasoning', 'Thought', markdownHtml(plain(block.text)));
		case 'tool':
			return folded(`tool ${block.status}`, toolTitle(block), toolBody(block));
		case 'command':
			return folded(
				`tool ${block.status}`,
				`! ${cutLine(block.command, maxTitle)} · ${block.end || block.status}`,
				codeBlock(plain(block.command), 'sh') + outputBlock(block, plain),
			);
		case 'attachment':
			return folded('attachment', `Attached: ${block.name}`, codeBlock(plain(block.text)));
		case 'notice':
		case 'end':
			return block.text && `<p class="notice">${safe(block.text)}</p>`;
		case 'restore':
			return `<p class="notice">${safe(restoreText(block))}</p>`;
		case 'compaction':
			return folded('compaction', 'Conversation compacted', markdownHtml(plain(block.summary)));
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
		? diff(plain(change.diff))
		: typeof command === 'string'
			? codeBlock(plain(command), 'sh')
			: codeBlock(plain(JSON.stringify(args, undefined, 2)), 'json');
	return [
		input,
		task ? `<div class="task">${sections([...task.settled, ...task.open])}</div>` : '',
		output ? outputBlock(block, plain) : '',
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
