import {type AppendFile, openAppendFile} from './append-file.ts';
import {fileReason} from './file-error.ts';

/** Whether everything that was given to the journal is in its file. `reason` is a few words for the status line. */
export type JournalState = {readonly saved: true} | {readonly saved: false; readonly reason: string};

export type LineWriter = {
	/** Takes a line without its end. Never throws; the line is written soon, in order. */
	readonly write: (line: string, durable: boolean) => void;
	/** Waits until all lines are in the file, or cannot be. */
	readonly flush: () => Promise<JournalState>;
	readonly close: () => Promise<JournalState>;
};

type Options = {
	/** Makes ready what the file needs: its folder, its lock. Called until it succeeds once. */
	readonly prepare: () => Promise<void>;
	readonly path: string;
	/** Bytes that are in the file and good; undefined for a file that is yet to be made. */
	readonly size: number | undefined;
	readonly onState: (state: JournalState) => void;
};

type Line = {readonly bytes: Buffer; readonly durable: boolean};

/** Most bytes of one write call, unless one line alone has more. */
const batchBytes = 1024 * 1024;

/**
 * Writes lines to a file behind the back of the conversation: what comes in one turn of the loop goes out in one write
 * call of whole lines. A failure is a state, not an exception (SAFETY 19): lines are kept, and the next one tries again
 * from the first that is missing. A line that was written in part is cut off before.
 */
export function createLineWriter({prepare, path, size, onState}: Options): LineWriter {
	const waiting: Line[] = [];
	let state: JournalState = {saved: true};
	let running: Promise<void> | undefined;
	let prepared = false;
	let file: AppendFile | undefined;
	let good = size;

	const report = (next: JournalState) => {
		const changed = next.saved !== state.saved || (!next.saved && !state.saved && next.reason !== state.reason);
		state = next;
		if (changed) {
			onState(next);
		}
	};

	const drain = async () => {
		await new Promise(resolve => setImmediate(resolve));
		try {
			while (waiting.length > 0) {
				if (!prepared) {
					await prepare();
					prepared = true;
				}

				file ??= await openAppendFile(path, good);
				good = file.size();
				const batch = firstBatch(waiting);
				await file.append(
					Buffer.concat(batch.map(line => line.bytes)),
					batch.some(line => line.durable),
				);
				good = file.size();
				waiting.splice(0, batch.length);
			}

			report({saved: true});
		} catch (error) {
			const reason = fileReason(error);
			await file?.close().catch(() => undefined);
			file = undefined;
			report({saved: false, reason: reason ?? `a fault in service: ${String(error)}`});
		}
	};

	const start = () => {
		running ??= drain().finally(() => {
			running = undefined;
		});
		return running;
	};

	const flush = async () => {
		while (running) {
			await running;
		}

		if (waiting.length > 0) {
			await start();
		}

		return state;
	};

	return {
		write: (line, durable) => {
			waiting.push({bytes: Buffer.from(`${line}\n`), durable});
			void start();
		},
		flush,
		close: async () => {
			const last = await flush();
			await file?.close().catch(() => undefined);
			file = undefined;
			return last;
		},
	};
}

function firstBatch(lines: readonly Line[]): readonly Line[] {
	let bytes = 0;
	const end = lines.findIndex((line, index) => {
		bytes += line.bytes.length;
		return index > 0 && bytes > batchBytes;
	});
	return end === -1 ? [...lines] : lines.slice(0, end);
}
