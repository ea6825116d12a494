import {isLines, isText, mayContinue, textOf} from './bursts.ts';
import {maxPastedBytes} from './paste.ts';
import {setRawMode} from './raw-mode.ts';
import type {InputToken} from './token.ts';
import {createTokenizer} from './tokenizer.ts';

/** The part of `process.stdin` that is used. */
export type InputStream = Pick<NodeJS.ReadableStream, 'on' | 'off' | 'resume' | 'pause'> & {
	readonly isTTY?: boolean | undefined;
	readonly isRaw?: boolean | undefined;
	setRawMode?: (raw: boolean) => unknown;
	ref?: () => unknown;
	unref?: () => unknown;
};

type InputOptions = {
	readonly stdin: InputStream;
	/** Gets everything that was read in one turn of the event loop, so that it costs one render. */
	readonly onTokens: (tokens: readonly InputToken[]) => void;
	/** The terminal is gone: end of input, or the error of the read. Called once, after input was stopped. */
	readonly onClose?: (error: Error | undefined) => void;
	/** How long an ESC may wait to become a sequence. */
	readonly escapeTimeoutMs?: number;
	/** True while we wait for an answer of the terminal, which begins with an ESC as well. */
	readonly expectsReply?: () => boolean;
};

export type Input = {
	/** Sets raw mode and begins to read. */
	readonly start: () => void;
	/** Sets raw mode again while it runs, after another program may have changed the terminal; starts otherwise. */
	readonly resume: () => void;
	/** Restores the mode of the terminal and lets the process end. Drops what was read and not delivered. */
	readonly stop: () => void;
};

/**
 * How long the rest of a sequence or paste may take. No user types one, so it gets more time than an ESC: after a timeout
 * it would come in as typed text, and the lines of a cut paste would be sent one by one. An introducer may be a key with
 * Alt, and after the Escape key a user may type what looks like an answer.
 */
const timeoutsMs = {introducer: 250, late: 250, sequence: 1000, paste: 10_000};
/** How long an ESC waits while we expect an answer. */
const expectedTimeoutMs = 500;

/** How long what may be a paste without brackets waits for more of it. */
const burstMs = 8;
/** How long lines of such a paste wait for the rest: a terminal or a connection pauses between its pieces. */
const restMs = 50;

/** Reads a terminal: bytes in, batches of tokens out. `start` and `stop` may be called in any order, any number of times. */
export function createInput(options: InputOptions): Input {
	const {stdin, onTokens, onClose, escapeTimeoutMs = 25, expectsReply = () => false} = options;
	const batch = createBatch(onTokens);
	const timeout = createTimeout();
	let tokenizer = createTokenizer(expectsReply);
	/** Present while it runs. */
	let closeStdin: (() => void) | undefined;

	const onData = (chunk: Uint8Array | string) => {
		timeout.clear();
		batch.add(tokenizer.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk));
		const pending = tokenizer.pending();
		if (pending !== 'nothing') {
			const escapeMs = expectsReply() ? expectedTimeoutMs : escapeTimeoutMs;
			timeout.set(pending === 'escape' ? escapeMs : timeoutsMs[pending], () => batch.add(tokenizer.flush()));
		}
	};

	const stop = () => {
		const close = closeStdin;
		closeStdin = undefined;
		timeout.clear();
		batch.drop();
		close?.();
	};

	const onEnd = (error?: Error) => {
		if (closeStdin) {
			stop();
			onClose?.(error);
		}
	};

	const listeners = {onData, onEnd: () => onEnd(), onError: onEnd};

	const start = () => {
		if (!closeStdin) {
			tokenizer = createTokenizer(expectsReply);
			closeStdin = openStdin(stdin, listeners);
		}
	};

	const resume = () => {
		if (closeStdin) {
			// Node doesn't set a mode that it believes to be set.
			setRawMode(stdin, false);
			setRawMode(stdin, true);
		} else {
			start();
		}
	};

	return {start, resume, stop};
}

type StdinListeners = {
	readonly onData: (chunk: Uint8Array | string) => void;
	readonly onEnd: () => void;
	readonly onError: (error: Error) => void;
};

/** Sets raw mode and begins to read. Returns a function that undoes it. */
function openStdin(stdin: InputStream, {onData, onEnd, onError}: StdinListeners): () => void {
	const wasRaw = stdin.isRaw ?? false;
	// The error listener stays after a stop: a terminal that vanishes then (EIO) is no reason to crash.
	stdin.off('error', onError);
	stdin.on('error', onError);
	stdin.on('end', onEnd);
	stdin.on('close', onEnd);
	stdin.on('data', onData);
	setRawMode(stdin, true);
	stdin.ref?.();
	stdin.resume();

	return () => {
		stdin.off('data', onData);
		stdin.off('end', onEnd);
		stdin.off('close', onEnd);
		setRawMode(stdin, wasRaw);
		stdin.pause();
		stdin.unref?.();
	};
}

/** Runs one action after a time, and a turn of the loop later, so that bytes that arrived meanwhile are read first. */
function createTimeout() {
	let timer: NodeJS.Timeout | undefined;
	let turn: NodeJS.Immediate | undefined;

	return {
		set(milliseconds: number, action: () => void) {
			timer = setTimeout(() => {
				turn = setImmediate(action);
			}, milliseconds);
		},
		clear() {
			clearTimeout(timer);
			clearImmediate(turn);
		},
	};
}

/**
 * Collects the tokens of one turn of the event loop, and of a few more milliseconds while they may be a paste. Lines of a
 * paste without brackets come together, however many turns it takes to read them: without their rest, its last line and
 * Enter would be typed. Of more than `maxPastedBytes` the beginning is kept, as a truncated paste.
 */
function createBatch(deliver: (tokens: readonly InputToken[]) => void) {
	let tokens: InputToken[] = [];
	/** The characters of such a paste; undefined for other tokens. */
	let pasted: number | undefined;
	let turn: NodeJS.Immediate | undefined;
	const timeout = createTimeout();

	const drop = () => {
		clearImmediate(turn);
		timeout.clear();
		turn = undefined;
		pasted = undefined;
		tokens = [];
	};

	const flush = () => {
		const all = tokens;
		const truncated = pasted !== undefined && pasted > maxPastedBytes;
		drop();
		deliver(truncated ? [{type: 'paste', text: all.map(textOf).join(''), truncated}] : all);
	};

	const endTurn = () => {
		turn = undefined;
		pasted ??= isLines(tokens) ? lengthOf(tokens) : undefined;
		if (pasted !== undefined || mayContinue(tokens)) {
			timeout.set(pasted === undefined ? burstMs : restMs, flush);
		} else {
			flush();
		}
	};

	const addOne = (token: InputToken) => {
		if (pasted !== undefined && !isText(token)) {
			// A key ends the paste, and is no part of it.
			flush();
		}

		if (pasted !== undefined) {
			pasted += textOf(token).length;
		}

		if ((pasted ?? 0) <= maxPastedBytes) {
			tokens.push(token);
		}
	};

	return {
		drop,
		add(added: readonly InputToken[]) {
			if (added.length > 0) {
				timeout.clear();
				added.forEach(addOne);
				turn ??= setImmediate(endTurn);
			}
		},
	};
}

function lengthOf(tokens: readonly InputToken[]): number {
	return tokens.reduce((sum, token) => sum + textOf(token).length, 0);
}
