import {setTimeout as sleep} from 'node:timers/promises';
import {replaySpeeds} from '../../command/result.ts';
import type {Recorded} from '../../core/session/event.ts';

/** Plays records at their recorded pace. */
export type Player = {
	/** Resolves once everything is played, or after `stop`. */
	readonly play: () => Promise<void>;
	readonly togglePause: () => void;
	/** Multiplies the speed, within its limits. */
	readonly changeSpeed: (factor: number) => void;
	readonly stop: () => void;
	readonly state: () => {readonly speed: number; readonly isPaused: boolean; readonly played: number};
};

type Options = {
	readonly records: readonly Recorded[];
	/** How many times faster than recorded. */
	readonly speed: number;
	readonly apply: (records: readonly Recorded[]) => void;
	/** Returns milliseconds on a monotonic clock. */
	readonly now: () => number;
	/** Waits until the time is over or the signal aborts; never throws. */
	readonly wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
};

/** A longer gap between two records is cut to this. */
const maxGapMs = 2000;
/** Records within this time are applied together. */
const frameMs = 16;
/** Longest wait of a paused player between two looks. */
const pausedMs = 60_000;

/** Creates a player. Nothing is played before `play`. */
export function createPlayer({records, speed: given, apply, now, wait = waitFor}: Options): Player {
	let speed = clamp(given);
	let isPaused = false;
	let isStopped = false;
	let played = 0;
	let change = new AbortController();
	const changed = () => {
		change.abort();
		change = new AbortController();
	};

	/** Waits for a recorded time, which passes faster or not at all as the user wants. */
	const pass = async (milliseconds: number) => {
		let left = milliseconds;
		while (!isStopped && (left > 0 || isPaused)) {
			const [since, pace, resting] = [now(), speed, isPaused];
			await wait(resting ? pausedMs : left / pace, change.signal);
			left -= resting ? 0 : (now() - since) * pace;
		}
	};

	return {
		async play() {
			let waited = 0;
			while (played < records.length && !isStopped) {
				waited += gapBefore(records, played);
				if (waited >= frameMs * speed || isPaused) {
					await pass(waited);
					waited = 0;
				}

				if (!isStopped) {
					const record = records[played++];
					apply(record ? [record] : []);
				}
			}
		},
		togglePause() {
			isPaused = !isPaused;
			changed();
		},
		changeSpeed(factor) {
			speed = clamp(speed * factor);
			changed();
		},
		stop() {
			isStopped = true;
			changed();
		},
		state: () => ({speed, isPaused, played}),
	};
}

function clamp(speed: number): number {
	return Math.min(replaySpeeds.maximum, Math.max(replaySpeeds.minimum, speed));
}

/** Returns the recorded milliseconds before a record; 0 after a clock was set back. */
function gapBefore(records: readonly Recorded[], index: number): number {
	const gap = Date.parse(records[index]?.at ?? '') - Date.parse(records[index - 1]?.at ?? '');
	return gap > 0 ? Math.min(gap, maxGapMs) : 0;
}

async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
	await sleep(milliseconds, undefined, {signal}).catch(() => undefined);
}
