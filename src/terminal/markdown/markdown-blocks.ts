import type {MarkedToken, Tokens} from 'marked';
import {lineWidth, padEnd, textWidth} from '../text/width.ts';
import {wrapLine} from '../text/wrap.ts';
import {renderCode} from './markdown-fence.ts';
import {renderInline} from './markdown-inline.ts';
import {collectReferences, type MarkdownOptions} from './markdown-options.ts';

/** Least cells for the content of a list or quote beside its mark; with less, the mark has its own line. */
const minContentCells = 8;
const bullets = ['•', '◦', '▪'];

/** What the first block continues, if a stream has drawn its beginning. */
export type Continued =
	/** More items of a list; `next` is the number of the first. */
	| {readonly kind: 'list'; readonly next: number}
	/** The rest of a paragraph; `line` is its last line so far, styled, which may still grow. */
	| {readonly kind: 'paragraph'; readonly line: string}
	/** A paragraph directly above. */
	| {readonly kind: 'below'}
	/** The sign of who speaks, which nothing follows yet. */
	| {readonly kind: 'mark'; readonly mark: string};

/** Returns what the first block of a whole text continues. */
export function beginOf({mark}: MarkdownOptions): Continued | undefined {
	return mark ? {kind: 'mark', mark} : undefined;
}

/** Returns the line between a block and what is above it, if any. `isJoined` is true for one that continues a block. */
export function lineAbove(begun: boolean, continued: Continued | undefined, isJoined: boolean): readonly string[] {
	return continued?.kind === 'mark' ? [continued.mark.trimEnd()] : begun && !isJoined ? [''] : [];
}

/**
 * Draws blocks one blank line apart. `begun` is true if other blocks precede them; `continued` is what the first one
 * continues.
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
		const above = isMarked(token) && from?.kind === 'mark' ? [] : lineAbove(before, from, joined);
		for (const line of [...above, ...drawn]) {
			lines.push(line);
		}

		before = true;
		from = undefined;
	}

	return lines;
}

/** True for a block whose first line the sign of who speaks begins. */
function isMarked({type}: MarkedToken): boolean {
	return type === 'paragraph' || type === 'text' || type === 'heading';
}

/** True for the second half of a paragraph that the lexer cut in two, without a blank line between. */
export function isContinued(before: MarkedToken | undefined, token: MarkedToken | undefined): boolean {
	return before?.type === 'paragraph' && token?.type === 'paragraph';
}

/** Draws one block; returns no lines for an invisible one. */
function renderBlock(
	token: MarkedToken,
	options: MarkdownOptions,
	continued?: Continued,
	depth = 0,
): readonly string[] {
	const {width, palette} = options;
	const mark = continued?.kind === 'mark' ? continued.mark : '';
	switch (token.type) {
		case 'heading':
			return wrapLine(mark + palette.heading(renderInline(token.text, options), token.depth), width);
		case 'paragraph':
		case 'text':
			return renderParagraph(token, options, continued?.kind === 'paragraph' ? continued.line : '', mark);
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
			return [palette.dim(palette.spoken ? '---' : '─'.repeat(width))];
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
	mark: string,
): readonly string[] {
	// In a list with blank lines, the box of a task is a part of its text, but the item draws it.
	const [box] = token.tokens ?? [];
	const text = box?.type === 'checkbox' ? token.text.slice(box.raw.length) : token.text;
	const styled = begun + renderInline(begun && !begun.endsWith('\n') ? text.trimEnd() : text.trim(), options);
	return styled ? wrapLine(mark + styled, options.width) : [];
}

/** Returns the number of the first item. */
export function startOf(list: Tokens.List): number {
	return typeof list.start === 'number' ? list.start : 1;
}

/** Draws items of a list. An item never depends on later ones, so that finished items never change. */
export function renderItems(
	list: Tokens.List,
	items: readonly Tokens.ListItem[],
	start: number,
	options: MarkdownOptions,
	depth = 0,
): readonly string[] {
	return items.flatMap((item, index) => {
		const bullet = list.ordered ? `${start + index}.` : (bullets[Math.min(depth, 2)] ?? '');
		const isMarked = item.task && !list.ordered && !options.palette.spoken;
		const mark = `${isMarked ? '' : `${bullet} `}${item.task ? boxOf(item, options) : ''}`;
		return indented(mark, ' '.repeat(textWidth(mark)), options, inner => renderItem(item, inner, depth + 1));
	});
}

/** Returns the box of a task, in words for a screen reader. */
function boxOf({checked}: Tokens.ListItem, {palette}: MarkdownOptions): string {
	return palette.spoken ? (checked ? 'Checked: ' : 'Not checked: ') : checked ? '[x] ' : '[ ] ';
}

/** Draws an item without blank lines, except between two paragraphs. */
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
	const {quote: role, spoken} = options.palette;
	const bar = `${role('│')} `;
	return indented(spoken ? 'Quote: ' : bar, spoken ? '' : bar, options, inner =>
		renderBlocks(quote.tokens as MarkedToken[], inner),
	);
}

function indented(
	first: string,
	rest: string,
	options: MarkdownOptions,
	render: (inner: MarkdownOptions) => readonly string[],
): readonly string[] {
	const width = options.width - lineWidth(first);
	if (width < minContentCells) {
		return [...wrapLine(first.trimEnd(), options.width), ...render(options)];
	}

	const lines = render({...options, width, softWraps: false});
	const mark = (index: number) => (index === 0 ? first : rest);
	return lines.length === 0
		? [first.trimEnd()]
		: lines.map((line, index) => (line === '' ? mark(index).trimEnd() : mark(index) + line));
}

type Align = Tokens.Table['align'][number];
type Row = readonly string[];

/** A table with columns narrower than this, and narrower than their content, is not drawn as a table. */
const minColumnCells = 6;

/** The width of each column in cells; undefined if they don't fit and the table becomes a list of `name: value`. */
type ColumnWidths = readonly number[] | undefined;

/** Draws a whole table: its columns depend on all rows. */
function renderTable(table: Tokens.Table, options: MarkdownOptions): readonly string[] {
	const {palette} = options;
	const cells = cellsOf(table, options);
	const [header = [], ...rows] = cells;
	const widths = palette.spoken ? undefined : columnWidths(cells, options);
	if (!widths) {
		return renderAsList(header, rows, options);
	}

	const rule = (left: string, middle: string, right: string) =>
		palette.dim(left + widths.map(width => '─'.repeat(width + 2)).join(middle) + right);
	const draw = (row: Row) => drawRow(row, widths, table.align, palette.dim('│'));
	return [rule('┌', '┬', '┐'), ...draw(header), rule('├', '┼', '┤'), ...rows.flatMap(draw), rule('└', '┴', '┘')];
}

/** Returns the styled cells, the header's first. */
function cellsOf({header, rows}: Tokens.Table, options: MarkdownOptions): readonly Row[] {
	return [
		header.map(cell => options.palette.label(renderInline(cell.text, options))),
		...rows.map(row => row.map(cell => renderInline(cell.text, options))),
	];
}

/** Returns columns as wide as their content, or the widest ones cut to the same width, so that the table just fits. */
function columnWidths(rows: readonly Row[], options: MarkdownOptions): ColumnWidths {
	const natural = (rows[0] ?? []).map((_, column) =>
		rows.reduce((most, row) => Math.max(most, widest(row[column])), 1),
	);
	const room = roomOf(natural.length, options);
	let left = room;
	let limit = Number.POSITIVE_INFINITY;
	for (const [index, width] of natural.toSorted((one, other) => one - other).entries()) {
		const share = Math.floor(left / (natural.length - index));
		if (width > share) {
			limit = share;
			break;
		}

		left -= width;
	}

	const isTooNarrow = limit < 1 || (limit < minColumnCells && natural.some(width => width > limit));
	return isTooNarrow ? undefined : natural.map(width => Math.min(width, limit));
}

function drawRow(row: Row, widths: readonly number[], align: readonly Align[], bar: string): readonly string[] {
	const cells = widths.map((width, column) => wrapLine(row[column] ?? '', width));
	const height = Math.max(...cells.map(lines => lines.length));
	return Array.from({length: height}, (_, line) => {
		const parts = widths.map((width, column) => aligned(cells[column]?.[line] ?? '', width, align[column] ?? null));
		return `${bar} ${parts.join(` ${bar} `)} ${bar}`;
	});
}

function aligned(text: string, width: number, align: Align): string {
	const free = width - lineWidth(text);
	const left = align === 'right' ? free : align === 'center' ? Math.floor(free / 2) : 0;
	return padEnd(' '.repeat(Math.max(0, left)) + text, width);
}

function renderAsList(header: Row, rows: readonly Row[], {width, palette}: MarkdownOptions): readonly string[] {
	const rule = palette.dim('─'.repeat(Math.min(width, 12)));
	if (rows.length === 0) {
		return wrapLine(header.join(', '), width);
	}

	return rows.flatMap((row, index) => [
		...(palette.spoken ? [`Row ${index + 1} of ${rows.length}`] : index === 0 ? [] : [rule]),
		...row.flatMap((cell, column) => wrapLine(`${header[column] ?? ''}: ${cell}`, width, {rest: '  '})),
	]);
}

/** Returns the cells for content, without bars and their spaces. */
function roomOf(columns: number, {width}: MarkdownOptions): number {
	return width - 3 * columns - 1;
}

function widest(cell = ''): number {
	return Math.max(...cell.split('\n').map(lineWidth));
}
