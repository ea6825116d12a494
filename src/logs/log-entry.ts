import type {Level} from './levels.ts';

/** A note between lines: lines may be missing there, or the log restarted. */
export type Mark = 'gap' | 'restarted' | 'ambiguous';

/** A line as it was received, or a mark. `at` is when it arrived, in milliseconds since the epoch. */
export type LogEntry =
	| {
			readonly kind: 'line';
			/** Counts the lines of one tail from 1, including those that were dropped later. */
			readonly seq: number;
			readonly at: number;
			readonly text: string;
			readonly level: Level | undefined;
	  }
	/** `seq` is the number of the line before it. */
	| {readonly kind: 'mark'; readonly seq: number; readonly at: number; readonly mark: Mark};

/** Stands behind a last line whose end is still to come. */
export const openMark = ' ⋯ open';

/** Text of a mark, drawn on a line of its own. */
export const markText: Readonly<Record<Mark, string>> = {
	gap: '-- lines may be missing here --',
	restarted: '-- log restarted --',
	ambiguous: '-- lines may be missing or repeated here --',
};
