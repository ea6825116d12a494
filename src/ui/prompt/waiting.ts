import {asMessage, isCommandLine} from '../../command/line-kind.ts';
import {expandedText, setComposerText} from '../../editor/editor.ts';
import {hintKey} from '../../editor/keymap/key-label.ts';
import {actionOf} from '../../editor/keymap/keymap.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {lineWidth, truncate} from '../../terminal/text/width.ts';

/** Moves a message out of the queue into the prompt, before what is typed there. It isn't sent unless the user sends it. */
export function editWaiting(store: AppStore, id: string): void {
	const {composer, dequeue, editPrompt} = store.getState();
	const message = dequeue(id);
	if (message) {
		const text = [message.text, expandedText(composer)].filter(Boolean).join('\n');
		editPrompt({composer: setComposerText(composer, asMessage(text)), completion: -1});
	}
}

/** Moves the last waiting message into an empty prompt, with the key that moves up. Returns false for other keys. */
export function pressForWaiting(token: InputToken, store: AppStore): boolean {
	const {composer, keymap, queue, editing} = store.getState();
	const last = queue.at(-1);
	const isUp = token.type === 'key' && actionOf(keymap, chordOf(token)) === 'prompt.up';
	if (!isUp || !last || !opensWaiting({composer, editing})) {
		return false;
	}

	editWaiting(store, last.id);
	return true;
}

/** Returns true if the key that moves up opens a waiting message: elsewhere it moves in what is written. */
function opensWaiting({composer, editing}: Pick<AppState, 'composer' | 'editing'>): boolean {
	return composer.text === '' && editing === undefined;
}

/** How long what is sent may take before a row shows it. */
const unseenMs = 100;

/**
 * Shows what was sent above the prompt, if it has neither begun a run or a command nor ended after a moment: the app may still
 * open, or the machine be busy. `end` is that of what was sent.
 */
export function showSending(store: AppStore, text: string, end: Promise<unknown>): void {
	const {transcript, setSending} = store.getState();
	if (transcript.run || text.trim() === '') {
		return;
	}

	// The arguments of a command may be a key.
	const shown = isCommandLine(text) ? (text.trim().split(/\s/, 1)[0] ?? '') : text;
	let isShown = false;
	const hasBegun = ({transcript: {run}, busy}: AppState) => busy || run !== undefined;
	const show = () => {
		if (!hasBegun(store.getState())) {
			isShown = true;
			setSending([...store.getState().sending, shown]);
		}
	};
	const timer = setTimeout(show, unseenMs).unref();
	const hide = () => {
		clearTimeout(timer);
		unsubscribe();
		if (isShown) {
			isShown = false;
			const {sending} = store.getState();
			setSending(sending.toSpliced(sending.indexOf(shown), 1));
		}
	};
	const unsubscribe = store.subscribe(state => (hasBegun(state) ? hide() : undefined));
	void end.then(hide, hide);
}

/** Draws the last `height` messages that wait, with the keys for them beside the last one. */
export function waitingLines(
	{
		queue,
		sending,
		size: {columns},
		keymap,
		composer,
		editing,
	}: Pick<AppState, 'queue' | 'sending' | 'size' | 'keymap' | 'composer' | 'editing'>,
	height: number,
	palette: Palette,
): readonly string[] {
	const key = opensWaiting({composer, editing}) ? hintKey(keymap, 'prompt.up') : '';
	const manager = queue.length > height ? `/queue all ${queue.length}` : queue.length > 1 ? '/queue' : '';
	const keys = [key && `${key} edit`, manager].filter(Boolean).join(' · ');
	const hints = keys && `  ${keys}`;
	const rows = [
		...sending.map(text => `  sending: ${safeLine(text)}`),
		...queue.map(({text}) => `  queued: ${safeLine(text)}`),
	];
	return rows.slice(-height).map((row, index, shown) => {
		const beside = queue.length > 0 && index === shown.length - 1 ? hints : '';
		return truncate(palette.dim(truncate(row, Math.max(1, columns - lineWidth(beside))) + beside), columns);
	});
}
