import {randomUUID} from 'node:crypto';
import {setTimeout as sleep} from 'node:timers/promises';
import {AppError} from '../core/error.ts';
import type {Json} from '../core/json.ts';
import {parseRecorded, type Recorded} from '../core/session/event.ts';
import {replayTranscript} from '../core/session/reduce-transcript.ts';
import {listHosted} from '../link/find-host.ts';
import type {AskHost, HostClient, HostMessage} from '../link/host-client.ts';
import type {HostedState, SeatRole} from '../link/protocol.ts';
import {matchSession} from '../link/session-prefix.ts';
import type {Conversation} from '../session/conversation.ts';
import type {AppState, AppStore} from '../store/store.ts';
import {shownMs} from './questions.ts';
import type {SessionVerb} from './session-verbs.ts';

/** A question of the host, with what answers it. */
export type RemoteQuestion = Extract<HostMessage, {method: '_service/question'}>['params'] & {
	/** Called once the frame with the question is out: the host counts from then. */
	readonly painted: () => void;
	/** Throws AppError("conflict") for an answer that doesn't count: the question waits until the signal aborts. */
	readonly answer: (value: Json | undefined) => Promise<void>;
	/** Aborts when somebody else answered, or the question is void. */
	readonly signal: AbortSignal;
};

/** The session of a host that a terminal is attached to. */
export type RemoteSession = {
	readonly conversation: Conversation;
	/** Attaches to a session of the host, or to a saved one that it continues. Resolves once the transcript so far is shown. */
	readonly open: (session: string) => Promise<readonly string[]>;
	readonly act: <Verb extends SessionVerb['verb']>(
		verb: Verb,
		args: Extract<SessionVerb, {verb: Verb}>['args'],
	) => Promise<Json>;
	readonly drive: (how: 'ask' | 'give' | 'take', word: string | undefined) => Promise<string>;
	readonly end: () => Promise<void>;
	/** Calls a listener with each record that comes once the transcript so far is shown. */
	readonly onRecord: (listener: (record: Recorded) => void) => void;
	readonly ask: AskHost;
	/** Returns the working folder of the session, on the machine of the host. */
	readonly folder: () => string;
	readonly close: () => Promise<void>;
};

type Options = {
	readonly client: HostClient;
	readonly store: AppStore;
	readonly role: SeatRole;
	readonly onQuestion: (question: RemoteQuestion) => void;
	/** Shows a sentence. */
	readonly onTold: (text: string) => void;
	/** Called when the session has ended on the host, or the host is gone for good. */
	readonly onEnded: (why: string) => void;
};

/** Creates the session of a terminal: the same verbs as one of its own, which act on the host. */
export function createRemoteSession(options: Options): RemoteSession {
	const {client, store, role, onQuestion, onTold, onEnded} = options;
	const questions = new Map<string, AbortController>();
	let session = '';
	/** What others know this terminal by. */
	let seat = '';
	let folder = '';
	/** The records so far, until the transcript is complete; undefined once it is on the screen. */
	let collected: Recorded[] | undefined;
	/** The last record that is applied or collected. */
	let last = -1;
	const followers: Array<(record: Recorded) => void> = [];
	/** What waits until the records up to a `seq` are here. */
	let reaching: Array<{readonly seq: number; readonly resolve: () => void}> = [];
	/** How many messages are on their way, or have no end of their run yet. */
	let sending = 0;
	/** True if the run of a message on its way is to be interrupted once it begins. */
	let interruptsNext = false;
	/** The last record of the transcript that is collected, once the host has said which. */
	let completeAt: number | undefined;
	/** Ends the wait for a transcript: it is shown, or its end will never come. */
	let settleTranscript: (why?: AppError) => void = () => undefined;

	const showTranscript = () => {
		if (collected && completeAt !== undefined && last >= completeAt) {
			const transcript = replayTranscript(session, collected);
			collected = undefined;
			completeAt = undefined;
			store.getState().openTranscript({...transcript, seq: last});
			settleTranscript();
		}
	};
	/** What came since an attach was asked for: only its answer says of which session, and which records count. */
	let held: HostMessage[] | undefined;
	const takeRecords = (values: readonly unknown[]) => {
		const records = values.flatMap(value => {
			const record = parseRecorded(value);
			return record && record.session === session && record.seq > last ? [record] : [];
		});
		// Records of a newer version count, too: nothing that follows them is asked for again.
		last = values.reduce<number>((most, value) => Math.max(most, seqOf(value)), last);
		if (collected) {
			for (const record of records) {
				collected.push(record);
			}
		} else if (records.length > 0) {
			store.getState().applyRecords(records);
			for (const record of records) {
				if (interruptsNext && record.event.type === 'run-start') {
					interruptsNext = false;
					forget('interrupt', {});
				}

				for (const follow of followers) {
					follow(record);
				}
			}
		}

		showTranscript();
		release(({seq}) => seq <= last);
	};

	const release = (isReached: (waiting: (typeof reaching)[number]) => boolean) => {
		const reached = reaching.filter(isReached);
		reaching = reaching.filter(each => !isReached(each));
		for (const {resolve} of reached) {
			resolve();
		}
	};

	const dropQuestions = () => {
		for (const abort of questions.values()) {
			abort.abort();
		}

		questions.clear();
	};

	const receive = ({method, params}: HostMessage) => {
		if (params.session !== session) {
			return;
		}

		switch (method) {
			case '_service/records':
				takeRecords(params.records);
				break;
			case '_service/state':
				applyState(store, params.state, seat);
				folder = params.state.folder ?? folder;
				break;
			case '_service/question': {
				if (questions.has(params.id)) {
					break;
				}

				const abort = new AbortController();
				/** Settled once the host has counted for long enough, too: the link may have held the word back. */
				let counted: Promise<unknown> | undefined;
				questions.set(params.id, abort);
				onQuestion({
					...params,
					signal: abort.signal,
					painted() {
						// A question that is void needs no painting.
						counted ??= client.request('_service/painted', {session, question: params.id}).then(
							() => sleep(shownMs, undefined, {ref: false}),
							() => undefined,
						);
					},
					async answer(value) {
						await (value === undefined ? undefined : counted);
						await client.request('_service/answer', {session, key: randomUUID(), question: params.id, value});
						questions.delete(params.id);
					},
				});
				break;
			}
			case '_service/question_closed':
				questions.get(params.id)?.abort();
				questions.delete(params.id);
				break;
			case '_service/caught_up':
				for (const [id, abort] of questions) {
					if (!params.questions.includes(id)) {
						abort.abort();
						questions.delete(id);
					}
				}

				break;
			case '_service/replaced':
				dropQuestions();
				release(() => true);
				session = params.by;
				last = -1;
				collected = [];
				completeAt = params.seq;
				showTranscript();
				break;
			case '_service/ended':
				dropQuestions();
				release(() => true);
				settleTranscript(new AppError('conflict', `The session ended: ${params.why}`));
				onEnded(params.why);
				break;
			case '_service/told':
				onTold(params.text);
				break;
			default:
				method satisfies never;
		}
	};
	const stopHearing = client.onMessage(message => {
		if (held) {
			held.push(message);
		} else {
			receive(message);
		}
	});

	/** Attaches with what the terminal has, and shows what is missing. */
	const attach = async (ask: AskHost, id: string) => {
		held = [];
		if (collected) {
			last = -1;
			collected = [];
		}

		try {
			const answer = await ask('_service/attach', {session: id, role, seq: last});
			({folder, seat} = answer);
			if (answer.session !== session || answer.seq < last) {
				// It continues as another one, or lost its end with its machine: everything is shown again.
				session = answer.session;
				last = -1;
				collected = [];
			}

			if (collected) {
				completeAt = answer.seq;
			}

			const messages = held ?? [];
			held = undefined;
			messages.forEach(receive);
			showTranscript();
		} finally {
			held = undefined;
		}
	};

	const stopFollowingState = client.onState((state, why) => {
		if (state === 'closed') {
			settleTranscript(why ?? detached());
		}
	});
	const stopReconnecting = client.onReconnect(async ask => {
		if (session) {
			await attach(ask, session);
		}
	});

	const act: RemoteSession['act'] = async (verb, args) =>
		client.request('_service/act', {session, key: randomUUID(), verb, args});
	const forget = (verb: SessionVerb['verb'], args: SessionVerb['args']) =>
		void act(verb, args as never).catch((error: unknown) => onTold(error instanceof Error ? error.message : ''));

	/** Attaches to another session. Resolves once its transcript is shown. */
	const attachTo = async (id: string) => {
		dropQuestions();
		const before = session;
		session = '';
		if (before) {
			await client.request('_service/detach', {session: before}).catch(() => undefined);
		}

		last = -1;
		collected = [];
		completeAt = undefined;
		const done = new Promise<void>((resolve, reject) => {
			settleTranscript = why => (why ? reject(why) : resolve());
		});
		await Promise.all([attach(client.request, id), done]);
	};

	mirrorActions(store, {forget});
	const conversation: Conversation = {
		async send(text, _startedBy, mentionsIn) {
			sending++;
			try {
				const ended = await act('send', {text, ...(mentionsIn !== undefined && {mentions_in: mentionsIn})});
				const seq = seqOf(ended);
				if (seq > last) {
					await new Promise<void>(resolve => reaching.push({seq, resolve}));
				}
			} finally {
				sending--;
				interruptsNext &&= sending > 0;
			}
		},
		async runCommand(command) {
			await act('shell', {command});
		},
		hasTurns: () => true,
		isAgreed: async () => false,
		interrupt() {
			if (store.getState().transcript.run) {
				forget('interrupt', {});
			} else {
				interruptsNext = sending > 0;
			}
		},
		notice: onTold,
		async start() {
			await act('new', {});
		},
		async fork(before) {
			await act('fork', before === undefined ? {} : {before});
		},
		async open() {
			throw notHere();
		},
		async compact(guidance) {
			await act('compact', guidance === undefined ? {} : {guidance});
		},
		undoCompaction() {
			const {folded} = store.getState().transcript;
			if (folded) {
				forget('undo_compaction', {});
			}

			return folded !== undefined;
		},
		rename: title => forget('rename', {title}),
		pin: (id, pinned) => forget('pin', {id, pinned}),
		setBudgets() {
			throw notHere();
		},
		restored() {
			throw notHere();
		},
		agentLeft() {
			throw notHere();
		},
		ruleChanged() {
			throw notHere();
		},
		present() {
			throw notHere();
		},
		flush: () => undefined,
		saved: async () => undefined,
		settled: async () => undefined,
		close: async () => undefined,
	};

	return {
		conversation,
		act,
		onRecord: listener => void followers.push(listener),
		folder: () => folder,
		async open(wanted) {
			const running = (await listHosted(client)).filter(({state}) => state !== 'ended');
			const match = matchSession(wanted, running, ({id}) => id);
			if (match) {
				await attachTo(match.id);
				return [];
			}

			const begun = await client.request('_service/begin', {key: randomUUID(), resume: wanted});
			await attachTo(begun.session);
			return begun.notices;
		},
		ask: client.request,
		async drive(how, word) {
			const asked = {session, key: randomUUID(), how, ...(word !== undefined && {word})};
			return (await client.request('_service/drive', asked)).text;
		},
		async end() {
			await client.request('_service/end', {session});
		},
		async close() {
			dropQuestions();
			if (session) {
				const gone = client.request('_service/detach', {session}).catch(() => undefined);
				await Promise.race([gone, new Promise(resolve => void setTimeout(resolve, 500).unref())]);
			}

			settleTranscript(detached());
			stopHearing();
			stopFollowingState();
			stopReconnecting();
			release(() => true);
			client.close();
		},
	};
}

function seqOf(value: unknown): number {
	return typeof value === 'object' && value !== null && 'seq' in value && typeof value.seq === 'number'
		? value.seq
		: -1;
}

/** The error of a wait for a transcript that nobody waits for any more. */
function detached(): AppError {
	return new AppError('network', 'The terminal was detached before it had the transcript.');
}

function notHere(): AppError {
	return new AppError('usage', 'The host does this itself.');
}

/** Applies what has changed on the host to the state of the terminal. */
function applyState(store: AppStore, state: HostedState, ownSeat: string): void {
	const {queue, jobs, foreground, isStopping, unsaved, model, effort, mode, connection, terminals} = state;
	const {efforts, model: before} = store.getState();
	const own = terminals?.find(each => each.seat === ownSeat);
	const driver = terminals?.find(({drives}) => drives);
	const shownModel = model === undefined ? before : (model ?? undefined);
	const others = Object.fromEntries(Object.entries(efforts).filter(([name]) => name !== shownModel));
	const next: Partial<AppState> = {
		...(queue && {queue: queue.map(({id, text, startedBy}) => ({id, text, ...(startedBy && {startedBy})}))}),
		...(jobs !== undefined && {jobs}),
		...(foreground !== undefined && {foreground}),
		...(isStopping !== undefined && {isStopping}),
		...(unsaved !== undefined && {unsaved: unsaved ?? undefined}),
		...(model !== undefined && {model: shownModel}),
		...(effort !== undefined &&
			shownModel !== undefined && {
				efforts: effort === null ? others : {...others, [shownModel]: effort},
				runEffort: undefined,
			}),
		...(mode !== undefined && {approvalMode: mode}),
		...(connection && {
			connection: {
				profile: connection.profile,
				server: connection.server,
				// A session of a host starts its own server once it needs it.
				state: connection.state === 'starting' ? 'ready' : connection.state,
				...(connection.detail !== undefined && {detail: connection.detail}),
			},
		}),
	};
	const {remote} = store.getState();
	const seat =
		own && own.role === 'observer' ? 'watching' : driver && driver.seat !== ownSeat ? `${driver.who} drives` : '';
	store.setState({...next, ...(terminals && remote && {remote: {...remote, seat}})});
}

type Forget = (verb: SessionVerb['verb'], args: SessionVerb['args']) => void;

/** Lets what the screen changes in its state happen on the host, which then says so. */
function mirrorActions(store: AppStore, {forget}: {readonly forget: Forget}): void {
	const {getState} = store;
	const drives = () => getState().remote?.seat === '';
	store.setState({
		setApprovalMode(mode) {
			if (mode !== getState().approvalMode) {
				forget('mode', {mode});
			}
		},
		setModel: model => forget('model', {model: model ?? null}),
		setEffort: (model, effort) => forget('effort', {model, effort: effort ?? null}),
		takeQueue() {
			const {queue} = getState();
			if (queue.length === 0 || !drives()) {
				return [];
			}

			store.setState({queue: []});
			forget('take_queue', {ids: queue.map(({id}) => id)});
			return queue;
		},
		dequeue(id) {
			const {queue} = getState();
			const message = queue.find(each => each.id === id);
			if (message) {
				store.setState({queue: queue.filter(each => each !== message)});
				forget('take_queue', {ids: [id]});
			}

			return message;
		},
		moveQueued(id, places) {
			forget('move_queued', {id, places});
			return places;
		},
	});
}
