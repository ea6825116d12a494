import type {Level} from './levels.ts';

/** What stands between lines: where some may be missing, and where the log began anew. */
export type Mark = 'gap' | 'restarted' | 'ambiguous';

/** A line as it came, or a mark. `at` is when it arrived here, in milliseconds since the epoch. */
export type LogEntry =
	| {
			readonly kind: 'line';
			/** Counts the lines of one tail from 1, those that were dropped since among them. */
			readonly seq: number;
			readonly at: number;
			readonly text: string;
			readonly level: Level | undefined;
	  }
	/** `seq` is that of the line before it. */
	| {readonly kind: 'mark'; readonly seq: number; readonly at: number; readonly mark: Mark};

/** How a mark is drawn, on a line of its own. */
export const markText: Readonly<Record<Mark, string>> = {
	gap: '-- lines may be missing here --',
	restarted: '-- log restarted --',
	ambiguous: '-- lines may be missing or repeated here --',
};
