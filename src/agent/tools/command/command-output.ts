import {formatNumber} from '../../../core/format.ts';
import {hideStyled, joinStyled, type StyledText, sliceStyled} from '../../../core/output/text-styles.ts';
import {redactKnown} from '../../../core/secrets/redact.ts';
import {hideValues} from '../../../core/secrets/value-mask.ts';
import {reset} from '../../../terminal/text/ansi.ts';
import {createCappedOutput} from '../child/capped-output.ts';
import {createLineMask, shownLength} from './line-mask.ts';
import {movesCursor, screenOutput} from './line-screen.ts';
import type {OutputFile} from './output-file.ts';
import {plainOutput, styledOutput} from './styled-output.ts';

/** Most bytes that are kept in memory until they are read. */
const maxKept = 512 * 1024;
/** Most characters that the model reads at once, in UTF-8 below the limit of a result. */
const maxShown = 28_000;
const maxShownBytes = 30_000;
/** Most characters of the last lines. */
const maxLast = 16_000;
/** The end of an output says most about a failure. */
const headShare = 1 / 3;

export type CommandOutput = {
	readonly add: (chunk: Buffer) => void;
	/**
	 * Returns what came since the last call, for the model, as a terminal would finally show it: its head and its tail,
	 * without credentials and white space at the end. Says where all of it is if something is left out. Its styles are for
	 * the screen.
	 */
	readonly take: () => StyledText;
	/** Returns the last lines so far, without credentials. */
	readonly lastLines: () => readonly string[];
	/** Does the same with their styles. */
	readonly lastOutput: () => StyledText;
	/** Waits until the file is written. */
	readonly close: () => Promise<void>;
};

type Options = {
	/** Creates the file for the whole output, once it is too long to be shown. */
	readonly openFile: () => OutputFile | undefined;
	/** Values to hide besides credentials of known kinds. */
	readonly secrets: readonly string[];
	/** Gets the text as it comes. */
	readonly onText?: (text: string) => void;
};

/** Keeps the output of a command: a part in memory, all of it in a file if it is long. */
export function createCommandOutput({openFile, secrets, onText}: Options): CommandOutput {
	const hide = (text: string) => hideValues(redactKnown(text), secrets);
	const filed = createFiledOutput({open: openFile, minLength: maxShown, secrets});
	const decoder = new TextDecoder();
	let unread = createCappedOutput(maxKept);
	let last = '';
	let lines = 0;
	let hasEnded = false;
	/** The last lines; the one that isn't complete, up to what may be the beginning of a credential (SAFETY 8). */
	const lastSafe = () => {
		const start = last.lastIndexOf('\n') + 1;
		const open = hasEnded ? '' : plainOutput(last.slice(start));
		const length = shownLength(open, secrets);
		return length < open.length ? last.slice(0, start) + open.slice(0, length) : last;
	};

	return {
		add(chunk) {
			unread.add(chunk);
			const text = decoder.decode(chunk, {stream: true});
			filed.add(text);
			last = `${last}${text}`.slice(-maxLast);
			lines += text.split('\n').length - 1;
			onText?.(text);
		},
		take() {
			const raw = unread.text(reset);
			const output = hideStyled(finalOutput(raw), hide);
			unread = createCappedOutput(maxKept);
			const count = lines;
			lines = 0;
			const shown = shortened(output, count, filed.file());
			return sliceStyled(shown, 0, shown.text.trimEnd().length);
		},
		lastLines() {
			const raw = lastSafe();
			return hide(movesCursor(raw) ? screenOutput(raw).text : plainOutput(raw))
				.trimEnd()
				.split('\n');
		},
		lastOutput() {
			const output = hideStyled(finalOutput(lastSafe()), hide);
			return sliceStyled(output, 0, output.text.trimEnd().length);
		},
		async close() {
			hasEnded = true;
			await filed.close();
		},
	};
}

/** Returns output as a terminal would finally show it: rows that were written over have their last state. */
function finalOutput(raw: string): StyledText {
	return movesCursor(raw) ? screenOutput(raw) : styledOutput(raw);
}

function shortened(output: StyledText, total: number, file: OutputFile | undefined): StyledText {
	const {text} = output;
	if (Buffer.byteLength(text) <= maxShownBytes) {
		return output;
	}

	const room = Math.floor((maxShown * text.length) / Math.max(text.length, Buffer.byteLength(text)));
	const head = cutAtLine(text.slice(0, Math.floor(room * headShare)), 'end');
	const tail = cutAtLine(text.slice(-Math.floor(room * (1 - headShare))), 'start');
	const shown = head.split('\n').length + tail.split('\n').length - (tail.endsWith('\n') ? 1 : 0);
	const where = file
		? `${file.isComplete() ? 'All of it' : 'Its first 15 MB'}: ${file.path} (use read_file with offset and limit)`
		: 'Redirect it to a file to read all of it';
	return joinStyled([
		sliceStyled(output, 0, head.length),
		`\n[… ${formatNumber(Math.max(0, total - shown))} lines left out. ${where} …]\n`,
		sliceStyled(output, text.length - tail.length),
	]);
}

/** Drops the line that was cut, unless it is most of the text. */
function cutAtLine(text: string, side: 'start' | 'end'): string {
	const at = side === 'end' ? text.lastIndexOf('\n') : text.indexOf('\n') + 1;
	const kept = side === 'end' ? text.slice(0, Math.max(0, at)) : text.slice(at);
	return kept.length > text.length / 2 ? kept : text;
}

/** A longer line is written in pieces, in UTF-16 units. */
const maxLine = 64 * 1024;

type FileTarget = {
	/** Creates the file. */
	readonly open: () => OutputFile | undefined;
	/** Characters of output from which on there is a file. */
	readonly minLength: number;
	/** Values to hide besides credentials of known kinds. */
	readonly secrets: readonly string[];
};

/** Writes the output of a command into a file, once it is long: in whole lines, without escape sequences and credentials. */
function createFiledOutput({open, minLength, secrets}: FileTarget) {
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
