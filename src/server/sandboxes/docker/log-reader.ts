import {maxWindowBytes, windowOf} from '../log-window.ts';
import {
	type ContainerLog,
	createLogBytes,
	endAtLimit,
	type LogBytes,
	logLimits,
	readContainerLog,
} from './container-log.ts';
import {createLogPlaces, type LogPlace, type LogPlaces, parseMessage, seamOf} from './log-resume.ts';

/** What an engine has of the log of a container. */
export type EngineLog = {
	/** Returns its messages with their times, from a second on or all; undefined if there is no log. */
	readonly open: (id: string, since: number | undefined) => Promise<AsyncGenerator<Buffer> | undefined>;
	/** Returns what follows the last message. */
	readonly readEnd: (id: string) => Promise<Buffer>;
};

/** Reads logs of containers. */
export type ContainerLogReader = {
	/** Returns a window as `readLogWindow` does, and whether the log is longer than may be; undefined if there is no log. */
	readonly read: (id: string, after: number | undefined) => Promise<ContainerLog | undefined>;
	/** Forgets a log, or all. */
	readonly forget: (id?: string) => void;
};

/** How much of a log is read ahead, and for how many logs: what is before that, nobody has asked for in time. */
const maxAheadBytes = 8 * 1024 ** 2;
const maxAhead = 8;

/** Bytes before an offset that a window may need. */
const marginBytes = 4;

/** How long a log that grows as fast as it is read is read at once. */
const chaseMs = 5000;

/** The end of a log as it was read last. */
type Ahead = {readonly log: LogBytes; readonly isFull: boolean};

type Known = {readonly places: LogPlaces; ahead?: Ahead | undefined};

/** The first message of a place is another one, so that the offsets of what follows aren't known. */
const changed = Symbol('changed');

/**
 * Creates a reader that asks the engine for the messages from a second on that it has seen begin, up to the end, and keeps those
 * for the next windows. So a log that grows is read about once. Of one that grows faster than it is asked for, only the end is left,
 * as of the files of a local sandbox; of one that grows as fast as it is read, the end after some seconds.
 */
export function createLogReader(
	{open, readEnd}: EngineLog,
	{limits = logLimits, maxChaseMs = chaseMs} = {},
): ContainerLogReader {
	const known = new Map<string, Known>();

	/** Returns the bytes of a log from a place on; throws `changed` if that isn't there any more. */
	async function* bytesFrom(id: string, messages: AsyncIterable<Buffer>, places: LogPlaces, place?: LogPlace) {
		let offset = place?.start ?? 0;
		let lines = place?.lines ?? 0;
		let expected = place?.seam;
		for await (const frame of messages) {
			const message = parseMessage(frame);
			if (expected !== undefined && seamOf(message) !== expected) {
				throw changed;
			}

			expected = undefined;
			places.note(message, offset, lines);
			lines += 1;
			offset += message.bytes.length;
			yield message.bytes;
		}

		if (expected !== undefined) {
			throw changed;
		}

		yield await readEnd(id);
	}

	/** Reads a log to its end. Returns undefined if there is no log. */
	const readAhead = async (id: string, places: LogPlaces, after: number): Promise<Ahead | undefined> => {
		const place = places.before(after - marginBytes);
		const messages = await open(id, place?.second);
		if (!messages) {
			return undefined;
		}

		const log = createLogBytes(place?.start ?? 0);
		const limited = endAtLimit(bytesFrom(id, messages, places, place), limits, place);
		const openedAt = performance.now();
		let reachedAt: number | undefined;
		for await (const part of limited.parts) {
			log.append(part);
			log.dropBefore(Math.max(after - marginBytes, log.end() - maxAheadBytes));
			if (log.end() >= after + maxWindowBytes) {
				reachedAt ??= performance.now();
				// An engine that looks long for the place where it begins is asked seldom.
				if (performance.now() - reachedAt >= Math.max(maxChaseMs, reachedAt - openedAt)) {
					break;
				}
			}
		}

		return {log, isFull: limited.isFull()};
	};

	const readAll = async (id: string, after: number | undefined): Promise<ContainerLog | undefined> => {
		const messages = await open(id, undefined);
		return messages && (await readContainerLog(bytesFrom(id, messages, createLogPlaces()), after, limits));
	};

	const readOn = async (id: string, log: Known, after: number): Promise<ContainerLog | undefined> => {
		const isAhead = ({log: {start, end}}: Ahead) => start() <= Math.max(0, after - marginBytes) && after < end();
		const ahead = log.ahead && isAhead(log.ahead) ? log.ahead : await readAhead(id, log.places, after);
		log.ahead = ahead;
		if (!ahead) {
			return undefined;
		}

		const {isFull, log: bytes} = ahead;
		const [start, end] = [bytes.start(), bytes.end()];
		if (after > end) {
			log.ahead = undefined;
			return await readAll(id, after);
		}

		const window = await windowOf({start, end}, bytes.read, after);
		if (window.offset === end) {
			log.ahead = undefined;
		}

		return {window, isFull};
	};

	return {
		async read(id, after) {
			if (after === undefined) {
				return await readAll(id, after);
			}

			const log: Known = known.get(id) ?? {places: createLogPlaces()};
			known.delete(id);
			known.set(id, log);
			for (const each of [...known.values()].filter(({ahead}) => ahead).slice(0, -maxAhead)) {
				each.ahead = undefined;
			}

			try {
				return await readOn(id, log, after);
			} catch (error) {
				if (error !== changed) {
					throw error;
				}

				log.places.clear();
				return await readAll(id, after);
			}
		},
		forget: id => void (id === undefined ? known.clear() : known.delete(id)),
	};
}
