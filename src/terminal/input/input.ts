import {mayGoOn} from './burst.ts';
import type {InputToken} from './token.ts';
import {createTokenizer, type Pending} from './tokenizer.ts';

/** What is needed of `process.stdin`. */
export type InputStream = Pick<NodeJS.ReadableStream, 'on' | 'off' | 'resume' | 'pause'> & {
	readonly isTTY?: boolean | undefined;
	readonly isRaw?: boolean | undefined;
	setRawMode?: (raw: boolean) => unknown;
	ref?: () => unknown;
	unref?: () => unknown;
};

export type InputOptions = {
	readonly stdin: InputStream;
	/** Gets everything that was read in one turn of the event loop, so that it costs one render. */
	readonly onTokens: (tokens: readonly InputToken[]) => void;
	/** The terminal is gone: end of input, or the error of the read. Called once, and input is stopped by then. */
	readonly onClose?: (error: Error | undefined) => void;
	/** How long an ESC may wait to become a sequence, in milliseconds. */
	readonly escapeTimeout?: number;
	/** True while an answer of the terminal is awaited, which begins with an ESC as well. */
	readonly expectsReply?: () => boolean;
};

export type Input = {
	/** Sets raw mode and begins to read. */
	readonly start: () => void;
	/** Sets raw mode again while it runs, after somebody else may have changed the terminal, and starts otherwise. */
	readonly resume: () => void;
	/** Restores the mode of the terminal and lets the process end. What was read and not handed out is dropped. */
	readonly stop: () => void;
};

/**
 * How long, in milliseconds, the rest of a sequence or paste may take. No user types one, so they get more time than an
 * ESC: what is given up too early comes in as typed text, and the lines of a cut paste would be sent one by one. An
 * introducer may be a key with Alt, and behind an Escape key a user may type what looks like an answer.
 */
const timeoutsMs = {introducer: 250, late: 250, sequence: 1000, paste: 10_000};
/** How long an ESC waits while an answer is awaited, in milliseconds. */
const expectedTimeoutMs = 500;
/** How long an Enter behind text waits for more of what may be a paste without brackets, in milliseconds. */
const burstMs = 8;

/** Reads a terminal: bytes in, batches of tokens out. `start` and `stop` may be called in any order, any number of times. */
export function createInput({
	stdin,
	onTokens,
	onClose,
	escapeTimeout = 25,
	expectsReply = () => false,
}: InputOptions): Input {
	let tokenizer = createTokenizer(expectsReply);
	let read: InputToken[] = [];
	let running = false;
	let wasRaw = false;
	let delivery: NodeJS.Immediate | undefined;
	let burst: NodeJS.Timeout | undefined;
	let timer: NodeJS.Timeout | undefined;
	let expiry: NodeJS.Immediate | undefined;

	const deliver = () => {
		clearTimeout(burst);
		burst = undefined;
		const tokens = read;
		read = [];
		onTokens(tokens);
	};

	const turnOver = () => {
		delivery = undefined;
		clearTimeout(burst);
		if (mayGoOn(read)) {
			burst = setTimeout(deliver, burstMs);
		} else {
			deliver();
		}
	};

	const collect = (tokens: readonly InputToken[]) => {
		for (const token of tokens) {
			read.push(token);
		}

		if (read.length > 0) {
			delivery ??= setImmediate(turnOver);
		}
	};

	const stopWaiting = () => {
		clearTimeout(timer);
		clearImmediate(expiry);
	};

	const delayOf = (pending: Exclude<Pending, 'nothing'>) =>
		pending === 'escape' ? (expectsReply() ? expectedTimeoutMs : escapeTimeout) : timeoutsMs[pending];

	const onData = (chunk: Uint8Array | string) => {
		stopWaiting();
		collect(tokenizer.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
		const pending = tokenizer.pending();
		if (pending !== 'nothing') {
			// A turn later, so that bytes that arrived while the loop was busy are read before their time is up.
			timer = setTimeout(() => {
				expiry = setImmediate(() => collect(tokenizer.flush()));
			}, delayOf(pending));
		}
	};

	const close = (error?: Error) => {
		if (running) {
			stop();
			onClose?.(error);
		}
	};
	const onEnd = () => close();

	const stop = () => {
		if (!running) {
			return;
		}

		running = false;
		stopWaiting();
		clearImmediate(delivery);
		delivery = undefined;
		clearTimeout(burst);
		burst = undefined;
		read = [];
		stdin.off('data', onData);
		stdin.off('end', onEnd);
		stdin.off('close', onEnd);
		setRawMode(stdin, wasRaw);
		stdin.pause();
		stdin.unref?.();
	};

	const start = () => {
		if (running) {
			return;
		}

		running = true;
		tokenizer = createTokenizer(expectsReply);
		wasRaw = stdin.isRaw ?? false;
		// The listener for errors stays after a stop: a terminal that vanishes then (EIO) is no reason to crash.
		stdin.off('error', close);
		stdin.on('error', close);
		stdin.on('end', onEnd);
		stdin.on('close', onEnd);
		stdin.on('data', onData);
		setRawMode(stdin, true);
		stdin.ref?.();
		stdin.resume();
	};

	return {
		start,
		resume() {
			if (running) {
				// Node sets no mode that it believes to be set.
				setRawMode(stdin, false);
				setRawMode(stdin, true);
			} else {
				start();
			}
		},
		stop,
	};
}

/** Sets raw mode where there is one. It fails with EIO on a terminal that is gone; then there is nothing left to set. */
function setRawMode(stdin: InputStream, raw: boolean): void {
	try {
		if (stdin.isTTY) {
			stdin.setRawMode?.(raw);
		}
	} catch {
		// The read reports the same failure, and `onClose` says so.
	}
}
