import {asMessage} from '../../command/line-kind.ts';
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
	if (!isUp || !last || composer.text !== '' || editing !== undefined) {
		return false;
	}

	editWaiting(store, last.id);
	return true;
}

/** Draws the last `height` messages that wait, with the keys for them beside the last one. */
export function waitingLines(
	{queue, size: {columns}, keymap}: Pick<AppState, 'queue' | 'size' | 'keymap'>,
	height: number,
	palette: Palette,
): readonly string[] {
	const key = hintKey(keymap, 'prompt.up');
	const manager = queue.length > height ? `/queue all ${queue.length}` : queue.length > 1 ? '/queue' : '';
	const hints = `  ${[key && `${key} edit`, manager].filter(Boolean).join(' · ')}`;
	return queue.slice(-height).map(({text}, index, shown) => {
		const beside = index === shown.length - 1 ? hints : '';
		const row = truncate(`  queued: ${safeLine(text)}`, Math.max(1, columns - lineWidth(beside)));
		return truncate(palette.dim(row + beside), columns);
	});
}
