import type {Entry} from '../command/context.ts';
import {reduceComposer, setComposerText} from '../editor/editor.ts';
import type {PromptEdit} from '../store/view-slice.ts';
import {joinBursts} from '../terminal/input/input.ts';
import {chordOf, type InputToken, type KeyToken, type ReplyToken} from '../terminal/input/token.ts';
import {promptWidth, walkApprovalModes} from './approvals/approval-mode.ts';
import {pressInCompletion} from './completion-keys.ts';
import {pressInLogs} from './logs/log-keys.ts';
import {type PanelKeys, pressInPanel} from './panels/panel-keys.ts';
import {steadyNow, untilAnswerable} from './panels/question.ts';
import {endsWithApp} from './quit-words.ts';
import type {FullScreen} from './screen/full-screen.ts';
import {createSecondPress, type SecondPress} from './second-press.ts';

type Dependencies = Omit<PanelKeys, 'isTypedAhead'> & {
	readonly entries: () => readonly Entry[];
	/** Gets every token while a view is open. */
	readonly fullScreen: Pick<FullScreen, 'isOpen' | 'press'>;
	/** Handles a reply of the terminal. Returns false for one that was not requested. */
	readonly takeReply: (reply: ReplyToken) => boolean;
	/** Sends a message or a slash line. */
	readonly submit: (text: string) => void;
	readonly interrupt: () => void;
	readonly redraw: () => void;
	readonly suspend: () => void;
	/** Searches the earlier prompts. */
	readonly searchHistory: () => void;
	/** Shows the whole transcript, with everything that was left out. */
	readonly openTranscript: () => void;
	/** Opens the log in front in the log viewer. Returns false if no log is open. */
	readonly openLogs: () => boolean;
	/** Inserts the image in the clipboard. */
	readonly pasteImage: () => void;
	/** Returns mentions for a paste that is only paths of dragged images; undefined for other text. */
	readonly mentionsOfDragged: (pasted: string) => string | undefined;
	readonly quit: () => void;
	/** Returns the milliseconds on the clock of `askedAt`. */
	readonly now?: () => number;
	readonly later?: (run: () => void, delayMs: number) => void;
};

/** What the keys work on. */
type Keyboard = Dependencies & {
	readonly panelKeys: PanelKeys;
	readonly secondPress: SecondPress;
	readonly now: () => number;
};

/**
 * Returns a handler for everything that was typed in one turn of the event loop. A full-screen view gets the tokens
 * first, then the panel, the completion, the prompt, and last the app.
 */
export function createKeyHandler(dependencies: Dependencies): (tokens: readonly InputToken[]) => void {
	const {store, fullScreen, takeReply, now = steadyNow} = dependencies;
	const {later = (run, delayMs) => setTimeout(run, delayMs).unref()} = dependencies;
	const keyboard: Keyboard = {
		...dependencies,
		now,
		secondPress: createSecondPress({store, now, later}),
		panelKeys: {
			...dependencies,
			isTypedAhead: question => untilAnswerable(question, store.getState().typedAt, now()) > 0,
		},
	};

	const isTakenElsewhere = (token: InputToken) =>
		(token.type === 'reply' && takeReply(token)) || (fullScreen.isOpen() && fullScreen.press(token));

	return tokens => {
		const left = tokens.filter(token => !isTakenElsewhere(token));
		// A panel takes keys one by one; in the prompt an Enter that was pasted must not send.
		for (const token of store.getState().panel ? left : joinBursts(left)) {
			pressToken(token, keyboard);
		}
	};
}

function pressToken(token: InputToken, keyboard: Keyboard): void {
	const {store, entries, secondPress, panelKeys, suspend} = keyboard;
	const chord = token.type === 'key' ? chordOf(token) : undefined;
	if (token.type === 'key' || token.type === 'text' || token.type === 'paste') {
		secondPress.forget(chord);
	}

	const {panel} = store.getState();
	if (chord === 'ctrl+z') {
		suspend();
	} else if (panel && pressInPanel(token, panel, panelKeys)) {
		return;
	} else if (token.type !== 'key' || !pressInCompletion(token, store, entries())) {
		pressInPrompt(token.type === 'paste' ? withMentions(token, keyboard) : token, keyboard);
	}
}

/** Returns a paste with mentions in place of the paths of dragged images. */
function withMentions(token: Extract<InputToken, {type: 'paste'}>, {store, mentionsOfDragged}: Keyboard): InputToken {
	const mentions = mentionsOfDragged(token.text);
	const {text, caret} = store.getState().composer;
	const isApart = /(?:^|\s)$/.test(text.slice(0, caret));
	return mentions === undefined ? token : {...token, text: isApart ? mentions : ` ${mentions}`};
}

function pressInPrompt(token: InputToken, keyboard: Keyboard): void {
	const {store, submit, now} = keyboard;
	const state = store.getState();
	const step = reduceComposer(state.composer, token, {columns: state.size.columns - promptWidth(state.approvalMode)});
	const isWalking = step.state.position !== state.composer.position && !step.action;
	// An earlier prompt would be sent in place of the message that is being edited.
	if (state.editing !== undefined && isWalking) {
		return;
	}

	const isText = token.type === 'text' || token.type === 'paste';
	const edit: PromptEdit = {
		...(step.state !== state.composer && {composer: step.state}),
		...(step.state.text !== state.composer.text && {
			typedAt: step.action ? undefined : now(),
			// A line from the history was not typed: the arrows continue through the history.
			completion: isWalking ? -1 : 0,
			...(step.state.text === '' && !step.action && {editing: undefined}),
		}),
		...(isText && state.toast && {toast: ''}),
	};
	if (Object.keys(edit).length > 0) {
		state.editPrompt(edit);
	}

	if (step.action?.type === 'submit') {
		submit(step.action.text);
	} else if (step.action) {
		pressInApp(step.action.token, keyboard);
	}
}

/** What the keys do that the prompt has no use for. */
const appKeys: Readonly<Record<string, (keyboard: Keyboard) => void>> = {
	'ctrl+c': pressCtrlC,
	'ctrl+d': pressCtrlD,
	escape: pressEscape,
	'ctrl+l': ({redraw}) => redraw(),
	'ctrl+o': ({openTranscript}) => openTranscript(),
	'ctrl+r': ({searchHistory}) => searchHistory(),
	'ctrl+v': ({pasteImage}) => pasteImage(),
	'shift+tab': pressShiftTab,
};

function pressInApp(token: KeyToken, keyboard: Keyboard): void {
	const chord = chordOf(token);
	const press = appKeys[chord];
	if (press) {
		press(keyboard);
	} else {
		pressInLogs(chord, {store: keyboard.store, openViewer: keyboard.openLogs});
	}
}

/** Selects the next approval mode, unless a question is open: its answer must not change meanwhile. */
function pressShiftTab({store}: Keyboard): void {
	const {panel} = store.getState();
	if (!panel || panel.kind === 'lines') {
		walkApprovalModes(store);
	}
}

function pressCtrlC(keyboard: Keyboard): void {
	const {store, secondPress, interrupt, quit} = keyboard;
	if (store.getState().composer.text) {
		clearPrompt(keyboard);
	} else if (isWorking(keyboard)) {
		interrupt();
	} else if (secondPress.isSecond('ctrl+c', quitToast('Ctrl+C', keyboard))) {
		quit();
	}
}

function pressCtrlD(keyboard: Keyboard): void {
	const {store, secondPress, quit} = keyboard;
	const {composer, ownSandboxes} = store.getState();
	if (!composer.text && (ownSandboxes === 0 || secondPress.isSecond('ctrl+d', quitToast('Ctrl+D', keyboard)))) {
		quit();
	}
}

function pressEscape(keyboard: Keyboard): void {
	const {store, secondPress, interrupt} = keyboard;
	const {composer, editPrompt, transcript} = store.getState();
	if (isWorking(keyboard)) {
		interrupt();
	} else if (composer.text) {
		if (secondPress.isSecond('escape', 'Press Esc again to clear the prompt.')) {
			clearPrompt(keyboard);
		}
	} else {
		const previous = transcript.settled.findLast(block => block.kind === 'user');
		if (previous && secondPress.isSecond('escape', 'Press Esc again to edit your previous message.')) {
			editPrompt({composer: setComposerText(composer, previous.text), editing: previous.id});
		}
	}
}

/** Empties the prompt. An empty prompt replaces no earlier message. */
function clearPrompt({store}: Keyboard): void {
	const {composer, editPrompt} = store.getState();
	editPrompt({composer: setComposerText(composer, ''), editing: undefined, toast: ''});
}

/** Returns true while there is something to interrupt: the agent, or a command. */
function isWorking({store}: Keyboard): boolean {
	const {transcript, busy} = store.getState();
	return transcript.run !== undefined || busy;
}

function quitToast(key: string, {store}: Keyboard): string {
	return `${endsWithApp(store.getState())} Press ${key} again to quit.`.trimStart();
}
