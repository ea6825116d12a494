import {appendFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';

const lineBreak = 10;

type Options = {
	readonly folder: string;
	/** Size of a log segment in bytes, and how many segments are kept. */
	readonly segmentBytes: number;
	readonly segments: number;
};

export type SupervisorLog = {
	/** Adds a program's output. */
	readonly write: (bytes: Buffer) => void;
	/** Adds a line of the supervisor. */
	readonly note: (text: string) => void;
	/** Adds a line that says itself whose it is. */
	readonly addLine: (line: string) => void;
};

/** Creates the log of a sandbox, in files named by the offset of their first byte. The oldest ones are removed. */
export function createSupervisorLog({folder, segmentBytes, segments}: Options): SupervisorLog {
	const names: string[] = [];
	let written = 0;
	let segmentStart = 0;
	let lost = 0;
	let isLineOpen = false;

	const openSegment = () => {
		names.push(join(folder, `${String(written).padStart(15, '0')}.log`));
		segmentStart = written;
		for (const old of names.splice(0, names.length - segments)) {
			rmSync(old, {force: true});
		}
	};

	const append = (bytes: Buffer) => {
		for (let rest = bytes; rest.length > 0; ) {
			if (written - segmentStart >= segmentBytes || names.length === 0) {
				openSegment();
			}

			const piece = rest.subarray(0, segmentBytes - (written - segmentStart));
			try {
				appendFileSync(names.at(-1) ?? '', piece, {mode: 0o600});
				written += piece.length;
				isLineOpen = piece.at(-1) !== lineBreak;
			} catch {
				// A full disk must not end the sandbox. The gap is logged as soon as there is space.
				lost += piece.length;
			}

			rest = rest.subarray(piece.length);
		}
	};

	const addLine = (line: string) => append(Buffer.from(`${isLineOpen ? '\n' : ''}${line}\n`));
	const note = (text: string) => addLine(`[sandbox] ${text}`);
	return {
		note,
		addLine,
		write(bytes) {
			if (lost > 0) {
				const count = lost;
				lost = 0;
				note(`${count} bytes of this log could not be written`);
			}

			append(bytes);
		},
	};
}
