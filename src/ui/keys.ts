import type {Entry} from '../command/command.ts';
import {type ComposerAction, reduceComposer, setComposerText} from '../store/composer.ts';
import type {AppStore} from '../store/store.ts';
import type {Panel} from '../store/view-slice.ts';
import {chordOf, type InputToken, type KeyToken} from '../terminal/input-token.ts';
import {suggestionsFor} from './app.tsx';
import {promptWidth} from './composer.tsx';
import {pressInLogs} from './log-keys.ts';
import {pressInPicker} from './picker-keys.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly entries: () => readonly Entry[];
	/** A message or a slash line was sent. */
	readonly submit: (text: string) => void;
	/** Answers the open panel; undefined cancels it. */
	readonly answer: (value: string | undefined) => void;
	/** What the keys of a login that waits for the browser do. */
	readonly pressInDevicePanel: (chord: string, panel: Extract<Panel, {kind: 'device'}>) => void;
	/** Hands a key to the one-line field that has the focus. */
	readonly feed: (token: InputToken) => void;
	readonly interrupt: () => void;
	readonly redraw: () => void;
	readonly suspend: () => void;
	/** Shows the whole transcript, with all that was left out. */
	readonly openTranscript: () => void;
	/** Gives the log in front the whole window; false where none is open. */
	readonly openLogs: () => boolean;
	readonly quit: () => void;
	readonly now?: () => number;
	/** Runs something after so many milliseconds. */
	readonly later?: (run: () => void, milliseconds: number) => void;
};

/** How long a second press of the same key counts as the second of two, in milliseconds. */
const twice = 2000;

/** Says what every key does: the panel has the first word, then the completion, then the prompt, then the app. */
export function createKeyHandler(dependencies: Dependencies): (tokens: readonly InputToken[]) => void {
	const {store, entries, submit, answer, feed, interrupt, redraw, suspend, quit} = dependencies;
	const {now = Date.now, later = (run, milliseconds) => setTimeout(run, milliseconds).unref()} = dependencies;
	let pressed = {chord: '', at: 0};

	const state = store.getState;

	/** True when the same key was pressed just before; the first press says what the second one does, while it does. */
	const isSecond = (chord: string, toast: string) => {
		const second = pressed.chord === chord && now() - pressed.at < twice;
		pressed = second ? {chord: '', at: 0} : {chord, at: now()};
		state().setToast(second ? '' : toast);
		if (!second) {
			const {at} = pressed;
			later(() => pressed.at === at && state().toast === toast && state().setToast(''), twice);
		}

		return second;
	};

	const inPanel = (token: InputToken): boolean => {
		const {panel, scrollBy} = state();
		if (!panel) {
			return false;
		}

		const chord = token.type === 'key' ? chordOf(token) : token.type === 'text' ? token.text : '';
		if (chord === 'escape' || chord === 'ctrl+c') {
			answer(undefined);
		} else if (chord === 'up' || chord === 'down') {
			scrollBy(chord === 'up' ? -1 : 1);
		} else if (chord === 'page-up' || chord === 'page-down') {
			scrollBy(chord === 'page-up' ? -8 : 8);
		} else if (panel.kind === 'confirm') {
			if (/^(?:y|n|enter)$/i.test(chord)) {
				answer(chord.toLowerCase() === 'y' ? 'yes' : undefined);
			}
		} else if (panel.kind === 'pick') {
			pressInPicker(token, panel, {store, answer});
		} else if (panel.kind === 'device') {
			dependencies.pressInDevicePanel(chord, panel);
		} else if (panel.kind === 'table' && (chord === 'tab' || chord === 'shift+tab')) {
			state().sortBy(chord === 'tab' ? 1 : -1);
		} else if (panel.kind === 'table' && chord === 'ctrl+t') {
			state().toggleExact();
		} else if (panel.kind === 'lines') {
			return false;
		} else {
			feed(token);
		}

		return true;
	};

	/** Tab takes a suggestion, the arrows choose one, Escape closes the list, Enter takes one that is not yet typed. */
	const inCompletion = (token: KeyToken): boolean => {
		const {composer, completion, setCompletion, setComposer} = state();
		const suggestions = suggestionsFor(entries(), composer.text, completion, state());
		const chosen = suggestions[Math.min(completion, suggestions.length - 1)];
		if (!chosen) {
			return false;
		}

		const count = suggestions.length;
		switch (chordOf(token)) {
			case 'up':
			case 'down':
				setCompletion((Math.min(completion, count - 1) + (token.name === 'up' ? count - 1 : 1)) % count);
				return true;
			case 'escape':
				setCompletion(-1);
				return true;
			case 'tab':
				setComposer(setComposerText(composer, chosen.line));
				setCompletion(0);
				return true;
			case 'enter':
				if (chosen.isOptional && completion === 0) {
					return false;
				}

				if (composer.text.trim() !== chosen.line.trim()) {
					setComposer(setComposerText(composer, chosen.line));
					setCompletion(0);
					// What needs nothing more runs at once.
					return chosen.line.endsWith(' ');
				}

				return false;
			default:
				return false;
		}
	};

	/** An empty prompt replaces no earlier message. */
	const clear = () => {
		const {composer, setComposer, setEditing, setToast} = state();
		setComposer(setComposerText(composer, ''));
		setEditing(undefined);
		setToast('');
	};

	/** True while there is something to interrupt: the agent, or a command. */
	const isWorking = () => state().transcript.run !== undefined || state().busy;

	const onKey = (token: KeyToken) => {
		const {composer} = state();
		switch (chordOf(token)) {
			case 'ctrl+c':
				if (composer.text) {
					clear();
				} else if (isWorking()) {
					interrupt();
				} else if (isSecond('ctrl+c', 'Press Ctrl+C again to quit.')) {
					quit();
				}

				break;
			case 'ctrl+d':
				if (!composer.text) {
					quit();
				}

				break;
			case 'escape':
				onEscape();
				break;
			case 'ctrl+l':
				redraw();
				break;
			case 'ctrl+o':
				dependencies.openTranscript();
				break;
			case 'ctrl+z':
				suspend();
				break;
			default:
				pressInLogs(chordOf(token), {store, openViewer: dependencies.openLogs});
		}
	};

	const onEscape = () => {
		const {composer, setComposer, setEditing, transcript} = state();
		if (isWorking()) {
			interrupt();
		} else if (composer.text) {
			if (isSecond('escape', 'Press Esc again to clear the prompt.')) {
				clear();
			}
		} else {
			const previous = transcript.settled.findLast(block => block.kind === 'user');
			if (previous && isSecond('escape', 'Press Esc again to edit your previous message.')) {
				setComposer(setComposerText(composer, previous.text));
				setEditing(previous.id);
			}
		}
	};

	const act = (action: ComposerAction) => {
		if (action.type === 'submit') {
			submit(action.text);
		} else if (action.token.type === 'key') {
			onKey(action.token);
		}
	};

	const inComposer = (token: InputToken) => {
		const {composer, setComposer, size, toast, setToast, setCompletion, setEditing} = state();
		const result = reduceComposer(composer, token, {columns: size.columns - promptWidth});
		if (result.state !== composer) {
			setComposer(result.state);
		}

		if (result.state.text !== composer.text) {
			// A line from the history is not being written: the arrows go on through the history.
			setCompletion(result.state.position === composer.position || result.action ? 0 : -1);
			if (result.state.text === '' && !result.action) {
				setEditing(undefined);
			}
		}

		if (toast && (token.type === 'text' || token.type === 'paste')) {
			setToast('');
		}

		if (result.action) {
			act(result.action);
		}
	};

	return tokens => {
		for (const token of tokens) {
			const isTyped = token.type === 'text' || token.type === 'paste';
			if (isTyped || (token.type === 'key' && chordOf(token) !== pressed.chord)) {
				pressed = {chord: '', at: 0};
			}

			if (inPanel(token) || (token.type === 'key' && inCompletion(token))) {
				continue;
			}

			inComposer(token);
		}
	};
}
