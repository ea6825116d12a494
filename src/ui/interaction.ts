import type {Interaction} from '../command/context.ts';
import type {AppStore} from '../store/store.ts';
import type {Panel, TablePanel} from '../store/view-slice.ts';
import {steadyNow} from './question.ts';

/** How the app asks, and answers commands while the agent is at work. */
export type AppInteraction = Interaction & {
	/** Shows lines beside an answer that goes on. */
	readonly show: (title: string, lines: readonly string[]) => void;
	/** Looks through a table, where there is a panel. Gives the id of the row that the person opens, undefined for none. */
	readonly browse?: (table: TablePanel) => Promise<string | undefined>;
};

export type PanelInteraction = AppInteraction & {
	/** Answers what is asked now; undefined cancels. Without a question it does nothing. */
	readonly answer: (value: string | undefined) => void;
};

/**
 * Asks through the panel. The store holds the question as data, the promise that waits for the answer lives here.
 * `opensPages` is true where a browser can be opened from here.
 */
export function createPanelInteraction(store: AppStore, {opensPages = false, now = steadyNow} = {}): PanelInteraction {
	let waiting: ((value: string | undefined) => void) | undefined;

	const open = (panel: Panel) => {
		waiting?.(undefined);
		return new Promise<string | undefined>(resolve => {
			waiting = resolve;
			store.getState().setPanel(panel);
		});
	};

	const answer = (value: string | undefined) => {
		const resolve = waiting;
		waiting = undefined;
		store.getState().setPanel(undefined);
		resolve?.(value);
	};

	return {
		ask: ({label, masked}) => open({kind: 'field', label, masked}),
		choose: pick => open({kind: 'pick', ...pick}),
		confirm: async (question, about) =>
			(await open({kind: 'confirm', question, ...(about && {about}), askedAt: now()})) === 'yes',
		show: (title, lines) => void open({kind: 'lines', title, lines}),
		browse: open,
		showLogin(login, cancel) {
			let shown = true;
			void open({kind: 'device', ...login, opens: opensPages}).then(() => shown && cancel());
			const close = waiting;
			return () => {
				shown = false;
				if (waiting === close) {
					answer(undefined);
				}
			};
		},
		say: text => store.getState().setToast(text),
		progress: text => store.getState().setToast(text),
		answer,
	};
}
