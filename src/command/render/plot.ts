import {formatMeasure} from '../../core/format.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, padEnd, truncate} from '../../terminal/text/width.ts';

/** Numbers to draw: a bar for each label, or a curve through points in order. Both may be empty. */
export type Plot =
	| {
			readonly shape: 'bars';
			readonly bars: readonly Bar[];
			/** The label of the bar that is what the others leave. */
			readonly rest?: string;
	  }
	| {readonly shape: 'curve'; readonly points: readonly Point[]};

export type Bar = readonly [label: string, value: number];

/** The roles that bars are drawn in: those of values, and one of a rest that is not used, such as `Free`. */
type Roles = Pick<Palette, 'accent' | 'dim'>;

const plain: Roles = {accent: text => text, dim: text => text};
export type Point = readonly [x: number, y: number];

const mostBars = 20;
const widestLabel = 24;
/** The most cells of a drawing, whatever the width of the window. */
const widest = 60;
const narrowest = 8;
const curveRows = 8;
/** With more points, they are so close that they need no line between them. */
const mostJoined = 2000;
const nothing = 'Nothing to draw.';

/**
 * Draws numbers with block and braille characters, in lines of at most `width` cells, in linear time. Labels are made safe
 * here. Numbers that aren't finite have no bar and no point.
 */
export function drawPlot(plot: Plot, width: number, roles: Roles = plain): readonly string[] {
	const lines = plot.shape === 'bars' ? drawBars(plot, width, roles) : drawCurve(plot.points, width);
	return lines.map(line => truncate(line.trimEnd(), width));
}

/** Returns the same numbers in words, for users who hear them. */
export function sayPlot(plot: Plot): readonly string[] {
	if (plot.shape === 'bars') {
		const more = plot.bars.length - mostBars;
		return plot.bars.length === 0
			? [nothing]
			: [
					...plot.bars.slice(0, mostBars).map(([label, value]) => `${safeLine(label)}: ${formatMeasure(value)}`),
					...(more > 0 ? [`and ${more} more`] : []),
				];
	}

	const points = plot.points.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
	const [first] = points;
	const last = points.at(-1);
	if (!first || !last) {
		return [nothing];
	}

	const [lowest, highest] = extentOf(points.map(([, y]) => y));
	const at = ([x, y]: Point) => `${formatMeasure(y)} at ${formatMeasure(x)}`;
	const extremes = `lowest ${formatMeasure(lowest)}, highest ${formatMeasure(highest)}`;
	return [`${points.length} points, from ${at(first)} to ${at(last)}; ${extremes}`];
}

function drawBars({bars: all, rest}: Extract<Plot, {shape: 'bars'}>, width: number, roles: Roles): readonly string[] {
	const bars = all.slice(0, mostBars).map(([label, value]) => ({
		role: label === rest ? roles.dim : roles.accent,
		label: truncate(safeLine(label), Math.min(widestLabel, Math.floor(width / 3))),
		said: formatMeasure(value),
		value,
	}));
	const labels = Math.max(0, ...bars.map(({label}) => lineWidth(label)));
	const numbers = Math.max(0, ...bars.map(({said}) => said.length));
	const room = Math.max(0, Math.min(widest, width - labels - numbers - 4));
	const largest = Math.max(0, ...bars.map(({value}) => value).filter(Number.isFinite));
	const more = all.length - bars.length;
	return [
		...bars.map(
			({label, said, value, role}) =>
				`${padEnd(label, labels)}  ${said.padStart(numbers)}  ${role(bar(value / largest, room).trimEnd())}`,
		),
		...(more > 0 ? [`and ${more} more`] : []),
		...(all.length === 0 ? [nothing] : []),
	];
}

/** Returns a share of the width in eighths of a cell, at least one if it isn't zero. */
function bar(share: number, room: number): string {
	const eighths = share > 0 && share <= 1 ? Math.max(1, Math.round(share * room * 8)) : 0;
	return room === 0 ? '' : '█'.repeat(Math.floor(eighths / 8)) + (' ▏▎▍▌▋▊▉'[eighths % 8] ?? '');
}

function drawCurve(all: readonly Point[], width: number): readonly string[] {
	const points = all.filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
	if (points.length === 0) {
		return [nothing];
	}

	const [left, right] = extentOf(points.map(([x]) => x));
	const [bottom, top] = extentOf(points.map(([, y]) => y));
	const [high, low] = [formatMeasure(top), formatMeasure(bottom)];
	const labels = Math.max(high.length, low.length);
	const columns = Math.min(widest, width - labels - 2);
	if (columns < narrowest) {
		return ['Too narrow to draw.'];
	}

	const rows = dotsOf(points, {columns, left, right, bottom, top}).map((row, index) => {
		const label = index === 0 ? high : index === curveRows - 1 ? low : '';
		return `${label.padStart(labels)} ${label ? '┤' : '│'}${row}`;
	});
	const [first, last] = [formatMeasure(left), formatMeasure(right)];
	const indent = ' '.repeat(labels + 1);
	return [
		...rows,
		`${indent}└${'─'.repeat(columns)}`,
		`${indent} ${first}${last.padStart(Math.max(last.length + 1, columns - first.length))}`,
	];
}

type Frame = Readonly<Record<'columns' | 'left' | 'right' | 'bottom' | 'top', number>>;

/** The bits of the dots in a braille character, by column and row (Unicode block Braille Patterns). */
const dotBits = [
	[0x01, 0x02, 0x04, 0x40],
	[0x08, 0x10, 0x20, 0x80],
] as const;

function dotsOf(points: readonly Point[], {columns, left, right, bottom, top}: Frame): readonly string[] {
	const cells = Array.from({length: curveRows}, () => new Uint8Array(columns));
	const dot = (x: number, y: number) => {
		const row = cells[y >> 2];
		const column = x >> 1;
		if (row) {
			row[column] = (row[column] ?? 0) | (dotBits[x & 1]?.[y & 3] ?? 0);
		}
	};

	let [fromX, fromY] = [-1, -1];
	for (const [x, y] of points) {
		const toX = Math.round(shareOf(x, left, right) * (columns * 2 - 1));
		const toY = Math.round((1 - shareOf(y, bottom, top)) * (curveRows * 4 - 1));
		const steps =
			fromX < 0 || points.length > mostJoined ? 1 : Math.max(Math.abs(toX - fromX), Math.abs(toY - fromY), 1);
		for (let step = 1; step <= steps; step++) {
			const back = (steps - step) / steps;
			dot(Math.round(toX + (fromX - toX) * back), Math.round(toY + (fromY - toY) * back));
		}

		[fromX, fromY] = [toX, toY];
	}

	return cells.map(row => String.fromCodePoint(...Array.from(row, bits => (bits === 0 ? 0x20 : 0x2800 + bits))));
}

/** Returns the smallest and the largest of one or more finite numbers. */
export function extentOf(values: Iterable<number>): readonly [number, number] {
	let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
	for (const value of values) {
		least = Math.min(least, value);
		greatest = Math.max(greatest, value);
	}

	return [least, greatest];
}

/** Returns the position of a number between two others, 0 to 1; the middle if they are equal. Halving prevents overflow. */
export function shareOf(value: number, least: number, greatest: number): number {
	const share = (value / 2 - least / 2) / (greatest / 2 - least / 2);
	return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0.5;
}
