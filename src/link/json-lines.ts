import type {Readable, Writable} from 'node:stream';
import {AppError, exitStatus, reportError} from '../core/error.ts';
import {isJsonObject, limitDepth, parseJson} from '../core/json.ts';
import {shellWord} from '../core/shell-word.ts';

/** Two streams that carry JSON-RPC messages, one a line. */
export type Pipes = {
	readonly input: Readable;
	readonly output: Writable;
	/** Resolves to why the program that carries them has ended; left out for a socket. */
	readonly failure?: () => Promise<AppError>;
};

/** The longest line that a side reads, in bytes: it holds whole images. */
export const maxLineBytes = 32 * 1024 * 1024;
/** What is nested deeper is left out: more than any record of a session has. */
const maxDepth = 500;

type Reading = {
	/** Gets each line without its end. */
	readonly onLine: (line: string) => void;
	/** Called once, when no line follows any more. */
	readonly onEnd: () => void;
};

/** Reads lines from a stream. Ends it at a line that is too long, which no side of ours writes. */
function readLines(input: Readable, {onLine, onEnd}: Reading): void {
	let rest = '';
	let hasEnded = false;
	const end = () => {
		if (!hasEnded) {
			hasEnded = true;
			onEnd();
		}
	};
	input.setEncoding('utf8');
	input.on('data', (text: string) => {
		if (hasEnded) {
			return;
		}

		// A long line comes in many pieces, of which only the last one has an end.
		if (!text.includes('\n')) {
			rest += text;
		} else {
			const lines = (rest + text).split('\n');
			rest = lines.pop() ?? '';
			for (const line of lines) {
				if (line.trim() && !hasEnded) {
					onLine(line);
				}
			}
		}

		if (rest.length > maxLineBytes) {
			input.destroy();
			end();
		}
	});
	input.on('end', end).on('close', end).on('error', end);
}

/** What the other side of a connection asks for. What is thrown is answered as an error. */
type Handlers = {
	readonly onRequest: (method: string, params: unknown) => Promise<unknown>;
	readonly onNotification: (method: string, params: unknown) => void;
	/** Gets a line of a method that isn't ours, or an answer to what was never asked. */
	readonly onOther?: (line: string) => void;
	readonly onEnd: () => void;
};

/** One side of a connection. */
export type Peer = {
	/** Asks the other side. Throws its error, and AppError("network") once the connection has ended. */
	readonly request: (method: string, params: unknown) => Promise<unknown>;
	readonly notify: (method: string, params: unknown) => void;
	/** Writes a line that is a whole message. */
	readonly write: (line: string) => void;
	/** False once the connection has ended. */
	readonly isOpen: () => boolean;
	/** Returns how many bytes wait to be written. */
	readonly waitingBytes: () => number;
	/** Resolves once everything that waits is written, or the connection has ended. */
	readonly drained: () => Promise<void>;
	readonly close: () => void;
};

/** The methods of our own: the protocol keeps names with an underscore free for that. */
const ownPrefix = '_service/';

/** Returns a message as a line. */
export function lineOf(method: string, params: unknown): string {
	return JSON.stringify({jsonrpc: '2.0', method, params});
}

/** Connects handlers with the other side of two streams. */
export function createPeer({input, output}: Pipes, {onRequest, onNotification, onOther, onEnd}: Handlers): Peer {
	const asked = new Map<
		number,
		{readonly resolve: (value: unknown) => void; readonly reject: (why: unknown) => void}
	>();
	let lastId = 0;
	let isOpen = true;
	let drains: Array<() => void> = [];

	const release = () => {
		const waiting = drains;
		drains = [];
		for (const go of waiting) {
			go();
		}
	};
	const end = () => {
		if (isOpen) {
			isOpen = false;
			for (const {reject} of asked.values()) {
				reject(connectionLost());
			}

			asked.clear();
			release();
			onEnd();
		}
	};
	const write = (line: string) => {
		if (isOpen && !output.destroyed) {
			output.write(`${line}\n`);
		}
	};

	const answer = async (id: string | number, method: string, params: unknown) => {
		try {
			const result = (await onRequest(method, params)) ?? {};
			write(JSON.stringify({jsonrpc: '2.0', id, result}));
		} catch (error) {
			write(JSON.stringify({jsonrpc: '2.0', id, error: errorToSend(error)}));
		}
	};

	const receive = (line: string) => {
		const message = limitDepth(parseJson(line) ?? null, maxDepth);
		if (!isJsonObject(message)) {
			onOther?.(line);
			return;
		}

		const {id, method, params, result, error} = message;
		if (typeof method === 'string' && method.startsWith(ownPrefix)) {
			if (id === undefined) {
				onNotification(method, params);
			} else if (typeof id === 'string' || typeof id === 'number') {
				void answer(id, method, params);
			}

			return;
		}

		const waiting = method === undefined && typeof id === 'number' ? asked.get(id) : undefined;
		if (!waiting) {
			onOther?.(line);
			return;
		}

		asked.delete(Number(id));
		if (error === undefined) {
			waiting.resolve(result);
		} else {
			waiting.reject(receivedError(error));
		}
	};

	readLines(input, {onLine: receive, onEnd: end});
	output.on('error', end).on('close', end).on('drain', release);
	return {
		async request(method, params) {
			if (!isOpen) {
				throw connectionLost();
			}

			lastId++;
			const id = lastId;
			const answered = new Promise<unknown>((resolve, reject) => asked.set(id, {resolve, reject}));
			write(JSON.stringify({jsonrpc: '2.0', id, method, params}));
			return answered;
		},
		notify: (method, params) => write(lineOf(method, params)),
		write,
		isOpen: () => isOpen,
		waitingBytes: () => output.writableLength,
		drained: async () =>
			isOpen && output.writableNeedDrain ? new Promise<void>(resolve => drains.push(resolve)) : undefined,
		close() {
			end();
			output.end();
			input.destroy();
		},
	};
}

/** The error of a request whose connection has ended before its answer; `at` is as `attachAgain` takes it. */
export function connectionLost(at?: string): AppError {
	return new AppError('network', 'The connection to the host was lost.', {hint: attachAgain(at)});
}

/** Returns how to attach again to the host at a place, as `attach --at` reads it; undefined for the one of this machine. */
export function attachAgain(at: string | undefined): string {
	return at === undefined ? 'Attach again: `$ attach`' : `Attach again: \`$ attach --at ${shellWord(at)}\``;
}

/** Returns what an error is sent as. */
function errorToSend(error: unknown) {
	const {code, message, hint} = reportError(error);
	return {code: -32_000, message, data: {code, ...(hint !== undefined && {hint})}};
}

/** Returns an error of the other side, which is untrusted text. */
function receivedError(error: unknown): AppError {
	const {message, data} = isJsonObject(error) ? error : {message: undefined, data: undefined};
	const {code, hint} = isJsonObject(data) ? data : {code: undefined, hint: undefined};
	const known =
		typeof code === 'string' && Object.hasOwn(exitStatus, code) ? (code as keyof typeof exitStatus) : 'failed';
	const text = typeof message === 'string' ? message : 'The host failed without a reason.';
	return new AppError(known, text, typeof hint === 'string' ? {hint} : {});
}
