import type {StateCreator} from 'zustand/vanilla';

/** A log that is watched, in small facts. Times are milliseconds since the epoch. */
export type Watch = {
	/** By which it is stopped; counts from 1. */
	readonly number: number;
	/** What it looks for, as the person typed it. */
	readonly condition: string;
	/** UUID of the environment. */
	readonly environment: string;
	/** Origin of its server, and the profile whose login is used there. */
	readonly server: string;
	readonly profile: string;
	/** Milliseconds between two reports, at least. */
	readonly every: number;
	/** What the agent is asked when something was found; without it the person is told. */
	readonly ask: string | undefined;
	/** Most turns of the agent in an hour. */
	readonly perHour: number;
	readonly startedAt: number;
	/** How many lines were found, as far as they were reported. */
	readonly found: number;
	/** When the agent was asked last, newest last; only the last hour counts. */
	readonly turns: readonly number[];
	/** What the tail of the log is doing, in words. */
	readonly state: string;
};

/** How long a turn counts, in milliseconds: most turns are so many in an hour. */
const turnWindow = 3_600_000;

/** The turns of the agent that count by now, which is in milliseconds since the epoch. */
export function recentTurns({turns}: Pick<Watch, 'turns'>, now: number): readonly number[] {
	return turns.filter(at => at > now - turnWindow);
}

/** Until when a watch may not ask, since its turns are used up; undefined where it may. Milliseconds since the epoch. */
export function heldUntil(watch: Pick<Watch, 'ask' | 'perHour' | 'turns'>, now: number): number | undefined {
	const turns = watch.ask === undefined ? [] : recentTurns(watch, now);
	const first = turns.at(-watch.perHour);
	return turns.length < watch.perHour || first === undefined ? undefined : first + turnWindow;
}

/** A sandbox that was made here and has an end. */
export type Sandbox = {
	/** UUID of the environment. */
	readonly environment: string;
	/** Origin of its server. */
	readonly server: string;
	/** What it runs; untrusted. */
	readonly task: string;
	/** Milliseconds since the epoch. */
	readonly expiresAt: number;
};

export type WatchSlice = {
	/** The watches that are on, in the order in which they began. */
	readonly watches: readonly Watch[];
	/** The sandboxes that go on, the next one to end first. */
	readonly sandboxes: readonly Sandbox[];
	/** What was told last also to one who looks elsewhere; a new object each time. Holds nothing from outside. */
	readonly alert: {readonly text: string} | undefined;

	addWatch: (watch: Watch) => void;
	changeWatch: (number: number, change: Partial<Watch>) => void;
	removeWatch: (number: number) => void;
	setSandboxes: (sandboxes: readonly Sandbox[]) => void;
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
