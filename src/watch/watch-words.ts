import {formatAmount, formatClock} from '../core/format.ts';
import type {Conversation} from '../session/conversation.ts';
import type {AppStore} from '../store/store.ts';
import type {Watch} from '../store/watch-slice.ts';

/** Notices from things that run beside the conversation. */
export type WatchWords = {
	/** Adds a line to the conversation, and an alert that contains nothing from outside (SAFETY 3). */
	readonly tell: (said: Said) => void;
	/** Shows the alert alone. */
	readonly alert: (sign: string) => void;
	readonly close: () => void;
};

type Said = {readonly sign: string; readonly text: string; readonly hint?: string};

/** Most lines that wait for the end of a run. */
const mostWaiting = 20;

/** Creates notices in the conversation. In the middle of an answer a toast shows the text, and the line follows the run. */
export function createWatchWords(store: AppStore, conversation: Pick<Conversation, 'notice'>): WatchWords {
	let waiting: readonly Said[] = [];
	let isClosed = false;

	const unsubscribe = store.subscribe((state, before) => {
		if (before.transcript.run && !state.transcript.run && waiting.length > 0) {
			const said = waiting;
			waiting = [];
			// The run is not over for its owner before its last record is taken in.
			setImmediate(() => {
				for (const {text, hint} of isClosed ? [] : said) {
					conversation.notice(text, hint);
				}
			});
		}
	});

	const alert = (sign: string) => store.getState().setAlert(sign);

	return {
		alert,
		tell(said) {
			alert(said.sign);
			const {transcript, setToast} = store.getState();
			if (transcript.run) {
				setToast(said.text);
				waiting = [...waiting, said].slice(-mostWaiting);
			} else {
				conversation.notice(said.text, said.hint);
			}
		},
		close() {
			isClosed = true;
			unsubscribe();
		},
	};
}

/** Returns the short name of an environment: the beginning of its id. */
export function environmentName(environment: string): string {
	return environment.slice(0, 8);
}

/** Returns the notice of a watch whose turns are used up until then (milliseconds since the epoch). */
export function heldText({number, perHour}: Pick<Watch, 'number' | 'perHour'>, until: number): string {
	const time = formatClock(until).slice(0, 5);
	return `Watch ${number} reached its limit of ${formatAmount(perHour, 'agent turn')} an hour. It collects matches until ${time}.`;
}
