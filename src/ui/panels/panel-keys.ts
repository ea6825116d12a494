import {type Action, type PanelAction, panelKeys} from '../../editor/keymap/default-keys.ts';
import {actionOf, keymapOf} from '../../editor/keymap/keymap.ts';
import {type OpenPanel, panelHasFocus} from '../../store/panel-slice.ts';
import type {AppState} from '../../store/store.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import type {PanelKeys, Pressed} from './panel.ts';
import {moduleOf} from './panels.ts';

/**
 * Handles a key while a panel is open. Returns false for a key that the prompt should handle: the panel only shows lines, the
 * user writes a draft, or the key begins one.
 */
export function pressInPanel(token: InputToken, panel: OpenPanel, keys: PanelKeys): boolean {
	const state = keys.store.getState();
	const pressed = readKey(token, state);
	const kind = moduleOf(panel);
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

const views: readonly (Action | undefined)[] = ['app.transcript', 'app.redraw', 'logs.viewer'];

/** Returns true for a key that shows what an open question is about. The question stays open meanwhile. */
export function opensView(chord: string | undefined, {manner, keymap, ownKeys}: AppState): boolean {
	const isBoundThere = chord === undefined || actionOf(keymapOf(panelKeys, ownKeys), chord) !== undefined;
	return manner === 'asks' && !isBoundThere && views.includes(actionOf(keymap, chord));
}
