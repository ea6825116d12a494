import {asMessage} from '../../command/line-kind.ts';
import type {Environment} from '../../core/environment.ts';
import {formatAmount} from '../../core/format.ts';
import {setComposerText, stashed, unstashed} from '../../editor/editor.ts';
import {moveTo} from '../../editor/editor-edit.ts';
import {unfolded} from '../../editor/folds.ts';
import type {Action} from '../../editor/keymap/default-keys.ts';
import {hintKey, keyLabel} from '../../editor/keymap/key-label.ts';
import {actionOf} from '../../editor/keymap/keymap.ts';
import {selectionOf} from '../../editor/selection.ts';
import {needsUser} from '../../store/panel-slice.ts';
import {isWorking} from '../../store/session-slice.ts';
import type {AppStore} from '../../store/store.ts';
import {type CopyWay, copyNote} from '../../terminal/clipboard.ts';
import {chordOf, type KeyToken} from '../../terminal/input/token.ts';
import type {SessionInteraction} from '../interaction.ts';
import {pressInLogs} from '../logs/log-keys.ts';
import {endsWithApp} from '../quit-words.ts';
import type {SecondPress} from '../second-press.ts';
import {walkApprovalModes} from './approval-mode.ts';

/** What the keys of the app do. */
export type AppKeys = {
	readonly store: AppStore;
	/** The terminal that the keys are pressed in. */
	readonly env: Environment;
	readonly interrupt: () => void;
	readonly redraw: () => void;
	readonly suspend: () => void;
	/** Shows the next open session of the background. */
	readonly nextSession: () => void;
	/** Sends what runs to the background. */
	readonly moveToBackground: () => void;
	/** Searches the earlier prompts. */
	readonly searchHistory: () => void;
	/** Shows the whole transcript, with everything that was left out. */
	readonly openTranscript: () => Promise<void>;
	/** Opens the log in front in the log viewer. Returns false if no log is open. */
	readonly openLogs: () => boolean;
	/** Inserts the image in the clipboard. */
	readonly pasteImage: () => void;
	readonly quit: () => void;
	/** Copies as `copyTo` does. */
	readonly copy: (text: string) => CopyWay | undefined;
	/** Opens a file in the user's editor, and shows a toast or a panel. */
	readonly interact: Pick<SessionInteraction, 'editFile' | 'say' | 'show'>;
};

/** What these keys work on. */
type Keyboard = AppKeys & {
	readonly secondPress: SecondPress;
	readonly now: () => number;
	/** Keeps what is typed until something is open that gets it. */
	readonly holdUntil: (opened: Promise<unknown>) => void;
};

type Press = (keyboard: Keyboard, chord: string) => void;

/** What the keys do that the prompt has no use for, and that can't be bound to anything else. */
const fixedKeys: Readonly<Record<string, Press>> = {'ctrl+c': pressCtrlC, escape: pressEscape};

/** What the actions do that the prompt has no use for. */
const appActions: {readonly [action in Action]?: Press} = {
	'prompt.delete-or-quit': pressQuit,
	'prompt.editor': keyboard =>
		keyboard.holdUntil(import('./edit-prompt.ts').then(({editPrompt}) => editPrompt(keyboard))),
	'prompt.stash': ({store, now}, chord) => stashPrompt(store, chord, now()),
	'prompt.search-history': ({searchHistory}) => searchHistory(),
	'prompt.paste-image': ({pasteImage}) => pasteImage(),
	'prompt.copy': copySelection,
	'app.transcript': ({openTranscript, holdUntil}) => holdUntil(openTranscript()),
	'app.approval-mode': pressApprovalMode,
	'app.next-session': ({nextSession}) => nextSession(),
	'app.redraw': ({redraw}) => redraw(),
	'app.suspend': ({suspend}) => suspend(),
};

/** Handles a key that the prompt has no use for. Returns false for one that does nothing. */
export function pressInApp(token: KeyToken, keyboard: Keyboard): boolean {
	const {store, openLogs} = keyboard;
	const chord = chordOf(token);
	const action = actionOf(store.getState().keymap, chord);
	const press = fixedKeys[chord] ?? (action && appActions[action]);
	if (press) {
		press(keyboard, chord);
		return true;
	}

	if (pressInLogs(action, {store, openViewer: openLogs})) {
		return true;
	}

	const isSequence = chord.includes(' ');
	if (isSequence) {
		store.getState().setToast(`${keyLabel(chord)} is not bound to anything.`);
	}

	return isSequence;
}

/** Shows the keys until the next one. */
export async function showKeys({store, interact, env}: AppKeys): Promise<void> {
	const {keyLines} = await import('./key-panel.ts');
	if (!needsUser(store.getState())) {
		interact.show('Keys', columns => keyLines(store.getState().ownKeys, columns, env), {closesOnKey: true});
	}
}

/** Copies what is selected in the prompt. */
function copySelection({store, copy}: Keyboard): void {
	const {composer, setToast, keymap} = store.getState();
	const select = hintKey(keymap, 'prompt.select-left', 'prompt.select-right');
	const {start, end} = selectionOf(composer) ?? {start: 0, end: 0};
	const text = unfolded(composer.text.slice(start, end), composer.folds, 'text');
	setToast(
		start === end
			? `Nothing is selected.${select && ` Select with ${select}.`}`
			: copyNote(formatAmount(text.length, 'character'), copy(text)),
	);
}

/** Selects the next approval mode, unless a question is open: its answer must not change meanwhile. */
function pressApprovalMode({store}: Keyboard): void {
	if (!needsUser(store.getState())) {
		walkApprovalModes(store);
	}
}

function pressCtrlC(keyboard: Keyboard): void {
	const {store, secondPress, interrupt, quit} = keyboard;
	if (store.getState().composer.text) {
		clearPrompt(keyboard);
	} else if (isWorking(store.getState())) {
		interrupt();
	} else if (secondPress.isSecond('ctrl+c', quitToast('Ctrl+C', keyboard))) {
		quit();
	}
}

function pressQuit(keyboard: Keyboard, chord: string): void {
	const {store, secondPress, quit} = keyboard;
	const {composer, ownSandboxes} = store.getState();
	if (!composer.text && (ownSandboxes === 0 || secondPress.isSecond(chord, quitToast(keyLabel(chord), keyboard)))) {
		quit();
	}
}

function pressEscape(keyboard: Keyboard): void {
	const {store, secondPress, interrupt} = keyboard;
	const {composer, editPrompt, transcript} = store.getState();
	if (isWorking(store.getState())) {
		interrupt();
	} else if (selectionOf(composer)) {
		editPrompt({composer: moveTo(composer, composer.caret)});
	} else if (composer.text) {
		if (secondPress.isSecond('escape', 'Press Esc again to clear the prompt.')) {
			clearPrompt(keyboard);
		}
	} else {
		const previous = transcript.settled.findLast(block => block.kind === 'user');
		if (previous && secondPress.isSecond('escape', 'Press Esc again to edit your previous message.')) {
			editPrompt({composer: setComposerText(composer, asMessage(previous.text)), editing: previous.id});
		}
	}
}

/** Empties the prompt. An empty prompt replaces no earlier message. */
function clearPrompt({store}: Keyboard): void {
	const {composer, editPrompt} = store.getState();
	editPrompt({composer: setComposerText(composer, ''), editing: undefined, toast: ''});
}

function quitToast(key: string, {store}: Keyboard): string {
	return `${endsWithApp(store.getState())} Press ${key} again to quit.`.trimStart();
}

const maxDrafts = 20;

/** Puts the draft aside and empties the prompt; on an empty prompt, brings the latest draft back. `chord` is the key for it. */
function stashPrompt(store: AppStore, chord: string, now: number): void {
	const {composer, stash, setStash, editPrompt, setToast} = store.getState();
	const latest = stash.at(-1);
	if (composer.text !== '') {
		if (stash.length >= maxDrafts) {
			setToast(`${maxDrafts} drafts are stashed already. Send this one first.`);
			return;
		}

		const {state, draft} = stashed(composer);
		setStash([...stash, draft]);
		// The draft is a new message when it comes back.
		editPrompt({composer: state, typedAt: now, completion: 0, editing: undefined});
		setToast(`Draft stashed. ${keyLabel(chord)} on an empty prompt brings it back.`);
	} else if (latest) {
		setStash(stash.slice(0, -1));
		editPrompt({composer: unstashed(composer, latest), typedAt: now, completion: -1, toast: ''});
	} else {
		setToast('No draft is stashed.');
	}
}
