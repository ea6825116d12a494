import type {Entry} from '../command/context.ts';
import {reduceComposer, setComposerText} from '../editor/editor.ts';
import {joinBursts} from '../terminal/input/burst.ts';
import {chordOf, type InputToken, type KeyToken} from '../terminal/input/token.ts';
import {pressInCompletion} from './completion-keys.ts';
import {promptWidth} from './composer.tsx';
import {pressInLogs} from './logs/log-keys.ts';
import {type PanelKeys, pressInPanel} from './panels/panel-keys.ts';
import {steadyNow, untilAnswerable} from './panels/question.ts';
import {endsWithApp} from './quit-words.ts';
import {createSecondPress} from './second-press.ts';

type Dependencies = Omit<PanelKeys, 'isTypedAhead'> & {
	readonly entries: () => readonly Entry[];
	/** A message or a slash line was sent. */
	readonly submit: (text: string) => void;
	readonly interrupt: () => void;
	readonly redraw: () => void;
	readonly suspend: () => void;
	/** Looks for an earlier prompt. */
	readonly searchHistory: () => void;
	/** Shows the whole transcript, with all that was left out. */
	readonly openTranscript: () => void;
	/** Gives the log in front the whole window; false where none is open. */
	readonly openLogs: () => boolean;
	readonly quit: () => void;
	/** Milliseconds on the clock that questions are put by. */
	readonly now?: () => number;
	/** Runs something after so many milliseconds. */
	readonly later?: (run: () => void, milliseconds: number) => void;
};

/** Says what every key does: the panel has the first word, then the completion, then the prompt, then the app. */
export function createKeyHandler(dependencies: Dependencies): (tokens: readonly InputToken[]) => void {
	const {store, entries, submit, interrupt, redraw, suspend, searchHistory, openTranscript, openLogs, quit} =
		dependencies;
	const {now = steadyNow, later = (run, milliseconds) => setTimeout(run, milliseconds).unref()} = dependencies;
	const {isSecond, forget} = createSecondPress({store, now, later});
	const state = store.getState;
	const panelKeys: PanelKeys = {
		...dependencies,
		isTypedAhead: question => untilAnswerable(question, state().typedAt, now()) > 0,
	};

	/** An empty prompt replaces no earlier message. */
	const clear = () => {
		const {composer, setComposer, setEditing, setToast} = state();
		setComposer(setComposerText(composer, ''));
		setEditing(undefined);
		setToast('');
	};

	const quitToast = (key: string) => `${endsWithApp(state().ownSandboxes)} Press ${key} again to quit.`.trimStart();

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
				} else if (isSecond('ctrl+c', quitToast('Ctrl+C'))) {
					quit();
				}

				break;
			case 'ctrl+d':
				if (!composer.text && (state().ownSandboxes === 0 || isSecond('ctrl+d', quitToast('Ctrl+D')))) {
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
				openTranscript();
				break;
			case 'ctrl+r':
				searchHistory();
				break;
			default:
				pressInLogs(chordOf(token), {store, openViewer: openLogs});
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

	const inComposer = (token: InputToken) => {
		const {composer, setComposer, setTypedAt, size, toast, setToast, setCompletion, editing, setEditing} = state();
		const result = reduceComposer(composer, token, {columns: size.columns - promptWidth});
		// An earlier prompt would be sent in the place of the message that is edited.
		if (editing !== undefined && result.state.position !== composer.position && !result.action) {
			return;
		}

		if (result.state !== composer) {
			setComposer(result.state);
		}

		if (result.state.text !== composer.text) {
			setTypedAt(result.action ? undefined : now());
			// A line from the history is not being written: the arrows go on through the history.
			setCompletion(result.state.position === composer.position || result.action ? 0 : -1);
			if (result.state.text === '' && !result.action) {
				setEditing(undefined);
			}
		}

		if (toast && (token.type === 'text' || token.type === 'paste')) {
			setToast('');
		}

		if (result.action?.type === 'submit') {
			submit(result.action.text);
		} else if (result.action) {
			onKey(result.action.token);
		}
	};

	/** True where the shell, an open panel or the completion took it. */
	const isTaken = (token: InputToken): boolean => {
		const {panel} = state();
		if (token.type === 'key' && chordOf(token) === 'ctrl+z') {
			suspend();
			return true;
		}

		return (
			(panel !== undefined && pressInPanel(token, panel, panelKeys)) ||
			(token.type === 'key' && pressInCompletion(token, store, entries()))
		);
	};

	return tokens => {
		// A panel takes keys one by one; in the prompt an Enter that was pasted must not send.
		for (const token of state().panel ? tokens : joinBursts(tokens)) {
			if (token.type === 'key') {
				forget(chordOf(token));
			} else if (token.type === 'text' || token.type === 'paste') {
				forget(undefined);
			}

			if (!isTaken(token)) {
				inComposer(token);
			}
		}
	};
}
