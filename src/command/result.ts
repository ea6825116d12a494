import type {Cell} from '../core/cell.ts';
import type {ErrorReport} from '../core/error.ts';
import type {Json} from '../core/json.ts';
import type {Recorded} from '../core/session/event.ts';
import type {HostClient} from '../link/host-client.ts';
import type {LogToFollow} from '../logs/log-to-follow.ts';
import type {AttachWish} from '../store/session-slice.ts';
import type {MarkdownOptions} from '../terminal/markdown/markdown-options.ts';
import type {QrCode} from './render/code-lines.ts';
import type {Plot} from './render/plot.ts';

/** The result of a command, as data. The app draws it, the shell prints it, `--json` prints `data`. */
export type Result =
	| {
			readonly kind: 'text';
			readonly text: string;
			readonly hint?: string;
			readonly data?: Json;
			/** True if the user closed a view, or cancelled a question, and nothing has changed: a screen prints nothing of it. */
			readonly leavesNothing?: true;
	  }
	/** One thing with named values. */
	| {
			readonly kind: 'record';
			readonly title?: string;
			readonly fields: readonly (readonly [label: string, value: string])[];
			/** One of the values as a code for a camera. */
			readonly code?: QrCode;
			readonly data: Json;
	  }
	| {
			readonly kind: 'table';
			readonly title?: string;
			readonly columns: readonly Column[];
			readonly rows: readonly (readonly Cell[])[];
			/** The heading of each row, if rows stand in groups; those of a group stand side by side. */
			readonly groups?: readonly string[];
			/** Shown instead of an empty table. */
			readonly empty: string;
			/** Lines under the table. */
			readonly notes?: readonly string[];
			/** The command that opens a row: its words, and the id of each row, which is the last word. */
			readonly opens?: {readonly words: readonly string[]; readonly ids: readonly string[]};
			readonly data: Json;
	  }
	/** Numbers as a chart, drawn to the width of the window. */
	| {readonly kind: 'plot'; readonly title: string; readonly plot: Plot; readonly data?: Json}
	/** A page of reference with its renderer, which is loaded with it. A pipe gets the Markdown. */
	| {
			readonly kind: 'page';
			readonly markdown: string;
			readonly draw: (markdown: string, options: MarkdownOptions) => readonly string[];
			readonly data: Json;
	  }
	/** Several results under each other; `data` stands for all of them. */
	| {
			readonly kind: 'group';
			readonly parts: readonly Result[];
			/** True to leave out the blank lines between the parts. */
			readonly isDense?: true;
			readonly data: Json;
			/** What a shell prints as an error below them, and exits with. */
			readonly failure?: ErrorReport;
	  }
	/** Text that is printed unchanged, such as an exported session. */
	| {
			readonly kind: 'lines';
			readonly lines: readonly string[];
			/** True if the lines have colours of their own, as logs do; a screen redraws them. */
			readonly colored?: true;
			readonly data?: Json;
			/** Printed by `--json` instead of `data`, one object a line. */
			readonly records?: readonly Json[];
	  }
	/** Something that keeps running after it was shown, until it ends or is interrupted. Only in a shell. */
	| {readonly kind: 'running'; readonly shown: Result; readonly data: Json; readonly ended: Promise<void>}
	/** Lines that are printed in batches as they arrive. Only in a shell. Throws the error that ended it. */
	| {readonly kind: 'stream'; readonly batches: AsyncIterable<readonly StreamItem[]>}
	/** Something that only a screen can show: a session, an empty screen, a followed log, or the log panel. */
	| {
			readonly kind: 'panel';
			readonly panel:
				| {readonly show: 'session'; readonly id: string}
				| {readonly show: 'replay'; readonly replay: Replay}
				/** The editor that started the program, with what the command line says for its sessions. Only in a shell. */
				| {
						readonly show: 'editor';
						readonly model: string | undefined;
						readonly trust: boolean;
						/** The host that keeps its sessions; undefined for sessions of this process. */
						readonly hosted: {readonly at: string | undefined; readonly observes: boolean} | undefined;
				  }
				/** A host of sessions, which runs until it is ended. Only in a shell. */
				| {
						readonly show: 'host';
						readonly folders: readonly string[];
						readonly listen: string;
						readonly publicUrl: string | undefined;
				  }
				/** What connects standard input and output with the host of this machine. Only in a shell. */
				| {readonly show: 'bridge'}
				/**
				 * The session of a host, in an app of its own. In a shell with the connection that it is to use: ssh may have asked for
				 * a password to open it.
				 */
				| ({readonly show: 'attach'; readonly client?: HostClient} & AttachWish)
				| {readonly show: 'clear'}
				/** The messages that wait for the agent. */
				| {readonly show: 'queue'}
				| {readonly show: 'log'; readonly log: LogToFollow}
				/** The log panel, open or collapsed, with that log in front. */
				| {readonly show: 'log-panel'; readonly isShown: boolean; readonly focus: string};
	  }
	| {readonly kind: 'quit'};

/** The result of a command whose view the user closed, or whose question they cancelled. A shell says so. */
export const unchanged = {kind: 'text', text: 'Nothing changed.', leavesNothing: true} as const satisfies Result;

/** A saved session to play, that many times faster than recorded. */
export type Replay = {readonly records: readonly Recorded[]; readonly speed: number};

/** How many times faster a session may be played. */
export const replaySpeeds = {minimum: 0.1, maximum: 100} as const;

/** An item of a stream. */
export type StreamItem = {
	/** An untrusted line, a note between two lines, the state of the stream, or a last line whose end is still to come. */
	readonly kind: 'line' | 'note' | 'state' | 'open';
	/** '' for a state that an error explains, and once no line is open. */
	readonly text: string;
	/** The same for `--json`, on one line; left out if programs don't need it. */
	readonly data?: Json;
};

export type Column = {
	readonly label: string;
	readonly align?: 'right';
	/** Left out, the last one first, if the table doesn't fit the width. */
	readonly spare?: boolean;
	/** Never cut, because a partial id is useless, or only after all spare columns are left out. */
	readonly whole?: boolean | 'beside spare';
	/** A long value loses its middle instead of its end, such as a path. */
	readonly cut?: 'middle';
};
