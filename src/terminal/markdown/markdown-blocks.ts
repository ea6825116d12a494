import type {MarkedToken, Tokens} from 'marked';
import {lineWidth, textWidth} from '../text/width.ts';
import {wrapLine} from '../text/wrap.ts';
import {renderCode} from './markdown-fence.ts';
import {renderInline} from './markdown-inline.ts';
import {collectReferences, type MarkdownOptions} from './markdown-options.ts';
import {renderTable} from './markdown-table.ts';

/** Cells that the content of a list or a quote needs beside its mark; with less, the mark stands on its own. */
const leastRoom = 8;
const bullets = ['•', '◦', '▪'];

/** What a block goes on from, when a stream has drawn its beginning before. */
export type Continued =
	/** Further items of a list; the number that the next one has. */
	| {readonly kind: 'list'; readonly next: number}
	/** The rest of a paragraph; its last line so far, styled, which may still grow. */
	| {readonly kind: 'paragraph'; readonly line: string}
	/** A paragraph right above. */
	| {readonly kind: 'below'};

/**
 * Draws blocks one blank line apart. `begun` is true where other blocks stand before them, `continued` what the first
 * of them goes on from.
 */
export function renderBlocks(
	tokens: readonly MarkedToken[],
	options: MarkdownOptions,
	begun = false,
	continued?: Continued,
): readonly string[] {
	const lines: string[] = [];
	let before = begun;
	let from = continued;
	for (const [index, token] of tokens.entries()) {
		if (options.references && token.type === 'paragraph' && from?.kind !== 'paragraph') {
			collectReferences(token.text, options.references);
		}

		const drawn = renderBlock(token, options, from);
		if (drawn.length === 0) {
			continue;
		}

		const joined =
			from?.kind === 'list' ? token.type === 'list' : from !== undefined || isContinued(tokens[index - 1], token);
		if (before && !joined) {
			lines.push('');
		}

		for (const line of drawn) {
			lines.push(line);
		}

		before = true;
		from = undefined;
	}

	return lines;
}

/** True for a paragraph that the lexer cut in two, without a blank line between. */
export function isContinued(before: MarkedToken | undefined, token: MarkedToken | undefined): boolean {
	return before?.type === 'paragraph' && token?.type === 'paragraph';
}

/** Draws one block; no lines for one that draws nothing. */
function renderBlock(
	token: MarkedToken,
	options: MarkdownOptions,
	continued?: Continued,
	depth = 0,
): readonly string[] {
	const {width, palette} = options;
	switch (token.type) {
		case 'heading':
			return wrapLine(palette.heading(renderInline(token.text, options), token.depth), width);
		case 'paragraph':
		case 'text':
			return renderParagraph(token, options, continued?.kind === 'paragraph' ? continued.line : '');
		case 'code':
			return renderCode(token.raw, token.text, options);
		case 'blockquote':
			return renderQuote(token, options);
		case 'list':
			return renderItems(
				token,
				token.items,
				continued?.kind === 'list' ? continued.next : startOf(token),
				options,
				depth,
			);
		case 'table':
			return renderTable(token, options);
		case 'hr':
			return [palette.dim('─'.repeat(width))];
		case 'html':
			return wrapLine(token.raw.trim(), width);
		default:
			return [];
	}
}

function renderParagraph(
	token: Tokens.Paragraph | Tokens.Text,
	options: MarkdownOptions,
	begun: string,
): readonly string[] {
	// In a list with blank lines, the box of a task is a part of its text; the item has drawn it.
	const [box] = token.tokens ?? [];
	const text = box?.type === 'checkbox' ? token.text.slice(box.raw.length) : token.text;
	const styled = begun + renderInline(begun ? text.trimEnd() : text.trim(), options);
	return styled ? wrapLine(styled, options.width) : [];
}

/** The number of the first item. */
export function startOf(list: Tokens.List): number {
	return typeof list.start === 'number' ? list.start : 1;
}

/** Draws items of a list. An item looks the same whatever comes after it, so that finished items never change. */
export function renderItems(
	list: Tokens.List,
	items: readonly Tokens.ListItem[],
	start: number,
	options: MarkdownOptions,
	depth = 0,
): readonly string[] {
	return items.flatMap((item, index) => {
		const bullet = list.ordered ? `${start + index}.` : (bullets[Math.min(depth, 2)] ?? '');
		const mark = item.task ? `${bullet} ${item.checked ? '[x]' : '[ ]'} ` : `${bullet} `;
		return indented(mark, ' '.repeat(textWidth(mark)), options, inner => renderItem(item, inner, depth + 1));
	});
}

/** An item's blocks stand close; only two paragraphs are kept apart. */
function renderItem(item: Tokens.ListItem, options: MarkdownOptions, depth: number): readonly string[] {
	let lines: readonly string[] = [];
	let afterText = false;
	for (const token of item.tokens as MarkedToken[]) {
		const drawn = renderBlock(token, options, undefined, depth);
		if (drawn.length > 0) {
			const isText = token.type === 'text' || token?.type === 'paragraph';
			lines = [...lines, ...(isText && afterText ? [''] : []), ...drawn];
			afterText = isText;
		}
	}

	return lines;
}

function renderQuote(quote: Tokens.Blockquote, options: MarkdownOptions): readonly string[] {
	const bar = `${options.palette.quote('│')} `;
	return indented(bar, bar, options, inner => renderBlocks(quote.tokens as MarkedToken[], inner));
}

function indented(
	first: string,
	rest: string,
	options: MarkdownOptions,
	render: (inner: MarkdownOptions) => readonly string[],
): readonly string[] {
	const width = options.width - lineWidth(first);
	if (width < leastRoom) {
		return [...wrapLine(first.trimEnd(), options.width), ...render(options)];
	}

	const lines = render({...options, width});
	const mark = (index: number) => (index === 0 ? first : rest);
	return lines.length === 0
		? [first.trimEnd()]
		: lines.map((line, index) => (line === '' ? mark(index).trimEnd() : mark(index) + line));
}
