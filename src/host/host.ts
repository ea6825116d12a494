import {createHash} from 'node:crypto';
import {isAbsolute, sep} from 'node:path';
import type {ComposeOptions, Program} from '../command/program.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {createPeer, type Peer, type Pipes} from '../link/json-lines.ts';
import {
	type HostedListing,
	linkProtocol,
	mayDo,
	type Person,
	type Rank,
	type RequestAnswer,
	type RequestMethod,
	type RequestParams,
	requestOf,
} from '../link/protocol.ts';
import {sessionByPrefix} from '../link/session-prefix.ts';
import {openHome} from '../storage/home.ts';
import {realFolder} from '../storage/real-folder.ts';
import {findSession} from '../storage/sessions.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import {type Admission, type Admit, assertRank, type Sharing} from './admission.ts';
import {asGuest} from './guest-rights.ts';
import {createHandoffs} from './handoffs.ts';
import {type AttachedTerminal, type HostedSession, openHostedSession} from './hosted-session.ts';

type Options = {
	readonly compose: (options: ComposeOptions) => Promise<Program>;
	/** The environment of the host, whose state folder all sessions share. */
	readonly env: Environment;
	/** Real paths: sessions are in them, or below. */
	readonly folders: readonly string[];
	readonly version: string;
	readonly person: Person;
	/** Called when all runs have ended after a request to drain, and the sessions are closed. */
	readonly onDrained: () => void;
	/** Called when a session has ended, or another one continues in its place: no link to it counts any more. */
	readonly onSessionEnded?: (id: string) => void;
	/** Most bytes that may wait for a terminal before it counts as slow. */
	readonly maxWaitingBytes?: number | undefined;
	/** Returns milliseconds on a monotonic clock. */
	readonly now?: () => number;
};

/** The sessions of this process, and what answers whoever connects. */
export type Host = {
	/**
	 * Serves a connection until it ends, for what its way in allows: known already, or read from the `_service/open` that the
	 * connection begins with.
	 */
	readonly serve: (pipes: Pipes, way: Admission | Admit) => HostConnection;
	readonly list: () => readonly HostedListing[];
	/** Ends all sessions, then all connections. */
	readonly close: (why: string) => Promise<void>;
};

/** A terminal, or another program, that is connected. */
export type HostConnection = {
	/** Ends it, as if it had been cut. */
	readonly close: () => void;
};

/** Most sessions that are open at the same time. */
const maxSessions = 64;

/** Most ended sessions that a list still shows. */
const maxEnded = 20;

/** Most terminals whose way in is known. */
const maxWays = 10_000;

/** Most characters of the name of a client. */
const maxName = 40;

/** What requests came to, by their key. */
type Outcomes = Map<string, Promise<unknown>>;

/** Most outcomes that are kept for terminals that ask again: of the owner, and of each link. */
const maxOutcomes = 1000;

/** Most links that anything is kept of. */
const maxGuestLinks = 100;

/** How often a link may be used to attach in that time: the journal notes each. */
const maxGuestAttaches = 60;
const guestAttachesMs = 60_000;

/** Most sessions whose successors are known to terminals that come back. */
const maxSuccessors = 200;

/** How long a connection may take to say who it is. */
const openMs = 10_000;

/** Creates a host without sessions. */
export function createHost({
	compose,
	env,
	folders,
	version,
	person,
	onDrained,
	onSessionEnded,
	maxWaitingBytes,
	now = steady,
}: Options): Host {
	const sessions = new Map<string, HostedSession>();
	/** What requests came to, by their key: a terminal that was cut asks again, and gets the same answer. */
	const outcomes: Outcomes = new Map();
	/** Those of guests, by their link: a key of theirs is none of the owner's. */
	const guestOutcomes = new Map<string, Outcomes>();
	/** How often each link was used to attach since a time. */
	const guestAttaches = new Map<string, {readonly since: number; readonly count: number}>();
	/** The sessions that others continue as. */
	const successors = new Map<string, string>();
	let ended: Array<{readonly id: string; readonly owner: string | undefined; readonly listing: HostedListing}> = [];
	/** The way in of each terminal, by the id that it calls itself. */
	const ways = new Map<string, string>();
	const peers = new Set<Peer>();
	let isClosed = false;
	let isDraining = false;

	const reached = ({reaches}: Admission) =>
		[...sessions.values()].filter(session => reaches?.({id: session.id(), owner: session.owner}) ?? true);

	const find = (idOrPrefix: string, admission: Admission): HostedSession => {
		const successor = sessions.has(idOrPrefix) ? undefined : successors.get(idOrPrefix);
		return sessionByPrefix(successor ?? idOrPrefix, reached(admission), session => session.id());
	};

	const outcomesOf = ({isGuest, way = ''}: Admission): Outcomes => {
		if (!isGuest) {
			return outcomes;
		}

		const own: Outcomes = guestOutcomes.get(way) ?? new Map();
		// The link that was used last stays longest.
		guestOutcomes.delete(way);
		guestOutcomes.set(way, own);
		forgetFirst(guestOutcomes, maxGuestLinks);
		return own;
	};

	/** Throws AppError("network"), after which a terminal tries again, if a guest attaches too often. */
	const countAttach = ({isGuest, way = ''}: Admission) => {
		if (!isGuest) {
			return;
		}

		const before = guestAttaches.get(way);
		const {since, count} = before && now() - before.since < guestAttachesMs ? before : {since: now(), count: 0};
		if (count >= maxGuestAttaches) {
			throw new AppError('network', 'This link was used too often.', {hint: 'Attach again in a minute.'});
		}

		guestAttaches.set(way, {since, count: count + 1});
		forgetFirst(guestAttaches, maxGuestLinks);
	};

	const list = (admission?: Admission) => [
		...(admission ? reached(admission) : [...sessions.values()]).map(({listing}) => listing()),
		...ended.filter(({id, owner}) => admission?.reaches?.({id, owner}) ?? true).map(({listing}) => listing),
	];

	const end = async (session: HostedSession, why: string) => {
		const id = session.id();
		sessions.delete(id);
		onSessionEnded?.(id);
		const listing = {...session.listing(), state: 'ended' as const, terminals: [], questions: 0};
		ended = [{id, owner: session.owner, listing}, ...ended].slice(0, maxEnded);
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

	const assertBegins = () => {
		if (isDraining) {
			throw new AppError('conflict', 'The host ends, and begins no session.', {hint: 'Start another host.'});
		}

		if (sessions.size >= maxSessions) {
			throw new AppError('conflict', `${maxSessions} sessions are open already.`, {hint: 'End one of them first.'});
		}
	};

	const begin = async (
		{folder, resume, model, mode, prompt}: RequestParams<'_service/begin'>,
		admission: Admission,
	) => {
		assertBegins();
		const known = resume === undefined ? undefined : sessions.get(resume);
		if (known) {
			return {session: known.id(), notices: []};
		}

		const home = openHome(env);
		const saved = resume === undefined ? undefined : await findSession(home, resume);
		const session = await openHostedSession({
			compose,
			begins: {
				folder: fenced(folder ?? (saved?.folder || admission.folder || (folders[0] ?? ''))),
				// The state folder is that of the host: its journals are what terminals come back to.
				env: {...admission.environment, SERVICE_HOME: home.path},
				...(model !== undefined && {model}),
			},
			owner: admission.owner,
			mode,
			resume: saved?.id,
			maxWaitingBytes,
			now,
			onReplaced(before, after) {
				sessions.delete(before);
				sessions.set(after, session);
				for (const [id, successor] of successors) {
					if (successor === before) {
						successors.set(id, after);
					}
				}

				successors.set(before, after);
				onSessionEnded?.(before);
				forgetFirst(successors, maxSuccessors);
			},
		});
		sessions.set(session.id(), session);
		if (prompt !== undefined) {
			session.send(prompt);
		}

		return {session: session.id(), notices: [...session.notices]};
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
		isClosed = true;
		for (const peer of peers) {
			peer.close();
		}
	};

	const handoffs = createHandoffs({
		home: () => openHome(env),
		folders,
		outcomes,
		once: (key, run) => once(outcomes, key, run),
		assertBegins,
		end,
	});

	return {
		list,
		close,
		serve(pipes, way) {
			let admission = typeof way === 'function' ? undefined : way;
			let rank: Rank = admission?.rank ?? 'observer';
			let terminal: AttachedTerminal | undefined;
			const timer = setTimeout(() => admission ?? peer.close(), openMs);
			timer.unref();

			const attachedTerminal = () => {
				if (!terminal) {
					throw new AppError('usage', 'The terminal did not say who it is.');
				}

				return terminal;
			};

			/** Returns what answers a connection with this admission. */
			const answersTo = (by: Admission): Answers => ({
				'_service/hello'(said) {
					// A terminal that gave up what it may do has no way back.
					if (terminal) {
						throw new AppError('usage', 'The terminal said who it is already.');
					}

					const way = by.way ?? '';
					if ((ways.get(said.terminal) ?? way) !== way) {
						throw new AppError('auth', 'This terminal came in another way before.', {hint: 'Attach again.'});
					}

					ways.set(said.terminal, way);
					forgetFirst(ways, maxWays);
					rank = said.rank && mayDo(by.rank, said.rank) ? said.rank : by.rank;
					const named = typeof by.who === 'function' ? by.who(said.person) : by.who;
					const who = named ?? `${said.person.user}@${said.person.machine}`;
					terminal = {
						seat: seatOf(said.terminal),
						who: said.client === undefined ? who : `${who} (${safeName(said.client)})`,
						isForeign: said.client !== undefined,
						isGuest: by.isGuest === true,
						rank,
						reaches: by.reaches,
						peer,
					};
					return {protocol: linkProtocol, version, person, pid: process.pid, folders: [...folders]};
				},
				'_service/ping': () => ({}),
				'_service/list': () => ({sessions: list(by)}),
				'_service/begin': wanted => once(outcomesOf(by), wanted.key, () => begin(wanted, by)),
				'_service/attach'({session: wanted, role, seq}) {
					const session = find(wanted, by);
					countAttach(by);
					const {seat} = attachedTerminal();
					// What the terminal has is of a session that continues as this one.
					const from = session.id().startsWith(wanted.trim().toLowerCase()) ? seq : -1;
					return {session: session.id(), seat, ...session.attach(attachedTerminal(), role, from)};
				},
				'_service/detach'({session}) {
					find(session, by).detach(attachedTerminal(), false);
					return {};
				},
				'_service/act': ({session, key, ...wanted}) =>
					once(outcomesOf(by), key, () => find(session, by).act(attachedTerminal(), wanted)),
				'_service/answer': ({session, key, question, value}) =>
					once(outcomesOf(by), key, async () => {
						find(session, by).answer(attachedTerminal(), question, value);
						return {};
					}),
				'_service/painted'({session, question}) {
					find(session, by).painted(attachedTerminal(), question);
					return {};
				},
				'_service/drive': ({session, key, how, word}) =>
					once(outcomesOf(by), key, async () => ({text: find(session, by).drive(attachedTerminal(), how, word)})),
				async '_service/end'({session}) {
					await end(find(session, by), `${attachedTerminal().who} ended it.`);
					return {};
				},
				'_service/share': ({key, session: wanted, role, for_ms: forMs}) =>
					once(outcomesOf(by), key, async () => {
						const session = find(wanted, by);
						const link = sharingFor(by).create(session.id(), role, forMs);
						session.note({type: 'presence', act: 'share', who: attachedTerminal().who, role});
						return {...link, session: session.id()};
					}),
				'_service/shares': () => ({links: [...(by.sharing?.list() ?? [])]}),
				'_service/unshare'({id}) {
					const {session, role} = sharingFor(by).revoke(id);
					sessions.get(session)?.note({type: 'presence', act: 'revoke', who: attachedTerminal().who, role});
					return {session};
				},
				'_service/drain'() {
					// A host without runs ends at once: the answer is written before.
					setImmediate(() => void drain());
					return {};
				},
				...handoffs({
					who: () => attachedTerminal().who,
					find: session => find(session, by),
					begin: session => begin({key: session, resume: session}, by),
				}),
			});
			let answers = admission && answersTo(admission);
			const peer: Peer = createPeer(pipes, {
				async onRequest(method, params) {
					const request = requestOf(method);
					if (!request || !answers) {
						throw new AppError('usage', `The host does not know “${method.slice(0, 40)}”.`, {
							hint: 'Install the same version of both.',
						});
					}

					assertRank(rank, request.needs);
					const read = request.params.safeParse(params);
					if (!read.success) {
						throw new AppError('usage', 'The terminal asked in a way that the host does not know.', {
							hint: 'Install the same version of both.',
						});
					}

					// The table joins each method with its parameters.
					const asked = admission?.isGuest ? asGuest(method as RequestMethod, read.data) : read.data;
					return answers[method as RequestMethod](asked as never);
				},
				onNotification(method, params) {
					if (method !== '_service/open' || admission || typeof way !== 'function') {
						return;
					}

					admission = way(params);
					if (admission) {
						({rank} = admission);
						answers = answersTo(admission);
					} else {
						peer.close();
					}
				},
				onEnd() {
					clearTimeout(timer);
					peers.delete(peer);
					for (const session of terminal ? sessions.values() : []) {
						session.detach(terminal as AttachedTerminal, true);
					}
				},
			});
			peers.add(peer);
			if (isClosed) {
				// A terminal that comes back at once would keep the socket open.
				peer.close();
			}

			return {close: () => peer.close()};
		},
	};
}

/** Returns what shares sessions. Throws AppError("usage") where nobody could open a link. */
function sharingFor({sharing}: Admission): Sharing {
	if (!sharing) {
		throw new AppError('usage', 'Nobody could open a link: this host listens on its socket only.', {
			hint: 'Start it with `$ host --listen 127.0.0.1:8720`',
		});
	}

	return sharing;
}

type Awaitable<Value> = Value | Promise<Value>;

/** What answers each request. */
type Answers = {
	readonly [Method in RequestMethod]: (params: RequestParams<Method>) => Awaitable<RequestAnswer<Method>>;
};

/** Returns what others know a terminal by: whoever knows its id could come back in its place. */
function seatOf(terminal: string): string {
	return createHash('sha256').update(terminal).digest('base64url').slice(0, 16);
}

/** Returns the name of a program as lists and journals hold it: it is what the program says. */
function safeName(name: string): string {
	return safeLine(name).trim().slice(0, maxName) || 'another client';
}

/** Runs a request once for its key, which is random, and of one request. */
function once<Outcome>(outcomes: Outcomes, key: string, run: () => Promise<Outcome>): Promise<Outcome> {
	const known = outcomes.get(key);
	if (known) {
		return known as Promise<Outcome>;
	}

	const outcome = run();
	outcomes.set(key, outcome);
	outcome.catch(() => undefined);
	forgetFirst(outcomes, maxOutcomes);
	return outcome;
}

/** Removes the oldest entries of a map that has too many. */
function forgetFirst(map: Map<string, unknown>, most: number): void {
	for (const key of map.keys()) {
		if (map.size <= most) {
			return;
		}

		map.delete(key);
	}
}

const steady = () => performance.now();
