import type {IBufferCell, Terminal} from '@xterm/headless';

/** Cells of a row that stand side by side and look the same. */
export type Run = {
	readonly text: string;
	/** The first cell, from 0, and the number of cells. */
	readonly column: number;
	readonly width: number;
	/** One of the terminal's 16 colors; undefined for the default. */
	readonly color: number | undefined;
	readonly isBold: boolean;
	readonly isDim: boolean;
	readonly isItalic: boolean;
	readonly isUnderlined: boolean;
	/** True for text in the colour of the window on its own. */
	readonly isInverse: boolean;
};

type Style = Omit<Run, 'text' | 'column' | 'width'>;

/** Arrows, signs and the like. They may come from another font, so each is a run of its own. */
const symbol = /[\u2100-\u24FF\u25A0-\u2BFF]/;

/** Returns the runs of each row of the window. Throws if a cell has a style that the picture can't show. */
export function windowRuns({buffer: {active}, rows, cols}: Terminal): readonly (readonly Run[])[] {
	return Array.from({length: rows}, (_, row) => {
		const line = active.getLine(active.baseY + row);
		const runs: Run[] = [];
		for (let column = 0; column < cols; column++) {
			const cell = line?.getCell(column);
			// The second cell of a wide character has no width.
			if (cell && cell.getWidth() > 0) {
				append(runs, cell, column);
			}
		}

		return runs.flatMap(trimmed);
	});
}

function append(runs: Run[], cell: IBufferCell, column: number): void {
	const text = cell.getChars() || ' ';
	const width = cell.getWidth();
	const last = runs.at(-1);
	const style = text === ' ' && last ? last : styleOf(cell);
	if (last && isSame(last, style) && !symbol.test(text) && !symbol.test(last.text)) {
		runs[runs.length - 1] = {...last, text: last.text + text, width: last.width + width};
	} else {
		runs.push({...style, text, column, width});
	}
}

function styleOf(cell: IBufferCell): Style {
	const color = cell.isFgDefault() ? undefined : cell.getFgColor();
	if (!cell.isBgDefault() || cell.isFgRGB() || (color ?? 0) > 15) {
		throw new Error(`The picture can't show the style of “${cell.getChars()}”.`);
	}

	return {
		color,
		isBold: cell.isBold() !== 0,
		isDim: cell.isDim() !== 0,
		isItalic: cell.isItalic() !== 0,
		isUnderlined: cell.isUnderline() !== 0,
		isInverse: cell.isInverse() !== 0,
	};
}

function isSame(one: Style, other: Style): boolean {
	return (
		one.color === other.color &&
		one.isBold === other.isBold &&
		one.isDim === other.isDim &&
		one.isItalic === other.isItalic &&
		one.isUnderlined === other.isUnderlined &&
		one.isInverse === other.isInverse
	);
}

/** Returns the run without spaces at its ends, or nothing if it has nothing else. */
function trimmed(run: Run): readonly Run[] {
	const text = run.text.trim();
	const before = run.text.length - run.text.trimStart().length;
	const after = run.text.length - run.text.trimEnd().length;
	return text === '' ? [] : [{...run, text, column: run.column + before, width: run.width - before - after}];
}
