import {AppError} from '../core/error.ts';
import {titleFromAll} from '../core/session/session-title.ts';
import {blocksOf, type Transcript} from '../core/session/transcript.ts';
import {minPrefixLength} from '../core/uuid.ts';
import type {BackgroundSession} from '../store/session-slice.ts';
import {type AppState, type AppStore, createAppStore} from '../store/store.ts';
import {type Conversation, createConversation, type OpenSession} from './conversation.ts';
import {createSwitch, type SessionSwitch} from './session-switch.ts';

/** Where a conversation is: in front, with the store of the app, or in the background, with one of its own. */
export type Slot = {
	/** The store that it reads and changes. Subscriptions are those of the app. */
	readonly store: AppStore;
	readonly isFront: () => boolean;
	/**
	 * Asks the user with `ask` once the conversation is in front. If it leaves meanwhile, the question is taken back, and asked
	 * again once it is in front again. Throws the signal's reason if it aborts first.
	 */
	readonly inFront: <Answer>(ask: (signal: AbortSignal) => Promise<Answer>, signal: AbortSignal) => Promise<Answer>;
};

type BackgroundEvents = {
	/** Called when the session waits for the user, goes on, or has ended its run. */
	readonly onState: () => void;
	/** Called when it has another message. */
	readonly onMessage: () => void;
};

type MovableSlot = Slot & {
	/** Goes to the background with what the app shows now. */
	readonly leave: (on: BackgroundEvents) => void;
	/** Comes back, with what it has done since. Those that wait for it go on. */
	readonly enter: () => void;
	readonly transcript: () => Transcript;
	readonly state: () => BackgroundSession['state'];
	/** Returns how many messages of the agent came while it was in the background. */
	readonly unread: () => number;
};

/** Creates the slot of a conversation that is in front. */
function createSlot(app: AppStore): MovableSlot {
	let own: AppStore | undefined;
	let onState = () => {};
	/** The number of blocks that were there when it went to the background. */
	let seen = 0;
	/** Aborts when the conversation goes to the background. */
	let leaving = new AbortController();
	const waiting = new Set<() => void>();
	const getState = () => (own ?? app).getState();

	const whenFront = async (signal: AbortSignal) => {
		if (own === undefined) {
			return;
		}

		await new Promise<void>((resolve, reject) => {
			const go = () => {
				waiting.delete(go);
				signal.removeEventListener('abort', stop);
				resolve();
			};
			const stop = () => {
				waiting.delete(go);
				reject(signal.reason);
				onState();
			};
			signal.addEventListener('abort', stop, {once: true});
			waiting.add(go);
			onState();
		});
	};

	return {
		store: {...app, getState},
		isFront: () => own === undefined,
		async inFront(ask, signal) {
			for (;;) {
				await whenFront(signal);
				const left = leaving.signal;
				try {
					return await ask(AbortSignal.any([signal, left]));
				} catch (error) {
					if (signal.aborted || !left.aborted) {
						throw error;
					}
				}
			}
		},
		leave(on) {
			const store = createAppStore();
			store.setState(ofSession(app.getState()));
			own = store;
			({onState} = on);
			leaving.abort();
			seen = store.getState().transcript.settled.length;
			store.subscribe(({transcript}, before) => {
				if (before.transcript.run && !transcript.run) {
					onState();
				} else if (before.transcript.settled !== transcript.settled) {
					on.onMessage();
				}
			});
		},
		enter() {
			const {transcript, queue, drafts, jobs, foreground, unsaved, isStopping, model, approvalMode} = getState();
			const {agent, agentView} = getState();
			own = undefined;
			onState = () => {};
			leaving = new AbortController();
			app.getState().openTranscript(transcript);
			// Its model and its mode come back with it: what the user allowed another session isn't allowed here.
			app.setState({queue, drafts, jobs, foreground, unsaved, isStopping, model, approvalMode, agent, agentView});
			for (const go of waiting) {
				go();
			}
		},
		transcript: () => getState().transcript,
		state: () => (getState().transcript.run ? (waiting.size > 0 ? 'waiting' : 'running') : 'ended'),
		unread: () =>
			getState()
				.transcript.settled.slice(seen)
				.filter(({kind}) => kind === 'text').length,
	};
}

/** Returns the part of the state that belongs to a session and its run: also the connection and the mode that it began with. */
function ofSession(state: AppState): Partial<AppState> {
	const {transcript, queue, drafts, jobs, foreground, unsaved, isStopping} = state;
	const {agent, agentView} = state;
	const {connection, model, efforts, runEffort, approvalMode, priceOf, infoOf} = state;
	return {
		transcript,
		queue,
		drafts,
		jobs,
		foreground,
		unsaved,
		isStopping,
		agent,
		agentView,
		connection,
		model,
		efforts,
		runEffort,
		approvalMode,
		priceOf,
		infoOf,
	};
}

/** The sessions beside the one that the app shows. */
export type Background = {
	readonly list: () => readonly BackgroundSession[];
	/** Sends the current session to the background and starts a new one. Throws AppError("conflict") if no run goes on. */
	readonly send: () => BackgroundSession;
	/** Returns the session with this id or unique prefix of at least four characters; undefined if there is none. */
	readonly find: (idOrPrefix: string) => string | undefined;
	/** Shows a session of the background again, with the question that it waits with. A run of the current one goes on there. */
	readonly bring: (session: string) => Promise<void>;
	/**
	 * Shows the session that waits for the user; if none does, one that has ended its run with messages that they have not
	 * seen, or else the one that was shown longest ago. The current one stays open. Returns false if there is no other.
	 */
	readonly next: () => Promise<boolean>;
};

type Opener = {
	readonly store: AppStore;
	/** Opens an empty session in a slot. */
	readonly open: (slot: Slot) => OpenSession;
	/** Called when another session is shown. */
	readonly onFront?: (transcript: Transcript) => void;
	/** Called when a session of the background waits for the user or has ended. */
	readonly onBackground?: (session: BackgroundSession) => void;
};

/** Most sessions in the background: each keeps its transcript in memory. */
const maxBackground = 8;

/** An open session and where it is. */
type Place = {readonly slot: MovableSlot; readonly session: OpenSession};

/** The sessions of the app: the one in front, and those behind it by their ids. */
type Places = SessionSwitch & {
	front: Place;
	readonly behind: Map<string, Place>;
};

/** The conversation of the app, and the sessions that it can have. */
export type Conversations = {
	/** The conversation with the session in front. */
	readonly conversation: Conversation;
	readonly background: Background;
	/** Returns the session in front. */
	readonly front: () => OpenSession;
	/** Returns the store that holds a session. */
	readonly storeOf: (session: string) => AppStore;
};

/**
 * Creates the conversation of the app, with one session in front and others in the background, each with its own journal,
 * tools and approvals. One that needs the user waits until it is shown again.
 */
export function createConversations(opener: Opener): Conversations {
	const place = (): Place => {
		const slot = createSlot(opener.store);
		return {slot, session: opener.open(slot)};
	};
	const places: Places = {front: place(), behind: new Map(), ...createSwitch()};
	const front = () => places.front.session;
	const all = () => [places.front, ...places.behind.values()].map(({session}) => session);
	return {
		conversation: {
			...createConversation(front, places),
			async saved() {
				await Promise.all(all().map(({recorder}) => recorder.flushLog()));
			},
			async close() {
				await Promise.all(all().map(session => session.close()));
			},
		},
		background: createBackground(places, place, opener),
		front,
		storeOf: session => places.behind.get(session)?.slot.store ?? opener.store,
	};
}

function createBackground(places: Places, open: () => Place, {store, onFront, onBackground}: Opener): Background {
	const {behind} = places;
	const list = () => [...behind.values()].map(sessionIn);
	const report = () => store.getState().setBackground(list());

	/** Moves the session in front to the background. */
	const leave = () => {
		const {front} = places;
		front.slot.leave({
			onState() {
				report();
				onBackground?.(sessionIn(front));
			},
			onMessage: report,
		});
		behind.set(front.slot.transcript().session, front);
		return sessionIn(front);
	};

	/** Shows a session of the background. The one in front stays open there if `stays`, and ends otherwise. */
	const show = (session: string, stays: () => boolean) =>
		places.change(async () => {
			const next = behind.get(session);
			if (!next) {
				return;
			}

			places.front.session.recorder.flush();
			if (stays()) {
				leave();
			} else {
				await places.front.session.close();
			}

			behind.delete(session);
			next.session.recorder.flush();
			places.front = next;
			next.slot.enter();
			onFront?.(next.slot.transcript());
			report();
		});

	return {
		list,
		send() {
			places.front.session.recorder.flush();
			assertMayLeave(store, behind.size);
			const left = leave();
			store.setState({jobs: 0, foreground: 0, isStopping: false, unsaved: undefined});
			places.front = open();
			report();
			return left;
		},
		find: idOrPrefix => onlyMatch([...behind.keys()], idOrPrefix),
		bring: session => show(session, () => store.getState().transcript.run !== undefined),
		async next() {
			const found = nextOf(list());
			await (found && show(found.id, () => isBegun(store.getState().transcript)));
			return found !== undefined;
		},
	};
}

/** True once the user has sent a message: notices alone are not worth coming back to. */
function isBegun(transcript: Transcript): boolean {
	return blocksOf(transcript).some(({kind}) => kind === 'user');
}

/** Returns the session that the user wants to see first. */
function nextOf(sessions: readonly BackgroundSession[]): BackgroundSession | undefined {
	return (
		sessions.find(({state}) => state === 'waiting') ??
		sessions.find(({state, unread}) => state === 'ended' && unread > 0) ??
		sessions[0]
	);
}

function onlyMatch(ids: readonly string[], idOrPrefix: string): string | undefined {
	const prefix = idOrPrefix.trim().toLowerCase();
	const found = prefix.length < minPrefixLength ? [] : ids.filter(id => id.startsWith(prefix));
	return found.length === 1 ? found[0] : undefined;
}

/** Throws AppError("conflict") if no run can go to the background. */
function assertMayLeave(store: AppStore, count: number): void {
	if (!store.getState().transcript.run) {
		throw new AppError('conflict', 'No run to send to the background.', {hint: 'Send a message first.'});
	}

	if (count >= maxBackground) {
		throw new AppError('conflict', `${maxBackground} sessions are in the background already.`, {
			hint: 'Bring one back with `resume`, and let it end.',
		});
	}
}

function sessionIn({slot}: Place): BackgroundSession {
	const transcript = slot.transcript();
	return {id: transcript.session, about: aboutOf(transcript), state: slot.state(), unread: slot.unread()};
}

/** Returns what a session is about: its title, or what its first messages say; '' before them. Untrusted. */
export function aboutOf(transcript: Transcript): string {
	return (
		transcript.title || titleFromAll(blocksOf(transcript).flatMap(block => (block.kind === 'user' ? [block.text] : [])))
	);
}
