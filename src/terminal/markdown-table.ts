import type {Tokens} from 'marked';
import {renderInline} from './markdown-inline.ts';
import type {MarkdownOptions} from './markdown-options.ts';
import {lineWidth, padEnd} from './width.ts';
import {wrapLine} from './wrap.ts';

type Align = Tokens.Table['align'][number];
type Row = readonly string[];

/** A column that would be narrower than this, or narrower than its content, is not worth drawing. */
const narrowest = 6;

/**
 * Cells that each column takes; undefined where columns do not fit and the table becomes a list of `name: value`.
 * A stream keeps them once a part of its table is drawn.
 */
export type ColumnWidths = readonly number[] | undefined;

/** Chooses the widths: as wide as the content, or the widest ones cut down evenly until the table fits. */
export function columnWidths(table: Tokens.Table, options: MarkdownOptions): ColumnWidths {
	const rows = [table.header, ...table.rows].map(cells => cells.map(cell => renderInline(cell.text, options)));
	const natural = table.header.map((_, column) => Math.max(1, ...rows.map(row => widest(row[column] ?? ''))));
	const room = roomOf(natural.length, options);
	let limit = Math.max(...natural);
	while (sum(natural, limit) > room && limit > 0) {
		// Each round takes the excess from the columns that are over the limit, one cell from each at least.
		const over = natural.filter(width => width >= limit).length;
		limit -= Math.max(1, Math.floor((sum(natural, limit) - room) / over));
	}

	return natural.some(width => width > limit && limit < narrowest) || limit < 1
		? undefined
		: natural.map(width => Math.min(width, limit));
}

/** Widths for a table whose further rows are not known yet: what room is left is shared out. */
export function roomyColumnWidths(table: Tokens.Table, options: MarkdownOptions): ColumnWidths {
	const widths = columnWidths(table, options) ?? [];
	const spare = roomOf(widths.length, options) - widths.reduce((total, width) => total + width, 0);
	return widths.length > 0 ? widths.map(width => width + Math.floor(spare / widths.length)) : undefined;
}

/** Draws a table, in columns that were chosen before or in the best ones. */
export function renderTable(table: Tokens.Table, options: MarkdownOptions, widths = columnWidths(table, options)) {
	const {palette} = options;
	const header = table.header.map(cell => palette.label(renderInline(cell.text, options)));
	const rows = table.rows.map(row => row.map(cell => renderInline(cell.text, options)));
	if (!widths) {
		return renderAsList(header, rows, options);
	}

	const rule = (left: string, middle: string, right: string) =>
		palette.dim(left + widths.map(width => '─'.repeat(width + 2)).join(middle) + right);
	const draw = (row: Row) => drawRow(row, widths, table.align, palette.dim('│'));
	return [rule('┌', '┬', '┐'), ...draw(header), rule('├', '┼', '┤'), ...rows.flatMap(draw), rule('└', '┴', '┘')];
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
		...(index === 0 ? [] : [rule]),
		...row.flatMap((cell, column) => wrapLine(`${header[column] ?? ''}: ${cell}`, width, {rest: '  '})),
	]);
}

/** Cells for content beside the bars and their spaces. */
function roomOf(columns: number, {width}: MarkdownOptions): number {
	return width - 3 * columns - 1;
}

function widest(cell: string): number {
	return Math.max(...cell.split('\n').map(lineWidth));
}

function sum(natural: readonly number[], limit: number): number {
	return natural.reduce((total, width) => total + Math.min(width, limit), 0);
}
