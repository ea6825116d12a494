import type {StateCreator} from 'zustand/vanilla';
import type {TailState} from '../logs/tail-state.ts';

/** A log that is open. Its lines are kept outside of the store. */
export type OpenLog = {
	/** UUID of the environment. */
	readonly environment: string;
	/** Origin of its server. */
	readonly server: string;
	/** Untrusted. */
	readonly title: string;
	/** Index of its color, which stays the same when others are closed. */
	readonly hue: number;
	/** Milliseconds since the epoch. */
	readonly openedAt: number;
	readonly state: TailState;
	/** The number of lines so far, including those that were dropped. */
	readonly lines: number;
	readonly droppedLines: number;
	/** The number of places where lines may be missing. */
	readonly gaps: number;
	/** The number of lines that arrived while the log was not visible. */
	readonly unread: number;
};

/** The name for all logs together. */
export const allLogs = '*';

const panelRows = {least: 3, initial: 7, most: 12} as const;

export type LogsSlice = {
	/** In the order in which they were opened. */
	readonly logs: readonly OpenLog[];
	/** The environment of the log in front; `allLogs` for all of them together, '' for none. */
	readonly logFocus: string;
	/** The log panel under the transcript. `rows` includes its title. */
	readonly logPanel: {readonly isShown: boolean; readonly rows: number};
	/** Increases whenever a log has more to show, and while a state counts seconds. */
	readonly logVersion: number;

	/** Adds a log, brings it to the front and shows the log panel. */
	addLog: (log: Omit<OpenLog, 'hue'>) => void;
	removeLog: (environment: string) => void;
	/** Changes some logs, by environment. */
	updateLogs: (changes: ReadonlyMap<string, Partial<OpenLog>>) => void;
	focusLog: (environment: string) => void;
	/** Brings another log to the front, so many places away, wrapping around. All logs together are one more place. */
	cycleLog: (steps: number) => void;
	showLogPanel: (isShown: boolean) => void;
	resizeLogPanel: (rows: number) => void;
};

export const createLogsSlice: StateCreator<LogsSlice> = set => ({
	logs: [],
	logFocus: '',
	logPanel: {isShown: true, rows: panelRows.initial},
	logVersion: 0,

	addLog(log) {
		set(({logs, logPanel}) => ({
			logs: [...logs, {...log, hue: freeHue(logs)}],
			logFocus: log.environment,
			logPanel: {...logPanel, isShown: true},
		}));
	},
	removeLog(environment) {
		set(({logs, logFocus}) => {
			const left = logs.filter(log => log.environment !== environment);
			const isGone = logFocus === environment || (logFocus === allLogs && left.length < 2);
			return {logs: left, logFocus: isGone ? (left.at(-1)?.environment ?? '') : logFocus};
		});
	},
	updateLogs(changes) {
		set(({logs, logVersion}) => ({
			logs: changes.size === 0 ? logs : logs.map(log => ({...log, ...changes.get(log.environment)})),
			logVersion: logVersion + 1,
		}));
	},
	focusLog(logFocus) {
		set({logFocus});
	},
	cycleLog(steps) {
		set(({logs, logFocus}) => {
			const places = logPlaces(logs);
			const at = Math.max(0, places.indexOf(logFocus));
			return {logFocus: places.at((at + steps) % Math.max(1, places.length)) ?? ''};
		});
	},
	showLogPanel(isShown) {
		set(({logPanel}) => ({logPanel: {...logPanel, isShown}}));
	},
	resizeLogPanel(rows) {
		set(({logPanel}) => ({
			logPanel: {isShown: true, rows: Math.max(panelRows.least, Math.min(panelRows.most, logPanel.rows + rows))},
		}));
	},
});

/** Returns what can be in front: each log, and all of them together if there are several. */
export function logPlaces(logs: readonly OpenLog[]): readonly string[] {
	const environments = logs.map(({environment}) => environment);
	return environments.length > 1 ? [...environments, allLogs] : environments;
}

function freeHue(logs: readonly OpenLog[]): number {
	const taken = new Set(logs.map(({hue}) => hue));
	let hue = 0;
	while (taken.has(hue)) {
		hue++;
	}

	return hue;
}
