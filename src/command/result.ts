import type {Cell} from '../core/cell.ts';
import type {Json} from '../core/json.ts';
import type {LogToFollow} from '../logs/log-to-follow.ts';
import type {MarkdownOptions} from '../terminal/markdown/markdown-options.ts';
import type {Plot} from './render/plot.ts';

/** What a command gives back: data, not drawing. The app draws it, the shell prints it, `--json` prints `data`. */
export type Result =
	| {readonly kind: 'text'; readonly text: string; readonly hint?: string; readonly data?: Json}
	/** One thing with named values. */
	| {
			readonly kind: 'record';
			readonly title?: string;
			readonly fields: readonly (readonly [label: string, value: string])[];
			readonly data: Json;
	  }
	| {
			readonly kind: 'table';
			readonly title?: string;
			readonly columns: readonly Column[];
			readonly rows: readonly (readonly Cell[])[];
			/** Said instead of a table without rows. */
			readonly empty: string;
			/** Lines under the table. */
			readonly notes?: readonly string[];
			/** The command that shows one row: its words, and the id of each row, which is put behind them. */
			readonly opens?: {readonly words: readonly string[]; readonly ids: readonly string[]};
			readonly data: Json;
	  }
	/** Numbers as a picture of text, drawn to the width that there is. */
	| {readonly kind: 'plot'; readonly title: string; readonly plot: Plot; readonly data?: Json}
	/** A page of reference. It brings its renderer, which is loaded with it; a pipe gets the Markdown. */
	| {
			readonly kind: 'page';
			readonly markdown: string;
			readonly draw: (markdown: string, options: MarkdownOptions) => readonly string[];
			readonly data: Json;
	  }
	/** Several results under each other; `data` speaks for all of them. */
	| {readonly kind: 'group'; readonly parts: readonly Result[]; readonly data: Json}
	/** Text that is printed as it is, such as an exported conversation. */
	| {
			readonly kind: 'lines';
			readonly lines: readonly string[];
			/** The lines bring colours of their own, as a log does; on a screen they are redrawn. */
			readonly colored?: true;
			readonly data?: Json;
			/** Printed by `--json` instead of `data`, an object a line. */
			readonly records?: readonly Json[];
	  }
	/** Something that goes on after it was shown, in a shell alone, until it is interrupted or ends by itself. */
	| {readonly kind: 'running'; readonly shown: Result; readonly data: Json; readonly ended: Promise<void>}
	/** Lines that are printed as they come, in a shell alone, in batches. It throws what it ended with. */
	| {readonly kind: 'stream'; readonly batches: AsyncIterable<readonly StreamItem[]>}
	/** Something that only a screen can show: a session, resumed or new; the wiped screen; a log as it grows; their dock. */
	| {
			readonly kind: 'panel';
			readonly panel:
				| {readonly show: 'session'; readonly id: string}
				| {readonly show: 'clear'}
				| {readonly show: 'log'; readonly log: LogToFollow}
				/** The dock of logs, whole or its title alone, with that log in front. */
				| {readonly show: 'dock'; readonly isShown: boolean; readonly focus: string};
	  }
	| {readonly kind: 'quit'};

/** What comes in a stream. */
export type StreamItem = {
	/** A line as it came, untrusted; what is said between two lines; how the stream is doing. */
	readonly kind: 'line' | 'note' | 'state';
	/** Of a state it is '' where an error says it all. */
	readonly text: string;
	/** The same for `--json`, on one line; nothing for what a program need not know. */
	readonly data?: Json;
};

export type Column = {
	readonly label: string;
	readonly align?: 'right';
	/** Left out, the last one first, where the table does not fit the width otherwise. */
	readonly spare?: boolean;
	/** Never cut: an id that is not whole is of no use. */
	readonly whole?: boolean;
};
