import type {Palette} from './style.ts';

/** How wide something is drawn, in columns, and in which colours. */
export type DrawingStyle = {readonly width: number; readonly palette: Palette};

/** Draws what a question is about, exactly: a change of a file, a command, or a request. */
export type SubjectDrawing = {
	/** Returns what it is, on one line. */
	readonly title: (style: DrawingStyle) => string;
	/** Returns the lines that fit from `offset` on, and how many are left out. With room for all rows, nothing is. */
	readonly window: (style: DrawingStyle & {readonly rows: number; readonly offset?: number}) => {
		readonly shown: readonly string[];
		readonly leftOut: number;
	};
	/** Returns the rows that the first lines need. */
	readonly rows: (width: number, maxLines: number) => number;
};
