import {createWriteStream} from 'node:fs';

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
export function createOutputFile(path: string): OutputFile {
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
