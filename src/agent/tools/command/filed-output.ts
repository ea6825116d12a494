import {createLineMask} from './line-mask.ts';
import type {OutputFile} from './output-file.ts';
import {plainOutput} from './styled-output.ts';

/** A longer line is written in pieces, in UTF-16 units. */
const maxLine = 64 * 1024;

type Options = {
	/** Creates the file. */
	readonly open: () => OutputFile | undefined;
	/** Characters of output from which on there is a file. */
	readonly minLength: number;
	/** Values to hide besides credentials of known kinds. */
	readonly secrets: readonly string[];
};

/** Writes the output of a command into a file, once it is long: in whole lines, without escape sequences and credentials. */
export function createFiledOutput({open, minLength, secrets}: Options) {
	const hide = createLineMask(secrets);
	let waiting = '';
	let hasBegun = false;
	let file: OutputFile | undefined;

	const write = (length: number) => {
		const text = waiting.slice(0, length);
		waiting = waiting.slice(length);
		if (text && file) {
			const end = text.endsWith('\n') ? '\n' : '';
			file.write(hide(plainOutput(text.slice(0, text.length - end.length))) + end);
		}
	};

	return {
		add(text: string): void {
			// Nothing is looked for in what the file has no room for.
			if (hasBegun && !file?.isComplete()) {
				return;
			}

			waiting += text;
			if (!hasBegun && waiting.length > minLength) {
				hasBegun = true;
				file = open();
			}

			if (hasBegun) {
				write(waiting.lastIndexOf('\n') + 1);
				write(waiting.length > maxLine ? waiting.length : 0);
			}
		},
		/** Returns the file; undefined if there is none. */
		file: () => file,
		/** Waits until all of it is written. */
		async close(): Promise<void> {
			write(waiting.length);
			await file?.close();
		},
	};
}
