import type {Transcript} from '../core/session/transcript.ts';
import {type AppState, type AppStore, createAppStore} from '../store/store.ts';

/** Where a conversation is: in front, with the store of the app, or in the background, with one of its own. */
export type Slot = {
	/** The store that it reads and changes. Subscriptions are those of the app. */
	readonly store: AppStore;
	readonly isFront: () => boolean;
	/** Waits until the conversation is in front. Throws the signal's reason if it aborts first. */
	readonly whenFront: (signal: AbortSignal) => Promise<void>;
};

/** What a session in the background does. */
export type BackgroundState = 'running' | 'waiting' | 'ended';

type MovableSlot = Slot & {
	/** Goes to the background with what the app shows now. `onChange` is called when its state changes. */
	readonly leave: (onChange: () => void) => void;
	/** Comes back, with what it has done since. Those that wait for it go on. */
	readonly enter: () => void;
	readonly transcript: () => Transcript;
	readonly state: () => BackgroundState;
};

/** Creates the slot of a conversation that is in front. */
export function createSlot(app: AppStore): MovableSlot {
	let own: AppStore | undefined;
	let onState = () => {};
	const waiting = new Set<() => void>();
	const getState = () => (own ?? app).getState();

	return {
		store: {...app, getState},
		isFront: () => own === undefined,
		async whenFront(signal) {
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
		},
		leave(onChange) {
			const store = createAppStore();
			store.setState(ofSession(app.getState()));
			own = store;
			onState = onChange;
			store.subscribe(({transcript}, before) => {
				if (before.transcript.run && !transcript.run) {
					onState();
				}
			});
		},
		enter() {
			const {transcript, queue, drafts, jobs, unsaved, isStopping, model, approvalMode} = getState();
			own = undefined;
			onState = () => {};
			app.getState().openTranscript(transcript);
			// Its model and its mode come back with it: what the user allowed another session isn't allowed here.
			app.setState({queue, drafts, jobs, unsaved, isStopping, model, approvalMode});
			for (const go of waiting) {
				go();
			}
		},
		transcript: () => getState().transcript,
		state: () => (getState().transcript.run ? (waiting.size > 0 ? 'waiting' : 'running') : 'ended'),
	};
}

/** Returns the part of the state that belongs to a session and its run: also the connection and the mode that it began with. */
function ofSession(state: AppState): Partial<AppState> {
	const {transcript, queue, drafts, jobs, unsaved, isStopping} = state;
	const {connection, model, efforts, runEffort, approvalMode, priceOf, infoOf} = state;
	return {
		...{transcript, queue, drafts, jobs, unsaved, isStopping},
		...{connection, model, efforts, runEffort, approvalMode, priceOf, infoOf},
	};
}

/** Orders what is sent and what changes the session: tools and files of the old one may take seconds to end. */
export type SessionSwitch = {
	/** Does something in the session that is about to begin; at once if none is. */
	readonly inSession: (act: () => Promise<void>) => Promise<void>;
	/** Changes the session, after the changes before. If one fails, what waits goes on in the session that there is. */
	readonly change: (change: () => Promise<void>) => Promise<void>;
};

export function createSwitch(): SessionSwitch {
	/** Resolves when the last change has ended; undefined after it. */
	let changing: Promise<void> | undefined;
	const inSession = (act: () => Promise<void>) => (changing ? changing.then(act) : act());
	return {
		inSession,
		async change(change) {
			const done = inSession(change);
			const ended = done.catch(() => undefined);
			changing = ended;
			try {
				await done;
			} finally {
				changing = changing === ended ? undefined : changing;
			}
		},
	};
}
