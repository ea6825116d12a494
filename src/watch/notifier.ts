import type {Job} from '../agent/tools/command/jobs.ts';
import {cutLine} from '../core/cut-text.ts';
import type {Conversation} from '../session/conversation.ts';
import type {BackgroundSession} from '../store/session-slice.ts';
import type {AppStore} from '../store/store.ts';

/** Shows notices from what runs beside the conversation. */
export type Notifier = {
	/** Adds a line to the conversation and shows an alert. */
	readonly notify: (notice: Notice) => void;
	/** Shows the alert alone. */
	readonly alert: (text: string) => void;
	readonly close: () => void;
};

type Notice = {
	/** Contains nothing from outside (SAFETY 3). */
	readonly alert: string;
	readonly text: string;
	readonly hint?: string;
};

const maxCommandLength = 60;

/** Most notices that wait for the end of a run. */
const maxQueued = 20;

/** Creates a notifier. During a run a toast shows the text at once, and the line follows the run. */
export function createNotifier(store: AppStore, addNotice: Conversation['notice']): Notifier {
	let queue: readonly Notice[] = [];
	let isClosed = false;

	const unsubscribe = store.subscribe((state, before) => {
		if (before.transcript.run && !state.transcript.run && queue.length > 0) {
			const notices = queue;
			queue = [];
			// The conversation ends the run only after this update.
			setImmediate(() => {
				for (const {text, hint} of isClosed ? [] : notices) {
					addNotice(text, hint);
				}
			});
		}
	});

	const alert = (text: string) => store.getState().setAlert(text);

	return {
		alert,
		notify(notice) {
			alert(notice.alert);
			const {transcript, setToast} = store.getState();
			if (transcript.run) {
				setToast(notice.text);
				queue = [...queue, notice].slice(-maxQueued);
			} else {
				addNotice(notice.text, notice.hint);
			}
		},
		close() {
			isClosed = true;
			unsubscribe();
		},
	};
}

/** Returns what the user reads when a session in the background waits for them, or has ended. */
export function backgroundNotice({id, about, state}: BackgroundSession): Notice {
	const short = id.slice(0, 8);
	const what = state === 'waiting' ? 'waits for your answer' : 'has ended its run';
	return {
		alert: `Background session ${short} ${what}`,
		text: `Background session ${short} ${what}${about ? `: ${about}` : '.'}`,
		hint: `Show it: \`resume ${short}\``,
	};
}

/** Returns what the user reads when a command in the background has ended. */
export function jobNotice({id, command, state, hasFailed}: Job): Notice {
	return {
		alert: `Job ${id} ${hasFailed() ? 'failed' : 'is done'}`,
		text: `Job ${id} ended: ${state('user')} (${cutLine(command, maxCommandLength)})`,
		hint: `Show its output: \`/jobs show ${id}\``,
	};
}
