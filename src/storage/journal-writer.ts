import {type AppendFile, allDone, openAppendFile} from './append-file.ts';
import {fileReason} from './file-error.ts';

/** Whether every record of the journal is in its file. `reason` is a few words for the status line. */
export type JournalState = {readonly saved: true} | {readonly saved: false; readonly reason: string};

export type LineWriter = {
	/** Queues a line without its line end, to be written soon and in order. Never throws. */
	readonly write: (line: string, durable: boolean) => void;
	/** Queues a line that may wait a moment for the next ones, so that they are one write call. Never throws. */
	readonly gather: (line: string) => void;
	/** Waits until all lines are in the file, or a write has failed. */
	readonly flush: () => Promise<JournalState>;
	/**
	 * Waits until the lines so far outlive this process, and a few milliseconds for the disk to have them. Doesn't wait while the state
	 * is that lines aren't saved, and no longer than a slow disk takes to become that state (SAFETY 19).
	 */
	readonly settle: () => Promise<void>;
	readonly close: () => Promise<JournalState>;
};

type Options = {
	/** Creates the folder of the file and takes its lock. Called again until it succeeds. */
	readonly prepare?: () => void;
	/** Writes what belongs to a new file, beside it. Called again until it succeeds. */
	readonly note?: () => Promise<void>;
	readonly path: string;
	/** Bytes of whole lines in the file; undefined for a file that does not exist yet. */
	readonly size: number | undefined;
	readonly onState: (state: JournalState) => void;
};

/** A line with its line end. */
type Line = {readonly text: string; readonly durable: boolean};

/** How long a gathered line waits at most: as long as the screen gathers tokens for a frame. */
const gatherMs = 33;

/** How long one write may take before the state says that the disk is slow, and nothing waits for it any more. */
const slowAfterMs = 1000;

/** How long a request waits for the disk, behind what a kill would lose: what most disks need, and nobody notices. */
const syncMs = 5;

/** The most UTF-16 units of one write call, unless one line alone has more. */
const maxBatchLength = 1024 * 1024;

/**
 * Writes lines in the background: those of one turn of the event loop, and those gathered before, go out in one write call
 * of whole lines. A failure is a state, not an exception (SAFETY 19): lines are kept, and the next line retries from the
 * first one that is missing. A line that was written in part is cut off before that.
 */
export function createLineWriter(options: Options): LineWriter {
	const writer: Writer = {
		...options,
		queue: [],
		state: {saved: true},
		isPrepared: false,
		isNoted: false,
		file: undefined,
		saved: 0,
		arrived: 0,
		waiting: [],
	};
	let running: Promise<void> | undefined;
	let gathering: NodeJS.Timeout | undefined;

	const start = () => {
		clearTimeout(gathering);
		gathering = undefined;
		running ??= drain(writer, () => {
			running = undefined;
		});
		return running;
	};

	const flush = async () => {
		while (running) {
			await running;
		}

		if (writer.queue.length > 0) {
			await start();
		}

		return writer.state;
	};

	return {
		write: (line, durable) => {
			writer.queue.push({text: `${line}\n`, durable});
			void start();
		},
		gather: line => {
			writer.queue.push({text: `${line}\n`, durable: false});
			gathering ??= setTimeout(start, gatherMs);
		},
		flush,
		async settle() {
			if (writer.queue.length === 0 || !writer.state.saved) {
				return;
			}

			const end = writer.saved + writer.queue.length;
			const synced = start();
			if (end > writer.arrived) {
				await new Promise<void>(resolve => {
					writer.waiting = [...writer.waiting, {end, resolve}];
				});
			}

			await within(synced, syncMs);
		},
		close: async () => {
			const last = await flush();
			await closeFile(writer);
			return last;
		},
	};
}

type Writer = Omit<Options, 'size'> & {
	/** Lines that are not in the file yet. */
	readonly queue: Line[];
	state: JournalState;
	isPrepared: boolean;
	isNoted: boolean;
	/** Undefined until the first line, and after a failure. */
	file: AppendFile | undefined;
	/** Bytes of whole lines in the file. */
	size: number | undefined;
	/** How many lines were saved, of those that were queued. */
	saved: number;
	/** How many outlive this process, at least. */
	arrived: number;
	/** Who waits until so many are. */
	waiting: ReadonlyArray<{readonly end: number; readonly resolve: () => void}>;
};

/**
 * Writes the queue until it is empty or a write fails. Calls `onEnd` in the same turn, so that a later line starts another
 * one. Never throws.
 */
async function drain(writer: Writer, onEnd: () => void): Promise<void> {
	await new Promise(resolve => setImmediate(resolve));
	let state: JournalState = {saved: true};
	try {
		while (writer.queue.length > 0) {
			const slow = setTimeout(() => report(writer, {saved: false, reason: 'the disk is slow'}), slowAfterMs);
			await writeBatch(writer).finally(() => clearTimeout(slow));
		}
	} catch (error) {
		await closeFile(writer);
		state = {saved: false, reason: fileReason(error) ?? `a fault in service: ${String(error)}`};
	}

	onEnd();
	report(writer, state);
}

async function writeBatch(writer: Writer): Promise<void> {
	if (!writer.isPrepared) {
		writer.prepare?.();
		writer.isPrepared = true;
	}

	const noting = writer.isNoted ? undefined : writer.note?.();
	// All of the disk's work is one wait.
	await allDone([appendBatch(writer), noting]);
	writer.isNoted = true;
}

async function appendBatch(writer: Writer): Promise<void> {
	writer.file ??= await openAppendFile(writer.path, writer.size);
	writer.size = writer.file.size();
	const batch = firstBatch(writer.queue);
	const bytes = Buffer.from(batch.map(({text}) => text).join(''));
	const isDurable = batch.some(line => line.durable);
	await writer.file.append(bytes, isDurable, () => arrive(writer, writer.saved + batch.length));
	writer.size = writer.file.size();
	writer.queue.splice(0, batch.length);
	writer.saved += batch.length;
}

/** Lets those go that wait for so many lines, and all if the state is that lines aren't saved. */
function arrive(writer: Writer, count: number): void {
	writer.arrived = count;
	const isOver = ({end}: {readonly end: number}) => end <= count || !writer.state.saved;
	const over = writer.waiting.filter(isOver);
	writer.waiting = writer.waiting.filter(waiter => !isOver(waiter));
	for (const {resolve} of over) {
		resolve();
	}
}

/** Waits until something has ended, or for so long. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
	await new Promise<void>(resolve => {
		const timer = setTimeout(resolve, ms);
		void work.then(() => {
			clearTimeout(timer);
			resolve();
		});
	});
}

/** Calls `onState` if the state changed. */
function report(writer: Writer, next: JournalState): void {
	const {state, onState} = writer;
	const hasChanged = next.saved !== state.saved || (!next.saved && !state.saved && next.reason !== state.reason);
	writer.state = next;
	if (hasChanged) {
		onState(next);
	}

	arrive(writer, writer.saved);
}

async function closeFile(writer: Writer): Promise<void> {
	await writer.file?.close().catch(() => undefined);
	writer.file = undefined;
}

function firstBatch(lines: readonly Line[]): readonly Line[] {
	let length = 0;
	const end = lines.findIndex(({text}, index) => {
		length += text.length;
		return index > 0 && length > maxBatchLength;
	});
	return end === -1 ? [...lines] : lines.slice(0, end);
}
