import {panelKeys, queueKeys} from '../../editor/keymap/default-keys.ts';
import {hintsOf} from '../../editor/keymap/key-label.ts';
import {actionOf, keymapOf, pressedKey} from '../../editor/keymap/keymap.ts';
import {fitTitle} from '../../terminal/text/fit-parts.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {useApp, useKeymap, useUi} from '../context.ts';
import {Lines} from '../lines.tsx';
import {editWaiting} from '../prompt/waiting.ts';
import {closes, type PanelModule, type PanelProps} from './panel.ts';
import {listPart, titleRule} from './panel-rows.ts';

/** The messages that wait for the agent: to edit, move, remove, or send in place of what it does. */
type QueuePanel = {readonly kind: 'queue'};

const maxRows = 12;

export const queuePanel: PanelModule<QueuePanel> = {
	// The user opened it, and the run works on meanwhile.
	initial: () => ({manner: 'waits'}),
	rows: (_panel, {queue}) => Math.min(maxRows, Math.max(1, queue.length) + 1),

	press(pressed, _panel, keys) {
		const {store, answer} = keys;
		const {queue, scroll, ownKeys, scrollBy, dequeue, moveQueued, sendNow} = store.getState();
		const chosen = queue[place(scroll, queue.length)];
		if (closes(pressed, keys) || !chosen) {
			return true;
		}

		if (pressed.rows !== undefined) {
			scrollBy(pressed.rows);
		} else if (pressed.action === 'panel.open') {
			editWaiting(store, chosen.id);
			answer(undefined);
		}

		switch (actionOf(keymapOf(queueKeys, ownKeys), pressedKey(pressed.token) ?? '')) {
			case 'queue.earlier':
				scrollBy(moveQueued(chosen.id, -1));
				break;
			case 'queue.later':
				scrollBy(moveQueued(chosen.id, 1));
				break;
			case 'queue.remove':
				dequeue(chosen.id);
				break;
			case 'queue.send-now':
				sendNow(chosen.id);
				answer(undefined);
				break;
		}

		return true;
	},

	draw: QueueView,
	title: () => title,
	isFramed: false,
};

const title = 'Waiting messages';

/** Returns the index of the chosen message: the arrows wrap around. */
function place(scroll: number, count: number): number {
	return count === 0 ? 0 : ((scroll % count) + count) % count;
}

function QueueView({height}: PanelProps<QueuePanel>) {
	const {palette} = useUi();
	const columns = useApp(state => state.size.columns);
	const queue = useApp(state => state.queue);
	const scroll = useApp(state => state.scroll);
	const keymap = useKeymap(queueKeys);
	const chosen = place(scroll, queue.length);
	const hints = [
		...hintsOf(useKeymap(panelKeys), [['edit', 'panel.open']]),
		...hintsOf(keymap, [
			['send now', 'queue.send-now'],
			['move', 'queue.earlier', 'queue.later'],
			['remove', 'queue.remove'],
		]),
		'Esc close',
	];
	const beside = {facts: [` (${queue.length})`], hints, role: palette.dim};
	const head = titleRule(fitTitle(palette.label(title), beside, columns), {columns, palette});
	const room = Math.max(1, height - 1);
	const entries: ReadonlyArray<{readonly text: string; readonly group?: undefined}> = queue;
	const {visible, more} = listPart(entries, {chosen, room}, palette);
	const rows = visible.map(({index}) => {
		const text = safeLine(queue[index]?.text ?? '');
		return truncate(index === chosen ? palette.accent('❯ ') + palette.selected(text) : `  ${text}`, columns);
	});
	const lines = rows.length > 0 ? [...rows, ...more] : [palette.dim('  No message waits any more.')];
	return <Lines lines={height > 1 ? [head, ...lines] : lines} />;
}
