import type {StateCreator} from 'zustand/vanilla';

/** A log that is watched. Times are milliseconds since the epoch. */
export type Watch = {
	/** Identifies the watch to the user; counts from 1. */
	readonly number: number;
	/** The condition as the user typed it. */
	readonly condition: string;
	/** UUID of the environment. */
	readonly environment: string;
	/** Origin of its server, and the profile whose login is used there. */
	readonly server: string;
	readonly profile: string;
	/** The least number of milliseconds between two reports. */
	readonly every: number;
	/** What to ask the agent about lines that were found; undefined to tell the user instead. */
	readonly ask: string | undefined;
	/** The session in which the user allowed it: it asks the agent there alone. */
	readonly session: string;
	/** True while its session isn't bound to where its model is, so that it can't ask. */
	readonly isPaused?: boolean;
	/** The most turns of the agent in an hour. */
	readonly perHour: number;
	readonly startedAt: number;
	/** The number of lines that were found and reported. */
	readonly found: number;
	/** When the agent was asked, newest last; only the last hour counts. */
	readonly turns: readonly number[];
	/** The state of the log's tail, for the user. */
	readonly state: string;
};

/** How long a turn counts against `perHour`. */
const turnWindowMs = 3_600_000;

/** Returns the turns of the agent that still count at `now`, in milliseconds since the epoch. */
export function recentTurns({turns}: Pick<Watch, 'turns'>, now: number): readonly number[] {
	return turns.filter(at => at > now - turnWindowMs);
}

/** Returns the time until which a watch has no turns left, in milliseconds since the epoch; undefined if it may ask. */
export function heldUntil(watch: Pick<Watch, 'ask' | 'perHour' | 'turns'>, now: number): number | undefined {
	const turns = watch.ask === undefined ? [] : recentTurns(watch, now);
	const first = turns.at(-watch.perHour);
	return turns.length < watch.perHour || first === undefined ? undefined : first + turnWindowMs;
}

/** A sandbox that was created here and expires. */
export type WatchedSandbox = {
	/** UUID of the environment. */
	readonly environment: string;
	/** Origin of its server. */
	readonly server: string;
	/** The task that it runs; untrusted. */
	readonly task: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
};

export type WatchSlice = {
	/** The active watches, in the order in which they started. */
	readonly watches: readonly Watch[];
	/** The running sandboxes, the next one to expire first. */
	readonly sandboxes: readonly WatchedSandbox[];
	/** The last alert, a new object each time. Its text holds nothing from outside. */
	readonly alert: {readonly text: string} | undefined;

	addWatch: (watch: Watch) => void;
	changeWatch: (number: number, change: Partial<Watch>) => void;
	removeWatch: (number: number) => void;
	setSandboxes: (sandboxes: readonly WatchedSandbox[]) => void;
	setAlert: (text: string) => void;
};

export const createWatchSlice: StateCreator<WatchSlice> = set => ({
	watches: [],
	sandboxes: [],
	alert: undefined,

	addWatch(watch) {
		set(({watches}) => ({watches: [...watches, watch]}));
	},
	changeWatch(number, change) {
		set(({watches}) => ({watches: watches.map(watch => (watch.number === number ? {...watch, ...change} : watch))}));
	},
	removeWatch(number) {
		set(({watches}) => ({watches: watches.filter(watch => watch.number !== number)}));
	},
	setSandboxes(sandboxes) {
		set({sandboxes: sandboxes.toSorted((one, other) => one.expiresAt - other.expiresAt)});
	},
	setAlert(text) {
		set({alert: {text}});
	},
});
