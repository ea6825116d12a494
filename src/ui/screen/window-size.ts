import type {Size} from '../../store/view-slice.ts';

type Output = {readonly columns?: number; readonly rows?: number};

/** The part of `process.stdout` that the screen uses. */
export type ScreenOutput = Output & {
	readonly write: (data: string) => unknown;
	readonly isTTY?: boolean;
	readonly on?: (event: string, listener: () => void) => unknown;
	readonly off?: (event: string, listener: () => void) => unknown;
};

const minSize = {columns: 20, rows: 5};
const defaultSize = {columns: 80, rows: 24};

/** Returns the size of the terminal, or the default one if it is unknown. */
export function sizeOf(output: Output): Size {
	return {columns: output.columns || defaultSize.columns, rows: output.rows || defaultSize.rows};
}

/** Returns the size to draw for, which is at least the minimum. */
export function drawnSizeOf(output: Output): Size {
	const {columns, rows} = sizeOf(output);
	return {columns: Math.max(minSize.columns, columns), rows: Math.max(minSize.rows, rows)};
}

/** Returns true if the window is smaller than the minimum, so that rows would be cut. */
export function isTooSmall(output: Output): boolean {
	const {columns, rows} = sizeOf(output);
	return columns < minSize.columns || rows < minSize.rows;
}
