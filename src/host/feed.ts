import type {Recorded} from '../core/session/event.ts';
import {lineOf, type Peer} from '../link/json-lines.ts';

/** The records of a session, which a feed sends to a terminal. */
export type RecordSource = {
	readonly session: () => string;
	/** Returns the `seq` of the last record; -1 for none. */
	readonly last: () => number;
	/** Returns the records from a `seq` on, if they are still in memory. */
	readonly recent: (from: number) => readonly Recorded[] | undefined;
	/** Returns all records that are saved. */
	readonly saved: () => Promise<readonly Recorded[]>;
};

/** Records on their way to all feeds, with the line that holds them. */
export type Batch = {readonly records: readonly Recorded[]; readonly line: string};

/** What sends a session to one terminal: every record once, in order, from the last one that the terminal has. */
export type Feed = {
	/** Sends new records. A terminal that reads too slowly gets them later, out of the journal. */
	readonly push: (batch: Batch) => void;
	/** Sends another message, unless the terminal lags: then everything of now is sent to it later. */
	readonly tell: (method: string, params: unknown) => void;
	/** Begins with another session, or sends what is missing. */
	readonly restart: (sent: number) => void;
	readonly close: () => void;
};

type Options = {
	readonly peer: Peer;
	readonly source: RecordSource;
	/** Called when the terminal has all records, to send the rest of the state. */
	readonly onCaughtUp: () => void;
	/** Most bytes that may wait for a terminal before it counts as slow. */
	readonly maxWaitingBytes?: number | undefined;
};

const usualWaitingBytes = 4 * 1024 * 1024;

/** Most records of a message: a terminal draws between two messages. */
const chunkSize = 500;

/** Returns the line that sends records. */
export function recordsLine(session: string, records: readonly Recorded[]): string {
	return lineOf('_service/records', {session, records});
}

/** Creates a feed, which begins when it is restarted. */
export function createFeed(options: Options): Feed {
	const {peer, source, onCaughtUp, maxWaitingBytes = usualWaitingBytes} = options;
	let sent = -1;
	let isLive = false;
	let isClosed = false;
	/** Counts restarts: what an earlier one still reads is not sent. */
	let round = 0;

	const send = (records: readonly Recorded[], line?: string) => {
		peer.write(line ?? recordsLine(source.session(), records));
		sent = records.at(-1)?.seq ?? sent;
	};

	const catchUp = async () => {
		round++;
		const current = round;
		const isOver = () => isClosed || current !== round;
		isLive = false;
		while (!isOver() && sent < source.last()) {
			const before = sent;
			const records = source.recent(sent + 1) ?? (await source.saved());
			const missing = isOver() ? [] : records.filter(({seq}) => seq > sent);
			for (let from = 0; from < missing.length && !isOver(); from += chunkSize) {
				send(missing.slice(from, from + chunkSize));
				while (!isOver() && peer.waitingBytes() > maxWaitingBytes) {
					await peer.drained();
				}
			}

			if (sent === before && !isOver()) {
				// The journal can't be written: what is in memory is all there is.
				const first = source.recent(-1)?.[0]?.seq ?? source.last() + 1;
				sent = Math.max(sent, first - 1);
			}
		}

		if (!isOver()) {
			isLive = true;
			onCaughtUp();
		}
	};

	/** Waits until the terminal has read what waits for it, then sends what is missing. */
	const recover = async () => {
		isLive = false;
		round++;
		const current = round;
		await peer.drained();
		if (current === round && !isClosed) {
			await catchUp();
		}
	};

	return {
		push({records, line}) {
			if (!isLive || isClosed) {
				return;
			}

			if (peer.waitingBytes() > maxWaitingBytes) {
				void recover();
				return;
			}

			const missing = records.filter(({seq}) => seq > sent);
			if (missing.length > 0) {
				send(missing, missing.length === records.length ? line : undefined);
			}
		},
		tell(method, params) {
			if (isLive && !isClosed) {
				peer.notify(method, params);
			}
		},
		restart(from) {
			sent = from;
			void catchUp().catch(() => peer.close());
		},
		close() {
			isClosed = true;
		},
	};
}
