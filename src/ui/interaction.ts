import {abortable} from '../core/abortable.ts';
import type {AskUser, UserQuestion} from '../core/session/user-question.ts';
import type {Inquiry, Interaction} from '../platform/interaction.ts';
import type {AppStore} from '../store/store.ts';
import {atOnce, steadyNow} from './answerable.ts';
import {ownWords} from './panels/ask-panel.tsx';
import {moduleOf, openPanel, type Panel} from './panels/panels.ts';
import type {PickPanel} from './panels/pick-panel.tsx';
import type {TablePanel} from './panels/table-panel.tsx';

/** A text to change. `keys` says what Enter and Esc do. */
export type EditField = {readonly label: string; readonly does: string; readonly text: string};

/**
 * What a session needs besides what any command does, wherever that runs: the user stays and answers whenever the agent or the
 * program asks, edits texts, and sees things beside a run.
 */
export type SessionInteraction = Interaction & {
	/** Shows lines beside an answer that still grows; with `closesOnKey`, until the next key. */
	readonly show: (
		title: string,
		lines: (columns: number) => readonly string[],
		options?: {readonly closesOnKey?: boolean},
	) => void;
	/** Shows a table, if there are panels. Returns the id of the row that the user opens, or undefined. */
	readonly browse?: (table: TablePanel) => Promise<string | undefined>;
	/** Opens the list of the messages that wait, if there are panels. */
	readonly manageQueue?: () => void;
	/** The same as for a command, but always there. */
	readonly inquire: (inquiry: Inquiry, signal: AbortSignal) => Promise<string | undefined>;
	/** Lets the user change a text, in the same way. Returns it, undefined if they cancel. */
	readonly edit: (field: EditField, signal: AbortSignal) => Promise<string | undefined>;
	/** Asks a question of the agent in the same way. */
	readonly askUser: AskUser;
};

export type PanelInteraction = SessionInteraction & {
	/** Answers the open panel; undefined cancels it. Does nothing if none is open. */
	readonly answer: (value: string | undefined) => void;
};

const later = async () => import('./panels/later.ts');

/** The answer of a panel that another one displaced. */
const displaced = Symbol('displaced');

type PanelAnswer = string | undefined | typeof displaced;

/** The one open panel. The store holds what it shows; the promise of its answer is kept here. */
type PanelSlot = {
	readonly panel: () => Panel | undefined;
	/** Opens a panel. Resolves to its answer. */
	readonly open: (panel: Panel) => Promise<PanelAnswer>;
	/** Shows another panel in place of the open one, with the same answer. */
	readonly replace: (panel: Panel) => void;
	/** Answers the open panel and closes it. */
	readonly answer: (value: string | undefined) => void;
	/** Resolves when the open panel is answered, which hides a question until then. Throws the reason of `signal` once it aborts. */
	readonly closed: (signal: AbortSignal) => Promise<void>;
};

function createPanelSlot(store: AppStore): PanelSlot {
	let open: {readonly panel: Panel; readonly resolve: (value: PanelAnswer) => void} | undefined;
	let closeListeners: Array<() => void> = [];
	return {
		panel: () => open?.panel,
		open(panel) {
			open?.resolve(displaced);
			return new Promise(resolve => {
				open = {panel, resolve};
				openPanel(store, panel);
			});
		},
		replace(panel) {
			open = open && {...open, panel};
			store.setState({panel});
		},
		answer(value) {
			const resolve = open?.resolve;
			open = undefined;
			store.getState().closePanel();
			resolve?.(value);
			const listeners = closeListeners;
			closeListeners = [];
			for (const listener of listeners) {
				listener();
			}
		},
		async closed(signal) {
			const closing = new Promise<void>(resolve => closeListeners.push(resolve));
			const closed = abortable(closing, signal);
			await Promise.all([closed, later().then(({countHidden}) => countHidden(closed, store))]);
		},
	};
}

type PanelOptions = {
	/** True if the program can open a browser. */
	readonly opensPages?: boolean;
	readonly now?: () => number;
	/** Runs a function once the terminal has been sent everything that was drawn. */
	readonly written?: (run: () => void) => void;
};

/** Creates the questions of the app, which it asks in a panel. */
export function createPanelInteraction(
	store: AppStore,
	{opensPages = false, now = steadyNow, written = run => run()}: PanelOptions = {},
): PanelInteraction {
	const slot = createPanelSlot(store);
	const shown = (tell: (() => void) | undefined) =>
		tell && (() => written(() => void later().then(({tellShown}) => tellShown(tell, store, now))));
	const open = async (panel: Panel) => {
		const value = await slot.open(panel);
		return value === displaced ? undefined : value;
	};

	return {
		ask: ({label, masked}) => open({kind: 'field', label, masked}),
		choose({opensItself, more = [], ...pick}) {
			let panel: PickPanel = {kind: 'pick', ...pick, ...(opensItself && {askedAt: now()})};
			for (const part of more) {
				void Promise.all([part, later()]).then(([added, {withMore}]) => {
					if (added.length > 0 && slot.panel() === panel) {
						panel = withMore(panel, added, store);
						slot.replace(panel);
					}
				});
			}

			return open(panel);
		},
		async confirm(question, about, subject) {
			const panel: Panel = {
				kind: 'confirm',
				question,
				...(about && {about}),
				...(subject && {subject}),
				askedAt: now(),
			};
			return (await open(panel)) === 'yes';
		},
		show: (title, lines, options) => void open({kind: 'lines', title, lines, ...options}),
		browse: open,
		manageQueue: () => void open({kind: 'queue'}),
		inquire({onShown, ...inquiry}, signal) {
			const panel = (): Panel => ({kind: 'confirm', ...inquiry, askedAt: now(), onShown: shown(onShown)});
			return openWhenFree(panel, signal, slot);
		},
		async agree(question, about, signal, onShown) {
			const panel = (): Panel => ({kind: 'confirm', question, about, askedAt: now(), onShown: shown(onShown)});
			return (await openWhenFree(panel, signal, slot)) === 'yes';
		},
		edit: (field, signal) => openWhenFree(() => ({kind: 'edit', ...field}), signal, slot),
		askUser: (question, signal) => askUser(question, signal, slot, now),
		showLogin({onPaste, onApiKey, ...login}, cancel) {
			const others = [...(onPaste ? ['paste' as const] : []), ...(onApiKey ? ['api-key' as const] : [])];
			const panel: Panel = {kind: 'device', ...login, opens: opensPages, ...(others.length > 0 && {others})};
			let isShown = true;
			void open(panel).then(value => {
				if (isShown) {
					const act = value === 'paste' ? onPaste : value === 'api-key' ? onApiKey : undefined;
					(act ?? cancel)();
				}
			});
			return () => {
				isShown = false;
				if (slot.panel() === panel) {
					slot.answer(undefined);
				}
			};
		},
		say: text => store.getState().setToast(text),
		progress: text => store.getState().setToast(text),
		answer: slot.answer,
	};
}

/** Asks with the choices; the last one opens a field, from which Esc leads back to them. A step of a form is one panel. */
async function askUser(
	question: UserQuestion,
	signal: AbortSignal,
	slot: PanelSlot,
	now: () => number,
): Promise<string | undefined> {
	const hasChoices = question.choices.length > 0;
	if (question.form) {
		const {isNext} = question.form;
		const step = (): Panel => ({
			kind: 'ask',
			...question,
			isFollowUp: false,
			askedAt: isNext ? atOnce : now(),
		});
		return openWhenFree(step, signal, slot);
	}

	for (;;) {
		const chosen = hasChoices
			? await openWhenFree(() => ({kind: 'ask', ...question, askedAt: now(), isFollowUp: false}), signal, slot)
			: ownWords;
		if (chosen !== ownWords) {
			return chosen;
		}

		// The user who selected the field types in it at once.
		const askedAt = () => (hasChoices ? atOnce : now());
		const field = (): Panel => ({kind: 'ask', ...question, choices: [], isFollowUp: hasChoices, askedAt: askedAt()});
		const written = await openWhenFree(field, signal, slot);
		if (written !== undefined || !hasChoices) {
			return written;
		}
	}
}

/** Opens a panel once no other is open that the user answers, and again if another one displaces it. */
async function openWhenFree(create: () => Panel, signal: AbortSignal, slot: PanelSlot): Promise<string | undefined> {
	for (;;) {
		await untilFree(slot, signal);
		signal.throwIfAborted();
		const panel = create();
		const close = () => slot.panel() === panel && slot.answer(undefined);
		signal.addEventListener('abort', close, {once: true});
		const value = await slot.open(panel);
		signal.removeEventListener('abort', close);
		signal.throwIfAborted();
		if (value !== displaced) {
			return value;
		}
	}
}

/** Waits until no panel is open that the user answers. */
async function untilFree({panel, closed}: PanelSlot, signal: AbortSignal): Promise<void> {
	for (let open = panel(); open && moduleOf(open).initial(open).manner !== 'shows'; open = panel()) {
		await closed(signal);
	}
}
