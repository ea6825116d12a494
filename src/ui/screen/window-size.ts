type Output = {readonly columns?: number; readonly rows?: number};

/** What is needed of `process.stdout`. */
export type ScreenOutput = Output & {
	readonly write: (data: string) => unknown;
	readonly isTTY?: boolean;
	readonly on?: (event: string, listener: () => void) => unknown;
	readonly off?: (event: string, listener: () => void) => unknown;
};

const smallest = {columns: 20, rows: 5};
const usual = {columns: 80, rows: 24};

/** The size that the terminal says, or the usual one. */
export function sizeOf(output: Output): {readonly columns: number; readonly rows: number} {
	return {columns: output.columns || usual.columns, rows: output.rows || usual.rows};
}

/** The size that is drawn for, which is never less than the smallest. */
export function drawnSizeOf(output: Output): {readonly columns: number; readonly rows: number} {
	const {columns, rows} = sizeOf(output);
	return {columns: Math.max(smallest.columns, columns), rows: Math.max(smallest.rows, rows)};
}

/** True where rows of the smallest size would be cut. */
export function isTooSmall(output: Output): boolean {
	const {columns, rows} = sizeOf(output);
	return columns < smallest.columns || rows < smallest.rows;
}
