import type {StateCreator} from 'zustand/vanilla';
import type {TailState} from '../logs/tail-state.ts';

/** A log that is followed, in small facts; its lines are kept outside of the store. */
export type OpenLog = {
	/** UUID of the environment. */
	readonly environment: string;
	/** Origin of its server. */
	readonly server: string;
	/** What it is called; untrusted. */
	readonly title: string;
	/** Its place among the colours, which stays when others are closed. */
	readonly hue: number;
	/** Milliseconds since the epoch. */
	readonly openedAt: number;
	readonly state: TailState;
	/** How many lines came so far, those that were dropped since among them. */
	readonly lines: number;
	readonly droppedLines: number;
	/** How often lines may be missing. */
	readonly gaps: number;
	/** How many lines came while nobody saw them. */
	readonly unread: number;
};

/** Stands for all logs together, where one is named. */
export const allLogs = '*';

const dockRows = {least: 3, initial: 7, most: 12} as const;

export type LogsSlice = {
	/** In the order in which they were opened. */
	readonly logs: readonly OpenLog[];
	/** The environment of the log in front, `allLogs` for all of them together, '' for none. */
	readonly logFocus: string;
	/** The dock under the transcript; `rows` with its title. */
	readonly logDock: {readonly isShown: boolean; readonly rows: number};
	/** Counts up whenever a log has more to show, and while a state counts seconds. */
	readonly logVersion: number;

	/** Adds a log, in front and shown. */
	addLog: (log: Omit<OpenLog, 'hue'>) => void;
	removeLog: (environment: string) => void;
	/** Takes what is new of some logs. */
	updateLogs: (changes: ReadonlyMap<string, Partial<OpenLog>>) => void;
	focusLog: (environment: string) => void;
	/** Puts the log so many places further in front, around the end; all of them together are one place more. */
	cycleLog: (steps: number) => void;
	showLogDock: (isShown: boolean) => void;
	resizeLogDock: (rows: number) => void;
};

export const createLogsSlice: StateCreator<LogsSlice> = set => ({
	logs: [],
	logFocus: '',
	logDock: {isShown: true, rows: dockRows.initial},
	logVersion: 0,

	addLog(log) {
		set(({logs, logDock}) => ({
			logs: [...logs, {...log, hue: freeHue(logs)}],
			logFocus: log.environment,
			logDock: {...logDock, isShown: true},
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
	showLogDock(isShown) {
		set(({logDock}) => ({logDock: {...logDock, isShown}}));
	},
	resizeLogDock(rows) {
		set(({logDock}) => ({
			logDock: {isShown: true, rows: Math.max(dockRows.least, Math.min(dockRows.most, logDock.rows + rows))},
		}));
	},
});

/** What can be in front: each log, and all of them together where there are several. */
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
