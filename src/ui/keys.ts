import type {Entry} from '../command/context.ts';
import {asPasted} from '../command/line-kind.ts';
import {type ComposerWindow, reduceComposer} from '../editor/editor.ts';
import {endTyping} from '../editor/editor-edit.ts';
import type {ComposerState} from '../editor/editor-state.ts';
import {commandKeys, completionKeys, questionKeys} from '../editor/keymap/default-keys.ts';
import {keyLabel} from '../editor/keymap/key-label.ts';
import {actionOf, type Keymap, keymapOf} from '../editor/keymap/keymap.ts';
import {selectionOf} from '../editor/selection.ts';
import {needsUser, panelHasFocus} from '../store/panel-slice.ts';
import type {AppState} from '../store/store.ts';
import type {PromptEdit} from '../store/view-slice.ts';
import {joinBursts} from '../terminal/input/bursts.ts';
import {maxPastedBytes} from '../terminal/input/paste.ts';
import {
	characterWithAlt,
	chordOf,
	type InputToken,
	type KeyToken,
	keyToken,
	type ReplyToken,
	textToken,
} from '../terminal/input/token.ts';
import {steadyNow, untilAnswerable} from './answerable.ts';
import type {Attention} from './attention/attention.ts';
import {pressInCompletion} from './completion-keys.ts';
import type {PanelKeys} from './panels/panel.ts';
import {opensView, pressInPanel} from './panels/panel-keys.ts';
import {type AppKeys, pressInApp, showKeys} from './prompt/app-keys.ts';
import {promptWidth} from './prompt/approval-mode.ts';
import {pressForWaiting} from './prompt/waiting.ts';
import type {FullScreen} from './screen/full-screen.ts';
import {createSecondPress, type SecondPress} from './second-press.ts';

type Dependencies = Omit<PanelKeys, 'isTypedAhead' | 'now'> &
	AppKeys & {
		readonly entries: () => readonly Entry[];
		/** Gets what is typed while a view is open. */
		readonly fullScreen: Pick<FullScreen, 'isOpen' | 'press'>;
		/** Handles a reply of the terminal. Returns false for one that was not requested. */
		readonly takeReply: (reply: ReplyToken) => boolean;
		/** Returns what wants to know whether the user looks at the window; undefined until that is loaded. */
		readonly attention?: () => Pick<Attention, 'focus' | 'pressed'> | undefined;
		/** Returns what ends once the conversation is open; undefined from then on. */
		readonly opening?: () => Promise<unknown> | undefined;
		/** Sends a message or a slash line. */
		readonly submit: (text: string) => void;
		/** Returns mentions for a paste that is only paths of dragged images; undefined for other text. */
		readonly mentionsOfDragged: (pasted: string) => string | undefined;
		/** Returns the milliseconds on the clock of `askedAt`. */
		readonly now?: () => number;
		readonly later?: (run: () => void, delayMs: number) => void;
	};

/** What the keys work on. */
type Keyboard = Dependencies & {
	readonly panelKeys: PanelKeys;
	readonly secondPress: SecondPress;
	readonly sequence: KeySequence;
	readonly now: () => number;
	/** Keeps what is typed, after `first`, until something is open that gets it. */
	readonly holdUntil: (opened: Promise<unknown>, first?: InputToken) => void;
};

/** After a pause of this length, what is typed is undone by itself. */
const typingPauseMs = 1000;

/**
 * Returns a handler for everything that was typed in one turn of the event loop. A full-screen view gets the tokens
 * first, then the panel, the completion, the prompt, and last the app.
 */
export function createKeyHandler(dependencies: Dependencies): (tokens: readonly InputToken[]) => void {
	const {store, fullScreen, takeReply, now = steadyNow} = dependencies;
	const {later = (run, delayMs) => setTimeout(run, delayMs).unref()} = dependencies;
	/** What was typed while something opens; undefined at any other time. */
	let held: InputToken[] | undefined;
	const keyboard: Keyboard = {
		...dependencies,
		now,
		holdUntil(opened, first) {
			const kept = first ? [first] : [];
			held = kept;
			void opened
				.catch(() => undefined)
				.then(() => {
					if (held === kept) {
						held = undefined;
						handle(kept);
					}
				});
		},
		secondPress: createSecondPress({store, now, later}),
		sequence: createKeySequence(chord => store.getState().setToast(chord && `${keyLabel(chord)} …`)),
		panelKeys: {
			...dependencies,
			now,
			isTypedAhead: question => untilAnswerable(question, store.getState(), now()) > 0,
			answer(value) {
				// The key that answered this panel must not answer the next one, too.
				store.getState().editPrompt({typedAt: now()});
				dependencies.answer(value);
			},
		},
	};

	const isHeard = (token: InputToken) => hearFocus(token, keyboard) || (token.type === 'reply' && takeReply(token));

	const press = (token: InputToken) => {
		if (token.type === 'key' && chordOf(token) === 'ctrl+c') {
			// It clears what was typed, and must not wait for anything.
			held = undefined;
		}

		const left = held ? void held.push(token) : fullScreen.press(token);
		if (left?.type === 'paste' && left.truncated) {
			store.getState().setToast(refusalOf(left));
		} else if (left) {
			pressToken(left, keyboard);
		}
	};

	const handle = (tokens: readonly InputToken[]) => {
		const typed = tokens.filter(token => !isHeard(token));
		let next = 0;
		// A view gets them one by one; what follows the one that closes it is for the prompt.
		for (const token of typed) {
			if (!held && !fullScreen.isOpen()) {
				break;
			}

			press(token);
			next++;
		}

		// An Enter that was pasted must not send, and must answer no question.
		for (const token of joinBursts(typed.slice(next), key => isEdit(key, store.getState()))) {
			press(token);
		}
	};
	return handle;
}

/** What keys may do that follow a paste at once: edit and move in the prompt, but not send, answer or switch anything. */
const edits = /^prompt\.(?:left|right|word-|line-|start|end|delete(?:-back)?$|kill-|yank$|undo|redo|transpose|select-)/;

function isEdit(key: KeyToken, state: AppState): boolean {
	const {panel, keymap, vim} = state;
	const mayEdit = panel === undefined && vim === undefined && !isBackgroundKey(key, state);
	return mayEdit && edits.test(actionOf(keymap, chordOf(key)) ?? '');
}

/** True for the key that sends what runs to the background. */
function isBackgroundKey(key: KeyToken, {foreground, ownKeys}: AppState): boolean {
	return foreground > 0 && actionOf(keymapOf(commandKeys, ownKeys), chordOf(key)) === 'app.background';
}

/** Notes whether the user is there. Returns true for a report of the terminal, which is never input. */
function hearFocus(token: InputToken, {attention}: Keyboard): boolean {
	if (token.type === 'focus') {
		attention?.()?.focus(token.focused);
		return true;
	}

	if (token.type !== 'reply') {
		attention?.()?.pressed();
	}

	return false;
}

/** Returns why a paste is not inserted: what is sent must be whole. */
function refusalOf({text}: Extract<InputToken, {type: 'paste'}>): string {
	// One character has at most four bytes.
	return text.length * 4 >= maxPastedBytes
		? 'Not inserted: the paste is over 8 MB. Save it and type @ and its path.'
		: 'The paste ended too early, so it was not inserted. Paste it again.';
}

function pressToken(token: InputToken, keyboard: Keyboard): void {
	const {store, secondPress, sequence, panelKeys, suspend} = keyboard;
	const chord = token.type === 'key' ? chordOf(token) : undefined;
	if (token.type === 'key' || token.type === 'text' || token.type === 'paste') {
		secondPress.forget(chord);
	}

	const state = store.getState();
	const {panel, keymap} = state;
	const continues = sequence.isBegun() && isSecondChord(token);
	const isForPanel = panel && !continues && !opensView(chord, state);
	if (chord !== undefined && actionOf(keymap, chord) === 'app.suspend') {
		suspend();
	} else if (isForPanel && pressInPanel(token, panel, panelKeys)) {
		sequence.forget();
	} else {
		const joined = sequence.join(token, keymap);
		if (!joined || isNoAnswer(joined, state) || !pressOutsidePanel(joined, keyboard)) {
			state.editPrompt({typedAt: keyboard.now()});
		}
	}
}

/** Returns true for what ends a sequence that has begun. Ctrl+C always does what it does. */
function isSecondChord(token: InputToken): boolean {
	return token.type === 'key' ? chordOf(token) !== 'ctrl+c' : token.type === 'text' && token.text.length === 1;
}

/** Returns true for a sequence while a question has the keys, and says so: only those that show something leave it open. */
function isNoAnswer(joined: InputToken, state: AppState): boolean {
	const name = joined.type === 'key' ? chordOf(joined) : '';
	const isNone = state.manner === 'asks' && panelHasFocus(state) && name.includes(' ') && !opensView(name, state);
	if (isNone) {
		state.setGuard({note: `${keyLabel(name)} ignored: it is no answer`});
	}

	return isNone;
}

/** Handles a key that no panel gets. Returns true if the prompt got it, which then knows when. */
function pressOutsidePanel(token: InputToken, keyboard: Keyboard): boolean {
	const {store, entries} = keyboard;
	if (token.type === 'text' && token.text === '?' && store.getState().composer.text === '') {
		keyboard.holdUntil(showKeys(keyboard));
		return false;
	}

	if (token.type === 'key' && (pressInCompletion(token, store, entries()) || movesToPanel(token, keyboard))) {
		return false;
	}

	if (token.type === 'key' && awaitsOffer(token, keyboard)) {
		return false;
	}

	if (token.type === 'key' && isBackgroundKey(token, store.getState())) {
		keyboard.moveToBackground();
		return false;
	}

	if (pressForWaiting(token, store)) {
		return false;
	}

	// Terminals whose key for pasting is not ours send nothing between the brackets for an image.
	if (token.type === 'paste' && token.text === '') {
		keyboard.pasteImage();
		return false;
	}

	pressInPrompt(token.type === 'paste' ? insertable(token, keyboard) : token, keyboard);
	return true;
}

/**
 * Keeps the key that inserts an offer into the empty prompt until the conversation is open, which makes one. Returns true if it
 * does.
 */
function awaitsOffer(token: KeyToken, {store, opening, holdUntil}: Keyboard): boolean {
	const {composer, ownKeys} = store.getState();
	const inserts = actionOf(keymapOf(completionKeys, ownKeys), chordOf(token)) === 'completion.complete';
	const opened = inserts && !composer.text && opening?.();
	if (!opened) {
		return false;
	}

	holdUntil(opened, token);
	return true;
}

/** Moves the focus to the panel that waits beside the draft, with the key for it. Returns true for that key. */
function movesToPanel(token: KeyToken, {store}: Keyboard): boolean {
	const state = store.getState();
	const isKey = actionOf(keymapOf(questionKeys, state.ownKeys), chordOf(token)) === 'question.focus';
	const moves = isKey && waitsBesideDraft(state);
	if (moves) {
		state.setGuard({focus: 'panel', note: ''});
	}

	return moves;
}

/** True while a panel is open that the user has not moved to. */
function waitsBesideDraft(state: AppState): boolean {
	return needsUser(state) && !panelHasFocus(state);
}

/**
 * Returns a paste as it is inserted: with mentions in place of the paths of dragged images, and at the beginning of the prompt
 * with a space before what must not run.
 */
function insertable(token: Extract<InputToken, {type: 'paste'}>, keyboard: Keyboard): InputToken {
	const {composer} = keyboard.store.getState();
	const isFirst = (selectionOf(composer)?.start ?? composer.caret) === 0;
	const pasted = withMentions(token, keyboard);
	return isFirst ? {...pasted, text: asPasted(pasted.text)} : pasted;
}

function withMentions(
	token: Extract<InputToken, {type: 'paste'}>,
	{store, mentionsOfDragged}: Keyboard,
): Extract<InputToken, {type: 'paste'}> {
	const mentions = mentionsOfDragged(token.text);
	const {text, caret} = store.getState().composer;
	const isApart = /(?:^|\s)$/.test(text.slice(0, caret));
	return mentions === undefined ? token : {...token, text: isApart ? mentions : ` ${mentions}`};
}

/** Applies a token to the prompt, in its Vim mode if it has one. */
function stepOf(composer: ComposerState, token: InputToken, window: ComposerWindow, {vim, setVim}: AppState) {
	if (!vim) {
		return reduceComposer(composer, token, window);
	}

	const step = vim.reduce(vim.state, composer, token, window);
	if (step.vim !== vim.state) {
		setVim({...vim, state: step.vim});
	}

	return step;
}

function pressInPrompt(token: InputToken, keyboard: Keyboard): void {
	const {store, submit, now} = keyboard;
	const state = store.getState();
	const hasPaused = state.typedAt !== undefined && now() - state.typedAt > typingPauseMs;
	const before = hasPaused ? endTyping(state.composer) : state.composer;
	const columns = state.size.columns - promptWidth(state.approvalMode);
	const step = stepOf(before, token, {columns, keymap: state.keymap}, state);
	const isWalking = step.state.position !== state.composer.position && !step.action;
	// An earlier prompt would be sent in place of the message that is being edited.
	if (state.editing !== undefined && isWalking) {
		return;
	}

	const isText = token.type === 'text' || token.type === 'paste';
	const edit: PromptEdit = {
		...(step.state !== state.composer && {composer: step.state}),
		// Whatever the key does, it must not answer a question that appears meanwhile, nor must the next one that is typed on.
		...((isText || token.type === 'key') && {typedAt: now()}),
		...((step.state.text !== state.composer.text || (state.vim && isText)) && {
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
		if (state.guard.focus === 'draft') {
			state.setGuard({focus: undefined});
		}

		submit(step.action.text);
	} else if (step.action && chordOf(step.action.token) === 'escape' && waitsBesideDraft(state)) {
		keyboard.panelKeys.answer(undefined);
	} else if (step.action && !pressInApp(step.action.token, keyboard)) {
		// Esc and what is typed at once after it: without its slash, a command would be sent as a message.
		const character = characterWithAlt(step.action.token);
		if (character !== undefined) {
			pressOutsidePanel(textToken(character), keyboard);
		}
	}
}

type KeySequence = {
	/**
	 * Returns the token to act on: the whole sequence as one key after its second chord, and undefined after its first one.
	 */
	readonly join: (token: InputToken, keymap: Keymap) => InputToken | undefined;
	/** Returns true between the two chords of a sequence. */
	readonly isBegun: () => boolean;
	/** Forgets the first chord of a sequence. */
	readonly forget: () => void;
};

/** True for what a user types, and false for what the terminal says by itself. */
function isTyped({type}: InputToken): boolean {
	return type === 'key' || type === 'text' || type === 'paste';
}

/** Joins the two chords of a sequence such as Ctrl+X Ctrl+E. `note` shows the chord that waits for another, '' for none. */
function createKeySequence(note: (chord: string) => void): KeySequence {
	let first: string | undefined;

	const forget = () => {
		if (first !== undefined) {
			first = undefined;
			note('');
		}
	};

	return {
		isBegun: () => first !== undefined,
		forget,
		join(token, {prefixes}) {
			const chord =
				token.type === 'key'
					? chordOf(token)
					: token.type === 'text' && token.text.length === 1
						? token.text
						: undefined;
			if (first !== undefined && chord !== undefined) {
				const name = `${first} ${chord}`;
				forget();
				// Esc only cancels the sequence, and Ctrl+C always does what it does.
				return chord === 'escape' ? undefined : chord === 'ctrl+c' ? token : keyToken(name);
			}

			if (isTyped(token)) {
				forget();
			}

			if (token.type === 'key' && chord !== undefined && prefixes.has(chord)) {
				first = chord;
				note(chord);
				return undefined;
			}

			return token;
		},
	};
}
