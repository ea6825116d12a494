import {type Action, type PanelAction, panelKeys} from '../../editor/keymap/default-keys.ts';
import {actionOf, keymapOf} from '../../editor/keymap/keymap.ts';
import {type OpenPanel, panelHasFocus} from '../../store/panel-slice.ts';
import type {AppState} from '../../store/store.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import type {PanelKeys, Pressed} from './panel.ts';
import {moduleOf} from './panels.ts';

/**
 * Handles a key while a panel is open. Ctrl+C at what a run waits for interrupts the run. Returns false for a key that the
 * prompt should handle: the panel only shows lines, the user writes a draft, or the key begins one.
 */
export function pressInPanel(token: InputToken, panel: OpenPanel, keys: PanelKeys): boolean {
	const state = keys.store.getState();
	const pressed = readKey(token, state);
	const kind = moduleOf(panel);
	if (pressed.chord === 'ctrl+c' && state.transcript.run && kind.isOfRun?.(panel)) {
		keys.interrupt();
		// The question closes once the run has heard of it, and what is typed right behind must not answer it.
		state.editPrompt({typedAt: keys.now()});
		return true;
	}

	if (state.manner === 'shows' || panelHasFocus(state)) {
		return kind.press(pressed, panel, keys);
	}

	if (pressed.chord === 'ctrl+c') {
		keys.answer(undefined);
		return true;
	}

	return kind.pressBesideDraft?.(pressed, keys) ?? false;
}

/** Returns a key with what it does in panels. */
function readKey(token: InputToken, state: AppState): Pressed {
	const chord = token.type === 'key' ? chordOf(token) : '';
	const action = actionOf(keymapOf(panelKeys, state.ownKeys), chord);
	return {token, chord, action, rows: action && scrollSteps(state)[action]};
}

/** Most rows that Page Up and Page Down scroll. */
const maxPage = 8;
/** Rows of the window that a panel scrolls in has beside those that it shows, at most, and one for each that it shows. */
const rowsBeside = 7;

/** Returns how far each action scrolls a panel, in rows down. A page has few enough rows that none is skipped. */
function scrollSteps({size, guard: {sight}}: AppState): {readonly [action in PanelAction]?: number} {
	const page = sight?.page ?? Math.max(1, Math.min(maxPage, Math.floor((size.rows - rowsBeside) / 2)));
	return {
		'panel.up': -1,
		'panel.down': 1,
		'panel.page-up': -page,
		'panel.page-down': page,
		'panel.scroll-up': -1,
		'panel.scroll-down': 1,
	};
}

/** What leaves a question open: what shows more of it, or another session. */
const views: readonly Action[] = ['app.transcript', 'app.redraw', 'app.next-session', 'logs.viewer'];

/**
 * Returns true for a key, a sequence, or the first key of one, that shows what an open question is about, or another session. The
 * question stays open meanwhile.
 */
export function opensView(key: string | undefined, {manner, keymap, ownKeys}: AppState): boolean {
	const isBoundThere = key === undefined || actionOf(keymapOf(panelKeys, ownKeys), key) !== undefined;
	return (
		manner === 'asks' &&
		!isBoundThere &&
		views.some(view => view === actionOf(keymap, key) || keymap.keys[view].some(own => own.startsWith(`${key} `)))
	);
}
