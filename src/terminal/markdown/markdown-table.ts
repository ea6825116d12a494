import type {Tokens} from 'marked';
import {lineWidth, padEnd} from '../text/width.ts';
import {wrapLine} from '../text/wrap.ts';
import {renderInline} from './markdown-inline.ts';
import type {MarkdownOptions} from './markdown-options.ts';

type Align = Tokens.Table['align'][number];
type Row = readonly string[];

/** A table with columns narrower than this, and narrower than their content, is not drawn as a table. */
const minColumnCells = 6;

/** The width of each column in cells; undefined if they don't fit and the table becomes a list of `name: value`. */
type ColumnWidths = readonly number[] | undefined;

/** Draws a whole table: its columns depend on all rows. */
export function renderTable(table: Tokens.Table, options: MarkdownOptions): readonly string[] {
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
