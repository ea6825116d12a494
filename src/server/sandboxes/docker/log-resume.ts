import {lineBreak} from '../log-window.ts';

/** A message of a log as the engine keeps it, and when it was written; undefined if the engine doesn't say so. */
export type TimedMessage = {readonly bytes: Buffer; readonly second: number | undefined; readonly time: string};

/** A time as engines write it before a message, e.g. `2026-03-01T12:00:00.123456789Z`, or without a fraction. */
const timePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) /;
const maxTimeLength = 40;

/** Returns a message without the time before it. */
export function parseMessage(frame: Buffer): TimedMessage {
	const [prefix = '', time = ''] = timePattern.exec(frame.toString('latin1', 0, maxTimeLength)) ?? [];
	const ms = Date.parse(time);
	return {bytes: frame.subarray(prefix.length), second: Number.isNaN(ms) ? undefined : Math.floor(ms / 1000), time};
}

/** How much an engine's clock may be set back while a sandbox writes, in seconds. */
const maxStepBack = 2;

/** How many places of a log are kept, each in another second. */
const maxPlaces = 8;

/** How much of its first message tells whether a place is what it was. */
const seamBytes = 256;

/** A place in a log from which it can be read on: its first message of a second, by the engine's own clock. */
export type LogPlace = {
	/** Since the beginning of 1970. */
	readonly second: number;
	/** The offset of the message, and how many are before it. */
	readonly start: number;
	readonly lines: number;
	/** The time and the beginning of the message, by which it is recognized. */
	readonly seam: string;
};

/** Places of one log. */
export type LogPlaces = {
	/** Notes a message, its offset, and how many are before it. */
	readonly note: (message: TimedMessage, start: number, lines: number) => void;
	/** Returns the last place that is certain and not after an offset; undefined if only the beginning is. */
	readonly before: (offset: number) => LogPlace | undefined;
	/** Forgets all, because the log is not what it was. */
	readonly clear: () => void;
};

/**
 * Creates the places of a log. Engines filter messages by time, some by whole seconds, so that a place is the first message of a
 * second after all earlier ones, and far enough behind the last one that a clock that was set back a little hides nothing.
 */
export function createLogPlaces(): LogPlaces {
	const places: LogPlace[] = [];
	let last = Number.NEGATIVE_INFINITY;
	return {
		note(message, start, lines) {
			const {second} = message;
			// From a later second on, the engine would leave this message out.
			const isHidden = (place: LogPlace) => second !== undefined && place.start < start && place.second > second;
			for (let place = places.at(-1); place && isHidden(place); place = places.at(-1)) {
				places.pop();
			}

			if (second !== undefined && second > last) {
				places.push({second, start, lines, seam: seamOf(message)});
				places.splice(0, places.length - maxPlaces);
				last = second;
			}
		},
		before: offset => places.findLast(({start, second}) => start <= offset && second <= last - maxStepBack),
		clear() {
			places.splice(0);
			last = Number.NEGATIVE_INFINITY;
		},
	};
}

/** Returns what tells the first message of a place from others. */
export function seamOf({bytes, time}: TimedMessage): string {
	const end = bytes.indexOf(lineBreak);
	return `${time} ${bytes.toString('latin1', 0, Math.min(seamBytes, end === -1 ? seamBytes : end))}`;
}
