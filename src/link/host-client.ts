import {setTimeout as sleep} from 'node:timers/promises';
import type * as z from 'zod/mini';
import {abortable} from '../core/abortable.ts';
import {AppError, reportError} from '../core/error.ts';
import {attachAgain, connectionLost, createPeer, type Peer, type Pipes} from './json-lines.ts';
import {
	inAnyVersion,
	linkProtocol,
	type Person,
	type Rank,
	type RequestAnswer,
	type RequestMethod,
	type RequestParams,
	requests,
	sentByHost,
	type Welcome,
} from './protocol.ts';

type Sent = typeof sentByHost;

/** What a host sends by itself. */
export type HostMessage = {
	[Method in keyof Sent]: {readonly method: Method; readonly params: z.infer<Sent[Method]>};
}[keyof Sent];

type Options = {
	/** Opens a connection. Throws `AppError`. */
	readonly open: () => Promise<Pipes>;
	readonly version: string;
	/** Where the host is, as `attach --at` reads it; left out for the one of this machine. */
	readonly at?: string | undefined;
	/** The same for all connections of this terminal. */
	readonly terminal: string;
	readonly person: Person;
	/** The program that it speaks for; left out for a terminal of ours. */
	readonly client?: string | undefined;
	/** The most that this terminal may do; everything that its way in allows without it. */
	readonly rank?: Rank | undefined;
	/** How long a host may take to greet, once its socket is connected; 15 s by default. What goes through ssh may ask the user first. */
	readonly greetTimeoutMs?: number;
	/** Waits before the next attempt; tests have a faster clock. */
	readonly wait?: (milliseconds: number) => Promise<unknown>;
};

/** Whether a terminal hears its host. */
export type LinkState = 'connected' | 'reconnecting' | 'closed';

/** Stops calling a listener. */
type Unsubscribe = () => void;

/** Sends a request to a host. Returns its answer. */
export type AskHost = <Method extends RequestMethod>(
	method: Method,
	params: RequestParams<Method>,
) => Promise<RequestAnswer<Method>>;

/** A terminal's connection to a host, which comes back after a cut. */
export type HostClient = {
	readonly welcome: () => Welcome;
	/**
	 * Asks the host. A request that a cut left without an answer is sent again once the connection is back, so it needs a key if
	 * it changes something. Throws the host's error, and AppError("upgrade") for a host of another version, unless all versions
	 * know the request.
	 */
	readonly request: AskHost;
	/** Calls a listener with what the host sends. */
	readonly onMessage: (listener: (message: HostMessage) => void) => Unsubscribe;
	/** Calls a listener once a connection is there again, before what waits is sent. */
	readonly onReconnect: (listener: (ask: AskHost) => Promise<void>) => Unsubscribe;
	readonly onState: (listener: (state: LinkState, why?: AppError) => void) => Unsubscribe;
	/**
	 * Returns how long the host takes to answer, in milliseconds; undefined while there is no connection. One that carries no
	 * answer in time is ended, and another one opened: a machine that slept, or a network that went, closes nothing.
	 */
	readonly measure: (timeoutMs: number) => Promise<number | undefined>;
	readonly close: () => void;
};

type Waiting = {
	readonly method: string;
	readonly params: unknown;
	readonly resolve: (value: unknown) => void;
	readonly reject: (why: unknown) => void;
};

/** Waits for the greeting of a host, at most so long. Throws AppError("network") then. */
async function within(greeting: Promise<Welcome>, timeoutMs: number): Promise<Welcome> {
	const late = new AbortController();
	const timer = setTimeout(() => {
		const hint = 'Check that it runs there, and try again.';
		late.abort(new AppError('network', "The host accepts connections, but doesn't answer.", {hint}));
	}, timeoutMs);
	try {
		return await abortable(greeting, late.signal);
	} finally {
		clearTimeout(timer);
	}
}

const shortestWaitMs = 100;
const longestWaitMs = 5000;

/**
 * Connects to a host. Throws what `open` throws, AppError("upgrade") for one that speaks another protocol, and AppError("network")
 * for one that doesn't greet.
 */
export async function connectHost(options: Options): Promise<HostClient> {
	const {open, version, at, terminal, person, client, rank, greetTimeoutMs = 15_000, wait = sleep} = options;
	const messages = new Set<(message: HostMessage) => void>();
	const reconnects = new Set<(ask: AskHost) => Promise<void>>();
	const states = new Set<(state: LinkState, why?: AppError) => void>();
	const waiting = new Set<Waiting>();
	let peer: Peer | undefined;
	let greeted: Welcome | undefined;
	let isClosed = false;

	const tell = (state: LinkState, why?: AppError) => {
		for (const listener of states) {
			listener(state, why);
		}
	};

	const connect = async () => {
		let isCurrent = true;
		const pipes = await open();
		const next = createPeer(pipes, {
			async onRequest() {
				throw new AppError('usage', 'A terminal answers no requests.');
			},
			onNotification(method, params) {
				const message = isCurrent ? readMessage(method, params) : undefined;
				for (const listener of message ? messages : []) {
					listener(message as HostMessage);
				}
			},
			onEnd() {
				const wasCurrent = peer === next;
				isCurrent = false;
				if (wasCurrent) {
					peer = undefined;
				}

				if (wasCurrent && !isClosed) {
					void reconnect();
				}
			},
		});
		try {
			const said = {
				protocol: linkProtocol,
				version,
				terminal,
				person,
				...(client !== undefined && {client}),
				...(rank && {rank}),
			};
			const greeting = askOn(next)('_service/hello', said);
			greeted = await (pipes.failure ? greeting : within(greeting, greetTimeoutMs));
		} catch (error) {
			next.close();
			const hasEnded = error instanceof AppError && error.code === 'network';
			throw (hasEnded ? await pipes.failure?.() : undefined) ?? error;
		}

		return next;
	};

	const send = async (each: Waiting, by: Peer) => {
		try {
			each.resolve(await by.request(each.method, each.params));
			waiting.delete(each);
		} catch (error) {
			// The next connection carries what this one lost.
			if (by.isOpen() || isClosed) {
				waiting.delete(each);
				each.reject(error);
			}
		}
	};

	const reconnect = async () => {
		tell('reconnecting');
		for (let delayMs = shortestWaitMs; !isClosed; delayMs = Math.min(2 * delayMs, longestWaitMs)) {
			let next: Peer | undefined;
			try {
				next = await connect();
				if (greeted && isOtherVersion(greeted, version)) {
					throw otherVersion(greeted, version, at && attachAgain(at));
				}

				for (const listener of reconnects) {
					await listener(askOn(next));
				}

				if (!next.isOpen()) {
					throw connectionLost(at);
				}

				if (isClosed) {
					next.close();
					return;
				}

				peer = next;
				tell('connected');
				for (const each of waiting) {
					void send(each, next);
				}

				return;
			} catch (error) {
				next?.close();
				if (!(error instanceof AppError)) {
					end(new AppError('failed', reportError(error).message, {cause: error}));
					return;
				}

				if (error.code !== 'network') {
					end(error);
					return;
				}
			}

			await wait(delayMs);
		}
	};

	const end = (why?: AppError) => {
		if (isClosed) {
			return;
		}

		isClosed = true;
		peer?.close();
		peer = undefined;
		for (const each of waiting) {
			each.reject(why ?? new AppError('interrupted', 'The terminal was detached.'));
		}

		waiting.clear();
		tell('closed', why);
	};

	peer = await connect();
	if (!peer.isOpen()) {
		throw connectionLost(at);
	}

	return {
		welcome: () => greeted as Welcome,
		async request(method, params) {
			if (isClosed) {
				throw new AppError('network', 'This terminal is detached.', {hint: attachAgain(at)});
			}

			if (!inAnyVersion.has(method) && greeted && isOtherVersion(greeted, version)) {
				throw otherVersion(greeted, version, at && attachAgain(at));
			}

			const answer = new Promise<unknown>((resolve, reject) => {
				const each: Waiting = {method, params, resolve, reject};
				waiting.add(each);
				if (peer) {
					void send(each, peer);
				}
			});
			return readAnswer(method, await answer);
		},
		onMessage: listener => listen(messages, listener),
		onReconnect: listener => listen(reconnects, listener),
		onState: listener => listen(states, listener),
		async measure(timeoutMs) {
			const current = peer;
			if (!current) {
				return undefined;
			}

			const sentAt = performance.now();
			const timer = setTimeout(() => current.close(), timeoutMs);
			timer.unref();
			try {
				await askOn(current)('_service/ping', {});
				return performance.now() - sentAt;
			} catch {
				return undefined;
			} finally {
				clearTimeout(timer);
			}
		},
		close: () => end(),
	};
}

/** Adds a listener. Returns what removes it. */
function listen<Listener>(listeners: Set<Listener>, listener: Listener): Unsubscribe {
	listeners.add(listener);
	return () => void listeners.delete(listener);
}

/** True for a host that another version of the program runs. */
export function isOtherVersion(host: Welcome, version: string): boolean {
	return host.version !== version || host.protocol !== linkProtocol;
}

/** The error of a host that another version runs. */
export function otherVersion({version: theirs}: Welcome, version: string, hint?: string): AppError {
	const protocol = theirs === version ? ', but another build of it' : '';
	return new AppError('upgrade', `The host runs version ${theirs}${protocol}; this is ${version}.`, {
		hint: hint ?? 'Attach again, to replace it: `$ attach`',
	});
}

/** Returns what asks over one connection. */
function askOn(peer: Peer): AskHost {
	return async (method, params) => readAnswer(method, await peer.request(method, params));
}

/** Reads an answer. Throws AppError("upgrade") for one that this version doesn't know. */
function readAnswer<Method extends RequestMethod>(method: Method, answer: unknown): RequestAnswer<Method> {
	const read = requests[method].answer.safeParse(answer);
	if (!read.success) {
		throw new AppError('upgrade', 'The host answers what this version does not know.', {
			hint: 'Install the same version of both.',
		});
	}

	// The table joins each method with its answer.
	return read.data as RequestAnswer<Method>;
}

function readMessage(method: string, params: unknown): HostMessage | undefined {
	if (!(method in sentByHost)) {
		return undefined;
	}

	const read = sentByHost[method as keyof Sent].safeParse(params);
	return read.success ? ({method, params: read.data} as HostMessage) : undefined;
}
