import {type Cell, cellText} from '../../core/cell.ts';
import {type CommandPlace, nameCommands} from '../../core/command-words.ts';
import {safeLine, safeText} from '../../terminal/text/safe-text.ts';
import {paint, parseSgr} from '../../terminal/text/sgr.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';
import type {Column, Result} from '../result.ts';
import {drawPlot, sayPlot} from './plot.ts';

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
	const told = (text: string) => palette.dim(safeText(nameCommands(text, place)));
	switch (result.kind) {
		case 'text':
			return [
				...(result.text || !result.hint ? wrapLine(safeText(result.text), width) : []),
				...(result.hint ? wrapLine(told(result.hint), width) : []),
			];
		case 'record':
			return [...heading(result.title, style), ...renderFields(result.fields, style)];
		case 'table':
			return [
				...heading(result.title, style),
				...(result.rows.length > 0
					? renderTable(result.columns, result.rows, style, result.groups)
					: wrapLine(told(result.empty), width)),
				...(result.notes ?? []).flatMap(note => wrapLine(told(note), width)),
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
			return linesOf(result, style).flatMap(line => wrapLine(line, width, {hard: true}));
		case 'stream':
		case 'panel':
		case 'quit':
			return [];
		default:
			return result satisfies never;
	}
}

/** Colours continue across line ends, so such lines are parsed as one text. */
function linesOf({lines, colored}: Extract<Result, {kind: 'lines'}>, {palette}: Style): readonly string[] {
	return colored && lines.length > 0 ? paint(parseSgr(lines.join('\n')), palette).split('\n') : lines.map(safeText);
}

function heading(title: string | undefined, {width, palette}: Style): readonly string[] {
	return title ? [palette.label(truncate(safeLine(title), width))] : [];
}

function renderFields(fields: readonly (readonly [string, string])[], {width, palette}: Style): readonly string[] {
	if (palette.spoken) {
		// A bar of blocks has its number behind it.
		const said = (value: string) => safeText(value.replace(/[█░]+ ?/g, ''));
		const before = (name: string) => (name === '' ? '' : `${palette.dim(`${safeLine(name)}:`)} `);
		return fields.flatMap(([name, value]) => wrapLine(before(name) + said(value), width));
	}

	const longest = Math.max(8, Math.floor(width / 3));
	const labels = fields.map(([name]) => truncate(safeLine(name), longest));
	const label = Math.max(0, ...labels.map(lineWidth));
	return fields.flatMap(([, value], index) =>
		wrapLine(safeText(value), width, {
			first: `${palette.dim(padEnd(labels[index] ?? '', label))}  `,
			rest: ' '.repeat(label + 2),
		}),
	);
}

const gap = '  ';

/**
 * Draws columns side by side, two spaces apart. If they don't fit, the last one, which usually has the longest text, is cut
 * first; the others keep at least eight cells, and numbers and `whole` columns keep their full width. Spare columns are left
 * out if the first column would be cut for them, or another one to fewer than sixteen cells. If nothing else helps, each row
 * becomes a list of its cells.
 */
function renderTable(
	columns: readonly Column[],
	rows: ReadonlyArray<readonly Cell[]>,
	style: Style,
	groups?: readonly string[],
): readonly string[] {
	const {width, palette, exact = false} = style;
	const labels = columns.map(({label}) => safeLine(label));
	const cells = rows.map(row => row.map(cell => safeLine(cellText(cell, {exact}))));
	const wanted = labels.map((label, index) =>
		cells.reduce((widest, row) => Math.max(widest, lineWidth(row[index] ?? '')), lineWidth(label)),
	);
	const spare = columns.findLastIndex(column => column.spare);
	const least = columns.map(({align, whole}, index) =>
		whole || align === 'right' || (spare >= 0 && index === 0) ? (wanted[index] ?? 0) : spare >= 0 ? 16 : 8,
	);
	const widths = shrink(wanted, least, width - gap.length * (columns.length - 1));
	if (!palette.spoken && !widths && spare >= 0) {
		return renderTable(
			columns.toSpliced(spare, 1),
			rows.map(row => row.toSpliced(spare, 1)),
			style,
			groups,
		);
	}

	if (palette.spoken || !widths) {
		return cells.flatMap((row, index) => [
			...(index > 0 ? [''] : []),
			...renderFields(
				labels.flatMap((label, column) => (row[column]?.trim() ? [[label, row[column]] as const] : [])),
				style,
			),
		]);
	}

	const draw = (row: readonly string[]) =>
		columns
			.map(({align}, index) => {
				const space = widths[index] ?? 0;
				const cell = truncate(row[index] ?? '', space);
				return align === 'right' ? ' '.repeat(Math.max(0, space - lineWidth(cell))) + cell : padEnd(cell, space);
			})
			.join(gap)
			.trimEnd();
	return [
		...(labels.some(Boolean) ? [palette.dim(draw(labels))] : []),
		...cells.flatMap((row, index) => {
			const group = groups?.[index];
			const isNew = group !== undefined && group !== groups?.[index - 1];
			return [...(isNew ? ['', palette.label(truncate(safeLine(group), width))] : []), draw(row)];
		}),
	];
}

/** Shrinks columns to their `least`, the last one first, until the sum fits. Returns undefined if it can't. */
function shrink(wanted: readonly number[], least: readonly number[], room: number): readonly number[] | undefined {
	let over = wanted.reduce((sum, width) => sum + width, 0) - room;
	const widths = wanted.toReversed().map((width, fromEnd) => {
		const taken = Math.max(0, Math.min(over, width - (least[wanted.length - 1 - fromEnd] ?? 0)));
		over -= taken;
		return width - taken;
	});
	return over <= 0 ? widths.toReversed() : undefined;
}
