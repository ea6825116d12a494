import {createWriteStream} from 'node:fs';
import {join} from 'node:path';

/** Most bytes of the file: `read_file` reads no larger ones. */
const maxBytes = 15 * 1024 * 1024;

/** The whole output of a command, in a file. */
export type OutputFile = {
	readonly path: string;
	readonly write: (text: string) => void;
	/** True if the file has everything that was written. */
	readonly isComplete: () => boolean;
	readonly close: () => Promise<void>;
};

/** Creates a private file for output. What can't be written is left out. */
function createOutputFile(path: string): OutputFile {
	const stream = createWriteStream(path, {flags: 'wx', mode: 0o600});
	let bytes = 0;
	let isComplete = true;
	stream.on('error', () => {
		isComplete = false;
	});

	return {
		path,
		write(text) {
			const chunk = Buffer.from(text.replaceAll('\0', '␀'));
			if (bytes + chunk.length > maxBytes || !stream.writable) {
				isComplete = false;
				return;
			}

			bytes += chunk.length;
			stream.write(chunk);
		},
		isComplete: () => isComplete,
		close: () =>
			new Promise(resolve => {
				stream.once('close', resolve);
				stream.end();
				if (stream.closed) {
					resolve();
				}
			}),
	};
}

/** The files with long outputs of a session. */
export type OutputFiles = {
	/** Their real paths. */
	readonly paths: ReadonlySet<string>;
	/** Creates the next file in a folder. */
	readonly open: (folder: string) => OutputFile;
	/** Forgets the files, which are removed elsewhere. */
	readonly clear: () => void;
};

export function createOutputFiles(): OutputFiles {
	const paths = new Set<string>();
	let count = 0;
	return {
		paths,
		open(folder) {
			const path = join(folder, `${++count}.txt`);
			paths.add(path);
			return createOutputFile(path);
		},
		clear: () => paths.clear(),
	};
}

/** Writes a text into a file. Returns its path; undefined if it could not be written as a whole. */
export async function keepText(text: string, file: OutputFile): Promise<string | undefined> {
	file.write(text);
	await file.close();
	return file.isComplete() ? file.path : undefined;
}
