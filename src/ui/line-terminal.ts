import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import {isShellLine} from '../command/line-kind.ts';
import {setRawMode} from '../terminal/input/raw-mode.ts';
import {type LineListeners, readTerminalLine} from '../terminal/input/read-line.ts';
import {safeLine} from '../terminal/text/safe-text.ts';

type Dependencies = {
	readonly stdin: NodeJS.ReadStream;
	/** What is written to; a question is asked once everything before it is written. */
	readonly output: {readonly write: (data: string) => unknown; readonly written?: () => Promise<void>};
	/**
	 * Gets each line that the user enters. `isAlone` is false if several arrived together, as those of a paste do: for a line
	 * of the shell it is known only when no other has followed.
	 */
	readonly onLine: (line: string, isAlone: boolean) => void;
	/** Returns the time of a monotonic clock in milliseconds. */
	readonly now: () => number;
	/** What to type at, with a blank. A screen reader would read the default as “greater than”. */
	readonly sign?: string;
};

/** A line, `undefined` for Esc and the end of input, with the times at which its question and its first key appeared. */
export type TimedLine = {readonly line: string | undefined; readonly askedAt: number; readonly typedAt: number};

/** What ends a question beside its answer, and what Ctrl+C at it does besides. */
export type Asking = Pick<LineListeners, 'signal' | 'onInterrupt'>;

export type LineTerminal = {
	readonly write: (data: string) => void;
	/** Writes a line. */
	readonly say: (text: string) => void;
	/** Writes the sign to type at, unless it is there already or a question is open. */
	readonly prompt: () => void;
	/** Asks for a line, after the questions that are open. Resolves to undefined for Esc and the end of input. */
	readonly question: (label: string, masked: boolean) => Promise<string | undefined>;
	/**
	 * Asks like `question`, for an answer that counts only if it was typed after the question. `before` writes what stands
	 * above it, once no other question is open. An abort ends it, or keeps it from being asked.
	 */
	readonly timedQuestion: (label: string, before?: () => void, asking?: Asking) => Promise<TimedLine>;
	/** Reads lines from now on. */
	readonly listen: () => void;
	/** Returns what was typed without Enter. Nothing is read after that. */
	readonly unfinished: () => Promise<string>;
	/** Lends the terminal to a program until `use` is done. */
	readonly lend: <T>(use: () => Promise<T>) => Promise<T>;
	/** Returns true while a program has the terminal. */
	readonly isLent: () => boolean;
};

/** How long the terminal may take to hand over a line. */
const handoverMs = 30;

/** Nobody enters two lines within this time: a terminal hands over a paste line by line. */
const burstMs = 15;

/** Creates a terminal that is read and written line by line, with its own line editing. */
export function createLineTerminal({stdin, output, onLine, now, sign = '> '}: Dependencies): LineTerminal {
	/** True while the sign to type at is the last thing that was written. */
	let hasPrompt = false;
	let isAsking = false;
	let isLent = false;
	let pending = '';
	let burst = nothingEntered();
	let lastQuestion: Promise<unknown> = Promise.resolve();

	const write = (data: string) => {
		hasPrompt = false;
		output.write(data);
	};

	const onData = (data: Buffer | string) => {
		pending += data.toString('utf8');
		const lines = pending.split(/\r?\n/);
		pending = lines.pop() ?? '';
		hasPrompt &&= lines.length === 0;
		for (const line of lines) {
			clearTimeout(burst.timer);
			burst = {lines: burst.lines + 1, held: burst.held, timer: setTimeout(endBurst, burstMs)};
			if (burst.held.length > 0 || isShellLine(line)) {
				burst.held.push(line);
			} else {
				onLine(line, lines.length === 1);
			}
		}
	};

	const endBurst = () => {
		clearTimeout(burst.timer);
		const {held, lines} = burst;
		burst = nothingEntered();
		for (const line of held) {
			onLine(line, lines === 1);
		}
	};

	const listen = () => {
		stdin.on('data', onData);
		stdin.resume();
	};

	const deafen = () => {
		stdin.off('data', onData);
		endBurst();
	};

	stdin.once('end', endBurst);

	const ask = async (
		label: string,
		masked: boolean,
		before?: () => void,
		{signal, onInterrupt}: Asking = {},
	): Promise<TimedLine> => {
		if (signal?.aborted) {
			return {line: undefined, askedAt: now(), typedAt: now()};
		}

		isAsking = true;
		deafen();
		before?.();
		write(`${safeLine(label)} `);
		await pauseUntilWritten(stdin, output);
		const askedAt = now();
		let typedAt: number | undefined;
		const line = await readTerminalLine({stdin, output}, masked, {
			onKeys() {
				typedAt ??= now();
			},
			onInterrupt,
			signal,
		});
		isAsking = false;
		listen();
		return {line, askedAt, typedAt: typedAt ?? now()};
	};

	const askNext = (...question: Parameters<typeof ask>) => {
		const answer = lastQuestion.then(() => ask(...question));
		lastQuestion = answer.catch(() => undefined);
		return answer;
	};

	return {
		write,
		say: text => write(`${text}\n`),
		prompt() {
			if (!isAsking && !hasPrompt) {
				output.write(sign);
				hasPrompt = true;
			}
		},
		question: async (label, masked) => (await askNext(label, masked)).line,
		timedQuestion: (label, before, asking) => askNext(label, false, before, asking),
		listen,
		async lend(use) {
			deafen();
			isLent = true;
			await pauseUntilWritten(stdin, output);
			try {
				return await use();
			} finally {
				isLent = false;
				listen();
			}
		},
		isLent: () => isLent,
		async unfinished() {
			await (isAsking || handOver(stdin));
			return pending;
		},
	};
}

/** The lines that were entered within `burstMs` of each other: how many, and those from the first line of the shell on. */
type Burst = {readonly lines: number; readonly held: string[]; readonly timer?: NodeJS.Timeout};

const nothingEntered = (): Burst => ({lines: 0, held: []});

/** Pauses the input until everything is written. What is typed meanwhile is read later, such as by a newer question. */
async function pauseUntilWritten(stdin: NodeJS.ReadStream, {written}: Dependencies['output']): Promise<void> {
	stdin.pause();
	await written?.();
}

/** Waits until the terminal, which edits the line, has handed over what it has: it does once a program reads each key. */
async function handOver(stdin: NodeJS.ReadStream): Promise<void> {
	if (!stdin.readableEnded) {
		setRawMode(stdin, true);
		await Promise.race([once(stdin, 'data'), sleep(handoverMs)]);
		setRawMode(stdin, false);
	}
}
