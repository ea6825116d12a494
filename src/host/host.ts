import {createHash, timingSafeEqual} from 'node:crypto';
import {isAbsolute, sep} from 'node:path';
import type * as z from 'zod/mini';
import type {ComposeOptions, Program} from '../command/program.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {minPrefixLength} from '../core/uuid.ts';
import {createPeer, type Peer, type Pipes} from '../link/json-lines.ts';
import {
	act,
	answerTo,
	attachTo,
	beginSession,
	driveRequest,
	type HostedListing,
	hello,
	linkProtocol,
	ofSession,
	openLine,
	type Person,
	type Welcome,
} from '../link/protocol.ts';
import {openHome} from '../storage/home.ts';
import {realFolder} from '../storage/real-folder.ts';
import {findSession} from '../storage/sessions.ts';
import {type AttachedTerminal, type HostedSession, openHostedSession} from './hosted-session.ts';

type Options = {
	readonly compose: (options: ComposeOptions) => Promise<Program>;
	/** The environment of the host, whose state folder all sessions share. */
	readonly env: Environment;
	/** Real paths: sessions are in them, or below. */
	readonly folders: readonly string[];
	readonly version: string;
	readonly person: Person;
	/** What a program must have read to connect. */
	readonly token: string;
	/** Called when all runs have ended after a request to drain, and the sessions are closed. */
	readonly onDrained: () => void;
	/** Returns milliseconds on a monotonic clock. */
	readonly now?: () => number;
};

/** The sessions of this process, and what answers whoever connects. */
export type Host = {
	/** Serves a connection until it ends. */
	readonly serve: (pipes: Pipes) => void;
	readonly list: () => readonly HostedListing[];
	/** Ends all sessions. */
	readonly close: (why: string) => Promise<void>;
};

/** Most sessions that are open at the same time. */
const maxSessions = 64;

/** Most ended sessions that a list still shows. */
const maxEnded = 20;

/** How long a connection may take to say who it is. */
const openMs = 10_000;

/** Creates a host without sessions. */
export function createHost({compose, env, folders, version, person, token, onDrained, now = steady}: Options): Host {
	const sessions = new Map<string, HostedSession>();
	const begun = new Map<string, Promise<{session: string; notices: readonly string[]}>>();
	let ended: HostedListing[] = [];
	let isDraining = false;

	const find = (idOrPrefix: string): HostedSession => {
		const wanted = idOrPrefix.trim().toLowerCase();
		const matches = wanted.length < minPrefixLength ? [] : [...sessions].filter(([id]) => id.startsWith(wanted));
		const [, session] = matches.length === 1 ? (matches[0] ?? []) : [];
		if (!session) {
			throw new AppError('not-found', `No session “${idOrPrefix.slice(0, 40)}” runs on this host.`, {
				hint: 'List them: `$ attach`',
			});
		}

		return session;
	};

	const list = () => [...[...sessions.values()].map(({listing}) => listing()), ...ended];

	const end = async (session: HostedSession, why: string) => {
		const id = session.id();
		sessions.delete(id);
		ended = [{...session.listing(), state: 'ended' as const, terminals: [], questions: 0}, ...ended].slice(0, maxEnded);
		await session.close(why);
	};

	/** Returns the folder of a session. Throws AppError("usage") for one outside of those that the host was started for. */
	const fenced = (path: string): string => {
		const real = isAbsolute(path) ? realFolder(path) : undefined;
		if (real === undefined) {
			throw new AppError('usage', `The folder “${path}” does not exist on the host.`, {hint: 'Name another one.'});
		}

		if (!folders.some(folder => real === folder || real.startsWith(folder === sep ? sep : folder + sep))) {
			throw new AppError('usage', `The host keeps no sessions in ${real}.`, {
				hint: `It was started for: ${folders.join(', ')}`,
			});
		}

		return real;
	};

	const begin = async (
		{folder, resume, model, mode, prompt}: z.infer<typeof beginSession>,
		opened: z.infer<typeof openLine>,
	) => {
		if (isDraining) {
			throw new AppError('conflict', 'The host ends, and begins no session.', {hint: 'Start another host.'});
		}

		if (sessions.size >= maxSessions) {
			throw new AppError('conflict', `${maxSessions} sessions are open already.`, {hint: 'End one of them first.'});
		}

		const known = resume === undefined ? undefined : sessions.get(resume);
		if (known) {
			return {session: known.id(), notices: []};
		}

		const home = openHome(env);
		const saved = resume === undefined ? undefined : await findSession(home, resume);
		const session = await openHostedSession({
			compose,
			begins: {
				folder: fenced(folder ?? (saved?.folder || opened.folder || (folders[0] ?? ''))),
				// The state folder is that of the host: its journals are what terminals come back to.
				env: {...opened.environment, SERVICE_HOME: home.path},
				...(model !== undefined && {model}),
			},
			mode,
			resume: saved?.id,
			now,
			onReplaced(before, after) {
				sessions.delete(before);
				sessions.set(after, session);
			},
		});
		sessions.set(session.id(), session);
		if (prompt !== undefined) {
			session.send(prompt);
		}

		return {session: session.id(), notices: session.notices};
	};

	const drain = async () => {
		isDraining = true;
		const check = async () => {
			if ([...sessions.values()].some(({isRunning}) => isRunning())) {
				setTimeout(() => void check(), 100).unref();
				return;
			}

			await close('The host was replaced.');
			onDrained();
		};
		await check();
	};

	const close = async (why: string) => {
		await Promise.allSettled([...sessions.values()].map(session => end(session, why)));
	};

	return {
		list,
		close,
		serve(pipes) {
			let opened: z.infer<typeof openLine> | undefined;
			let terminal: AttachedTerminal | undefined;
			const timer = setTimeout(() => opened ?? peer.close(), openMs);
			timer.unref();

			const attachedTerminal = () => {
				if (!terminal) {
					throw new AppError('usage', 'The terminal did not say who it is.');
				}

				return terminal;
			};

			/** What answers each request, with its parameters read. */
			const requests: Readonly<Record<string, (params: unknown) => Promise<unknown> | unknown>> = {
				'_service/hello'(params): Welcome {
					const said = read(hello, params);
					terminal = {id: said.terminal, who: `${said.person.user}@${said.person.machine}`, peer};
					return {protocol: linkProtocol, version, person, pid: process.pid, folders: [...folders]};
				},
				'_service/list': () => ({sessions: list()}),
				async '_service/begin'(params) {
					const wanted = read(beginSession, params);
					const line = opened;
					if (!line) {
						throw new AppError('usage', 'The connection is not open.');
					}

					const known = begun.get(wanted.key) ?? begin(wanted, line);
					begun.set(wanted.key, known);
					known.catch(() => begun.delete(wanted.key));
					return known;
				},
				'_service/attach'(params) {
					const {session: wanted, role, seq} = read(attachTo, params);
					const session = find(wanted);
					return {session: session.id(), ...session.attach(attachedTerminal(), role, seq)};
				},
				'_service/detach'(params) {
					find(read(ofSession, params).session).detach(attachedTerminal(), false);
				},
				'_service/act'(params) {
					const {session, ...request} = read(act, params);
					return find(session).act(attachedTerminal(), request);
				},
				'_service/answer'(params) {
					const {session, question, value} = read(answerTo, params);
					find(session).answer(attachedTerminal(), question, value);
				},
				'_service/drive'(params) {
					const {session, how, word} = read(driveRequest, params);
					return {text: find(session).drive(attachedTerminal(), how, word)};
				},
				async '_service/end'(params) {
					await end(find(read(ofSession, params).session), `${attachedTerminal().who} ended it.`);
				},
				'_service/drain'() {
					void drain();
					return {folders};
				},
				'_service/ping': () => ({}),
			};
			const peer: Peer = createPeer(pipes, {
				async onRequest(method, params) {
					const handler = opened && Object.hasOwn(requests, method) ? requests[method] : undefined;
					if (!handler) {
						throw new AppError('usage', `The host does not know “${method.slice(0, 40)}”.`, {
							hint: 'Install the same version of both.',
						});
					}

					return handler(params);
				},
				onNotification(method, params) {
					if (method !== '_service/open' || opened) {
						return;
					}

					const line = openLine.safeParse(params);
					if (line.success && isSame(line.data.token, token)) {
						opened = line.data;
					} else {
						peer.close();
					}
				},
				onEnd() {
					clearTimeout(timer);
					for (const session of terminal ? sessions.values() : []) {
						session.detach(terminal as AttachedTerminal, true);
					}
				},
			});
		},
	};
}

const steady = () => performance.now();

/** Compares two secrets in a time that doesn't tell where they differ. */
function isSame(one: string, other: string): boolean {
	const hashes = [one, other].map(secret => createHash('sha256').update(secret).digest());
	return timingSafeEqual(hashes[0] ?? Buffer.alloc(0), hashes[1] ?? Buffer.alloc(0));
}

/** Reads the parameters of a request. Throws AppError("usage") for others. */
function read<Schema extends z.ZodMiniType>(schema: Schema, params: unknown): z.infer<Schema> {
	const result = schema.safeParse(params);
	if (!result.success) {
		throw new AppError('usage', 'The terminal asked in a way that the host does not know.', {
			hint: 'Install the same version of both.',
		});
	}

	return result.data;
}
