import {abortable} from '../core/abortable.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {AppStore} from '../store/store.ts';
import type {About, Answer, Panel, TablePanel} from '../store/view-slice.ts';
import {steadyNow} from './panels/question.ts';

export type Inquiry = {readonly question: string; readonly about?: About; readonly answers: readonly Answer[]};

/** How the app asks, and answers commands while the agent is at work. */
export type AppInteraction = Interaction & {
	/** Shows lines beside an answer that goes on. */
	readonly show: (title: string, lines: readonly string[]) => void;
	/** Looks through a table, where there is a panel. Gives the id of the row that the person opens, undefined for none. */
	readonly browse?: (table: TablePanel) => Promise<string | undefined>;
	/**
	 * Asks what the program needs to know by itself, once nothing else is asked: the value of an answer, undefined for no.
	 * Comes back after what is asked meanwhile. Throws the signal's reason, which takes the question away.
	 */
	readonly inquire: (inquiry: Inquiry, signal: AbortSignal) => Promise<string | undefined>;
};

export type PanelInteraction = AppInteraction & {
	/** Answers what is asked now; undefined cancels. Without a question it does nothing. */
	readonly answer: (value: string | undefined) => void;
};

/** How a panel ends that another one takes the place of. */
const displaced = Symbol('displaced');

/**
 * Asks through the panel. The store holds the question as data, the promise that waits for the answer lives here.
 * `opensPages` is true where a browser can be opened from here.
 */
export function createPanelInteraction(store: AppStore, {opensPages = false, now = steadyNow} = {}): PanelInteraction {
	let waiting:
		| {readonly panel: Panel; readonly resolve: (value: string | undefined | typeof displaced) => void}
		| undefined;
	let onClosed: Array<() => void> = [];

	const put = (panel: Panel) => {
		waiting?.resolve(displaced);
		return new Promise<string | undefined | typeof displaced>(resolve => {
			waiting = {panel, resolve};
			store.getState().setPanel(panel);
		});
	};

	const open = async (panel: Panel) => {
		const value = await put(panel);
		return value === displaced ? undefined : value;
	};

	const answer = (value: string | undefined) => {
		const resolve = waiting?.resolve;
		waiting = undefined;
		store.getState().setPanel(undefined);
		resolve?.(value);
		const closed = onClosed;
		onClosed = [];
		for (const tell of closed) {
			tell();
		}
	};

	/** Waits until nothing is open that the user works on. */
	const untilFree = async (signal: AbortSignal) => {
		while (waiting && waiting.panel.kind !== 'lines') {
			await abortable(new Promise<void>(resolve => onClosed.push(resolve)), signal);
		}
	};

	const inquire: AppInteraction['inquire'] = async (inquiry, signal) => {
		for (;;) {
			await untilFree(signal);
			signal.throwIfAborted();
			const panel = {kind: 'confirm', ...inquiry, askedAt: now()} as const;
			const close = () => waiting?.panel === panel && answer(undefined);
			signal.addEventListener('abort', close, {once: true});
			const value = await put(panel);
			signal.removeEventListener('abort', close);
			signal.throwIfAborted();
			if (value !== displaced) {
				return value;
			}
		}
	};

	return {
		ask: ({label, masked}) => open({kind: 'field', label, masked}),
		choose: pick => open({kind: 'pick', ...pick}),
		confirm: async (question, about) =>
			(await open({kind: 'confirm', question, ...(about && {about}), askedAt: now()})) === 'yes',
		show: (title, lines) => void open({kind: 'lines', title, lines}),
		browse: open,
		inquire,
		showLogin(login, cancel) {
			let shown = true;
			void open({kind: 'device', ...login, opens: opensPages}).then(() => shown && cancel());
			const mine = waiting;
			return () => {
				shown = false;
				if (waiting === mine) {
					answer(undefined);
				}
			};
		},
		say: text => store.getState().setToast(text),
		progress: text => store.getState().setToast(text),
		answer,
	};
}
