import type {CommandPlace} from '../../core/command-words.ts';
import {lastState} from '../../logs/line-state.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import {paint, parseSgr} from '../../terminal/text/sgr.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import type {Result} from '../result.ts';
import {codeLines} from './code-lines.ts';
import {hintLines} from './hint-lines.ts';
import {drawPlot, sayPlot} from './plot.ts';
import {drawRow, fitColumns, rowsOf, sharedCell, type TableRow} from './table-layout.ts';

type Style = {
	readonly width: number;
	readonly palette: Palette;
	/** Where the user reads it; the app by default. */
	readonly place?: CommandPlace;
	/** True for full times instead of ages. */
	readonly exact?: boolean;
};

/** Returns a result as lines of at most `width` cells, the same in the app and in a shell. Makes data safe (SAFETY 1). */
export function renderResult(result: Result, style: Style): readonly string[] {
	const {width, palette, place = 'app'} = style;
	const told = (text: string) => hintLines(text, {width, palette, place});
	switch (result.kind) {
		case 'text':
			return [
				...(result.text || !result.hint ? wrapLine(safeText(result.text), width) : []),
				...(result.hint ? told(result.hint) : []),
			];
		case 'record':
			return [
				...heading(result.title, style),
				...renderFields(result.fields, style),
				...(result.code ? codeLines(result.code, width, palette) : []),
			];
		case 'table':
			return [
				...heading(result.title, style),
				...(result.rows.length > 0 ? renderTable(result, style) : told(result.empty)),
				...(result.notes ?? []).flatMap(told),
			];
		case 'plot':
			return [
				...heading(result.title, style),
				...(palette.spoken ? sayPlot(result.plot) : drawPlot(result.plot, width, palette)),
			];
		case 'page':
			return result.draw(result.markdown, {width: Math.max(width, 8), palette});
		case 'group':
			return result.parts.flatMap((part, index) => [
				...(index > 0 && !result.isDense ? [''] : []),
				...renderResult(part, style),
			]);
		case 'running':
			return renderResult(result.shown, style);
		case 'lines':
			// A terminal breaks the lines of a shell, which are copied whole.
			return place === 'shell'
				? linesOf(result, style)
				: linesOf(result, style).flatMap(line => wrapLine(line, width, {hard: true}));
		case 'stream':
		case 'panel':
		case 'quit':
			return [];
		default:
			return result satisfies never;
	}
}

/** Colours continue across line ends, so such lines are parsed as one text, each in its last state. */
function linesOf({lines, colored}: Extract<Result, {kind: 'lines'}>, {palette}: Style): readonly string[] {
	return colored && lines.length > 0
		? paint(parseSgr(lines.map(lastState).join('\n')), palette).split('\n')
		: lines.map(safeText);
}

function heading(title: string | undefined, {width, palette}: Style): readonly string[] {
	return title ? [palette.label(truncate(safeLine(title), width))] : [];
}

const wordsOfSigns: Readonly<Record<string, string>> = {'✓': 'OK', '✗': 'Fault', '·': 'Note', '→': 'Fix'};

/** Returns a text with a word for the sign that begins a line. */
function withWords(text: string): string {
	return text.replace(/^[✓✗·→](?= )/gm, sign => `${wordsOfSigns[sign]}:`);
}

function renderFields(fields: readonly (readonly [string, string])[], {width, palette}: Style): readonly string[] {
	if (palette.spoken) {
		// A bar of blocks has its number behind it.
		const said = (value: string) => safeText(withWords(value.replace(/[█░]+ ?/g, '')));
		const before = (name: string) => (name === '' ? '' : `${palette.dim(`${safeLine(withWords(name))}:`)} `);
		return fields.flatMap(([name, value]) => wrapLine(before(name) + said(value), width));
	}

	const longest = Math.max(8, Math.floor(width / 3), Math.min(24, Math.floor(width / 2) - 2));
	const labels = fields.map(([name]) => truncate(safeLine(name), longest));
	const label = Math.max(0, ...labels.map(lineWidth));
	return fields.flatMap(([, value], index) =>
		wrapLine(safeText(value), width, {
			first: `${palette.dim(padEnd(labels[index] ?? '', label))}  `,
			rest: ' '.repeat(label + 2),
		}),
	);
}

type Records = {readonly columns: Extract<Result, {kind: 'table'}>['columns']; readonly rows: readonly TableRow[]};

/** Draws each row as a list of its cells below its group. To a screen reader, a row of two cells in a group is one line. */
function renderRecords({columns, rows}: Records, style: Style): readonly string[] {
	const isListed = style.palette.spoken && columns.length === 2 && rows.some(({group}) => group !== undefined);
	return rows.flatMap(({cells, group}, index) => {
		const heading = headingOf(group, rows[index - 1], style);
		const isApart = index > 0 && (!isListed || heading.length > 0);
		const [name = '', value = ''] = cells;
		const fields = columns.flatMap(({label}, column) =>
			cells[column]?.trim() ? [[safeLine(label), cells[column]] as const] : [],
		);
		return [...(isApart ? [''] : []), ...heading, ...renderFields(isListed ? [[name, value]] : fields, style)];
	});
}

/** Returns the heading of a group above its first row. */
function headingOf(
	group: string | undefined,
	before: TableRow | undefined,
	{width, palette}: Style,
): readonly string[] {
	return group === undefined || group === before?.group ? [] : [palette.label(truncate(safeLine(group), width))];
}

/**
 * Draws columns side by side as `fitColumns` chooses them, and names those that it leaves out, with what is the same in all
 * rows. If nothing fits, and for a screen reader, each row becomes a list of its cells.
 */
function renderTable({columns, rows, groups}: Extract<Result, {kind: 'table'}>, style: Style): readonly string[] {
	const {width, palette, exact = false, place} = style;
	const drawn = rowsOf({rows, ...(groups && {groups})}, exact);
	const fit = palette.spoken ? undefined : fitColumns(columns, drawn, width);
	if (!fit) {
		return renderRecords({columns, rows: drawn}, style);
	}

	const {dropped} = fit;
	const labels = columns.map(({label}) => safeLine(label));
	const left = dropped.map(column => {
		const shared = sharedCell(drawn, column);
		return shared === undefined ? labels[column] : `${labels[column]} (all ${truncate(shared, 40)})`;
	});
	const rest = `Widen the window to see: ${left.join(', ')}${place === 'shell' ? ' (--json has all)' : ''}`;
	return [
		...(labels.some(Boolean) ? [palette.dim(drawRow(labels, columns, fit))] : []),
		...drawn.flatMap(({cells, group}, index) => [
			...headingOf(group, drawn[index - 1], style).flatMap(line => ['', line]),
			drawRow(cells, columns, fit),
		]),
		...(dropped.length > 0 ? wrapLine(palette.dim(rest), width) : []),
	];
}
