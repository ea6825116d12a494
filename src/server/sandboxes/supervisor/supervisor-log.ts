import {closeSync, ftruncateSync, openSync, rmSync, writeSync} from 'node:fs';
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

	/** Writes the beginning of a piece that the disk has room for, and returns its length. With `isWhole`, all or nothing. */
	const writePiece = (piece: Buffer, isWhole = false): number => {
		let done = 0;
		try {
			const file = openSync(names.at(-1) ?? '', 'a', 0o600);
			try {
				while (done < piece.length) {
					done += writeSync(file, piece, done);
				}
			} catch {
				if (isWhole) {
					ftruncateSync(file, written - segmentStart);
					done = 0;
				}
			} finally {
				closeSync(file);
			}
		} catch {
			// A full disk must not end the sandbox. What is missing is logged as soon as there is space.
		}

		written += done;
		isLineOpen = done > 0 ? piece[done - 1] !== lineBreak : isLineOpen;
		return done;
	};

	const room = (): number => {
		if (written - segmentStart >= segmentBytes || names.length === 0) {
			openSegment();
		}

		return segmentBytes - (written - segmentStart);
	};

	const noteLoss = (): void => {
		if (lost === 0) {
			return;
		}

		room();
		const line = Buffer.from(`${isLineOpen ? '\n' : ''}[sandbox] ${lost} bytes of this log could not be written\n`);
		lost = writePiece(line, true) > 0 ? 0 : lost;
	};

	const append = (bytes: Buffer) => {
		noteLoss();
		for (let rest = bytes; rest.length > 0; ) {
			const piece = rest.subarray(0, room());
			const done = lost > 0 ? 0 : writePiece(piece);
			rest = rest.subarray(done);
			if (done < piece.length) {
				lost += rest.length;
				return;
			}
		}
	};

	const addLine = (line: string) => {
		noteLoss();
		append(Buffer.from(`${isLineOpen ? '\n' : ''}${line}\n`));
	};
	return {note: text => addLine(`[sandbox] ${text}`), addLine, write: append};
}
