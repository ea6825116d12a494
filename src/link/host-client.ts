import {setTimeout as sleep} from 'node:timers/promises';
import type * as z from 'zod/mini';
import {AppError, reportError} from '../core/error.ts';
import {createPeer, type Peer, type Pipes} from './json-lines.ts';
import {linkProtocol, type Person, sentByHost, type Welcome, welcome} from './protocol.ts';

type Sent = typeof sentByHost;

/** What a host sends by itself. */
export type HostMessage = {
	[Method in keyof Sent]: {readonly method: Method; readonly params: z.infer<Sent[Method]>};
}[keyof Sent];

type Options = {
	/** Opens a connection. Throws `AppError`. */
	readonly open: () => Promise<Pipes>;
	readonly version: string;
	/** The same for all connections of this terminal. */
	readonly terminal: string;
	readonly person: Person;
	/** Waits before the next attempt; tests have a faster clock. */
	readonly wait?: (milliseconds: number) => Promise<unknown>;
};

/** Whether a terminal hears its host. */
export type LinkState = 'connected' | 'reconnecting' | 'closed';

/** A terminal's connection to a host, which comes back after a cut. */
export type HostClient = {
	readonly welcome: () => Welcome;
	/**
	 * Asks the host. A request that a cut left without an answer is sent again once the connection is back, so it needs a key if
	 * it changes something. Throws the host's error.
	 */
	readonly request: (method: string, params: unknown) => Promise<unknown>;
	/** Calls a listener with what the host sends. */
	readonly onMessage: (listener: (message: HostMessage) => void) => void;
	/** Calls a listener once a connection is there again, before what waits is sent. */
	readonly onReconnect: (listener: (peer: Pick<Peer, 'request'>) => Promise<void>) => void;
	readonly onState: (listener: (state: LinkState, why?: AppError) => void) => void;
	readonly close: () => void;
};

type Waiting = {
	readonly method: string;
	readonly params: unknown;
	readonly resolve: (value: unknown) => void;
	readonly reject: (why: unknown) => void;
};

const shortestWaitMs = 100;
const longestWaitMs = 5000;

/** Connects to a host. Throws what `open` throws, and AppError("upgrade") for one that speaks another protocol. */
export async function connectHost(options: Options): Promise<HostClient> {
	const {open, version, terminal, person, wait = sleep} = options;
	const messages: Array<(message: HostMessage) => void> = [];
	const reconnects: Array<(peer: Pick<Peer, 'request'>) => Promise<void>> = [];
	const states: Array<(state: LinkState, why?: AppError) => void> = [];
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
			const answer = await next.request('_service/hello', {protocol: linkProtocol, version, terminal, person});
			const read = welcome.safeParse(answer);
			if (!read.success) {
				throw new AppError('upgrade', 'The host answers what this version does not know.', {
					hint: 'Install the same version of both.',
				});
			}

			greeted = read.data;
		} catch (error) {
			next.close();
			const said = error instanceof AppError && error.code === 'network' ? await pipes.failure?.() : undefined;
			throw said
				? new AppError('network', said.split('\n').at(-1) ?? said, {hint: 'Check the place, then try again.'})
				: error;
		}

		return next;
	};

	const send = async (each: Waiting, by: Peer) => {
		try {
			each.resolve(await by.request(each.method, each.params));
			waiting.delete(each);
		} catch (error) {
			// The next connection carries what this one lost.
			if (peer === by || isClosed) {
				waiting.delete(each);
				each.reject(error);
			}
		}
	};

	const reconnect = async () => {
		tell('reconnecting');
		for (let delayMs = shortestWaitMs; !isClosed; delayMs = Math.min(2 * delayMs, longestWaitMs)) {
			try {
				const next = await connect();
				for (const listener of reconnects) {
					await listener(next);
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
				const {code} = reportError(error);
				if (code !== 'network' && error instanceof AppError) {
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
	return {
		welcome: () => greeted as Welcome,
		async request(method, params) {
			if (isClosed) {
				throw new AppError('network', 'This terminal is detached.', {hint: 'Attach again: `$ attach`'});
			}

			return new Promise<unknown>((resolve, reject) => {
				const each: Waiting = {method, params, resolve, reject};
				waiting.add(each);
				if (peer) {
					void send(each, peer);
				}
			});
		},
		onMessage: listener => void messages.push(listener),
		onReconnect: listener => void reconnects.push(listener),
		onState: listener => void states.push(listener),
		close: () => end(),
	};
}

function readMessage(method: string, params: unknown): HostMessage | undefined {
	if (!(method in sentByHost)) {
		return undefined;
	}

	const read = sentByHost[method as keyof Sent].safeParse(params);
	return read.success ? ({method, params: read.data} as HostMessage) : undefined;
}
