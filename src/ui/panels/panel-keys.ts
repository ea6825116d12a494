import {
	type Action,
	type DeviceAction,
	deviceKeys,
	type PanelAction,
	panelKeys,
} from '../../editor/keymap/default-keys.ts';
import {actionOf, keymapOf, pressedKey} from '../../editor/keymap/keymap.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import type {Panel, TablePanel} from '../../store/view-slice.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {editLine} from '../line-field.ts';
import {pressInAsk} from './ask-keys.ts';
import {pressInEditor} from './edit-keys.ts';
import {pressInField} from './field-keys.ts';
import {pressInPicker} from './picker-keys.ts';
import {answerTo, chosenAnswer, type Question} from './question.ts';
import {tableState} from './table-rows.ts';

type DevicePanel = Extract<Panel, {kind: 'device'}>;

/** What the key handlers of panels depend on. */
export type PanelKeys = {
	readonly store: AppStore;
	/** Answers the open panel; undefined cancels it. */
	readonly answer: (value: string | undefined) => void;
	/** Handles a key while a login waits for the browser. */
	readonly pressInDevicePanel: (action: DeviceAction, panel: DevicePanel) => void;
	/** Returns true for a key meant for the prompt: the question has just appeared, or the user is typing. */
	readonly isTypedAhead: (question: Pick<Question, 'askedAt'>) => boolean;
};

/** Most rows that Page Up and Page Down scroll. */
const maxPage = 8;
/** Rows of the window that a panel scrolls in has beside those that it shows, at most, and one for each that it shows. */
const rowsBeside = 7;

/** Returns the rows that Page Up and Page Down scroll: few enough that none is skipped in a low window. */
function pageOf({size}: AppState): number {
	return Math.max(1, Math.min(maxPage, Math.floor((size.rows - rowsBeside) / 2)));
}

/** Farther than any panel reaches; it moves to its end instead. */
const toEnd = 1_000_000;

/** How far an action scrolls a panel, in rows down, with a page of so many. */
const stepsOf = (page: number): {readonly [action in PanelAction]?: number} => ({
	'panel.up': -1,
	'panel.down': 1,
	'panel.page-up': -page,
	'panel.page-down': page,
	'panel.scroll-up': -1,
	'panel.scroll-down': 1,
});

const views: readonly (Action | undefined)[] = ['app.transcript', 'app.redraw', 'logs.viewer'];

/** Returns true for a key that shows what an open question is about. The question stays open meanwhile. */
export function opensView(chord: string | undefined, {kind}: Panel, {keymap, ownKeys}: AppState): boolean {
	const isBoundThere = chord === undefined || actionOf(keymapOf(panelKeys, ownKeys), chord) !== undefined;
	return (kind === 'confirm' || kind === 'ask') && !isBoundThere && views.includes(actionOf(keymap, chord));
}

/** How far an action moves the mark in a list of answers. */
const marks: {readonly [action in PanelAction]?: number} = {'panel.up': -1, 'panel.down': 1};

/**
 * Handles a key while a panel is open. Returns false for a key that the prompt should handle: the panel only shows lines,
 * or the key doesn't answer its question.
 */
export function pressInPanel(token: InputToken, panel: Panel, keys: PanelKeys): boolean {
	const {store, answer, isTypedAhead} = keys;
	const {scrollBy, ownKeys} = store.getState();
	if (panel.kind === 'edit') {
		pressInEditor(token, store, answer);
		return true;
	}

	// Fast typing arrives as one text: the word “down” in a filter is not the arrow key.
	const chord = token.type === 'key' ? chordOf(token) : '';
	const action = actionOf(keymapOf(panelKeys, ownKeys), chord);
	const isMark = panel.kind === 'confirm' && action !== undefined && marks[action] !== undefined;
	const rows = action && !isMark ? stepsOf(pageOf(store.getState()))[action] : undefined;
	if (chord === 'escape' || chord === 'ctrl+c') {
		answer(undefined);
	} else if (panel.kind === 'device') {
		pressInDevice(token, panel, keys);
	} else if (panel.kind === 'ask' && isTypedAhead(panel)) {
		return false;
	} else if (panel.kind === 'table' && rows !== undefined) {
		moveInTable(panel, rows, store);
	} else if (rows !== undefined) {
		scrollBy(rows);
	} else if (panel.kind === 'confirm') {
		return pressInQuestion(token, action, panel, keys);
	} else if (panel.kind === 'ask') {
		pressInAsk(token, panel, {store, answer});
	} else if (panel.kind === 'field') {
		pressInField(token, {store, answer});
	} else if (action === 'panel.close') {
		answer(undefined);
	} else if (panel.kind === 'pick') {
		pressInPicker(token, action, panel, {store, answer});
	} else if (panel.kind === 'table') {
		pressInTable(token, action, panel, keys);
	} else if (action === 'panel.first' || action === 'panel.last') {
		scrollBy(action === 'panel.first' ? -toEnd : toEnd);
	} else {
		return panel.closesOnKey === true && closeOnKey(token, answer);
	}

	return true;
}

type Pressed = PanelAction | undefined;

/** Handles a key while a question is open. Returns false for a key that is meant for the prompt. */
function pressInQuestion(token: InputToken, action: Pressed, panel: Question, keys: PanelKeys): boolean {
	const {store, answer, isTypedAhead} = keys;
	if (isTypedAhead(panel)) {
		return false;
	}

	const {composer, marked, markBy} = store.getState();
	const chord = token.type === 'key' ? chordOf(token) : '';
	const moved = action && marks[action];
	const typed = token.type === 'text' ? token.text : chord;
	const given = answerTo(panel, typed);
	if (moved !== undefined) {
		markBy(moved);
	} else if (chord === 'enter') {
		answer(chosenAnswer(panel, marked));
	} else if (given === false || (given === undefined && !typed.trim())) {
		// A key without text edits the prompt, if that has any.
		return token.type === 'key' && composer.text === '';
	} else {
		answer(given);
	}

	return true;
}

/** Moves to another row of a table, at most to its first or last one. */
function moveInTable(panel: TablePanel, rows: number, store: AppStore): void {
	const state = store.getState();
	const {found, chosen} = tableState(panel, state);
	state.scrollBy(Math.max(0, Math.min(chosen + rows, found.length - 1)) - state.scroll);
}

/** Handles a key while a table is open, with its action: any other key edits the filter. */
function pressInTable(token: InputToken, action: Pressed, panel: TablePanel, {store, answer}: PanelKeys): void {
	const state = store.getState();
	const {found, chosen} = tableState(panel, state);
	const id = panel.opens?.ids[found[chosen]?.index ?? -1];
	if (action === 'panel.open') {
		if (id !== undefined) {
			answer(id);
		}
	} else if (action === 'panel.first' || action === 'panel.last') {
		moveInTable(panel, action === 'panel.first' ? -found.length : found.length, store);
	} else if (action === 'table.sort' || action === 'table.sort-back') {
		state.sortBy(action === 'table.sort' ? 1 : -1);
	} else if (action === 'table.times') {
		state.toggleExact();
	} else {
		const edited = editLine(state.filter, token, state.keymap);
		if (edited !== state.filter) {
			state.setFilter(edited);
		}
	}
}

/** Handles a key while a login waits for the browser. */
function pressInDevice(token: InputToken, panel: DevicePanel, {store, answer, pressInDevicePanel}: PanelKeys): void {
	const action = actionOf(keymapOf(deviceKeys, store.getState().ownKeys), pressedKey(token) ?? '');
	if (action === 'device.close') {
		answer(undefined);
	} else if (action === 'device.paste' && panel.pastes) {
		answer('paste');
	} else if (action) {
		pressInDevicePanel(action, panel);
	}
}

/** Closes the panel on anything that is typed. Returns true for the key that opened it, which does nothing else then. */
function closeOnKey(token: InputToken, answer: PanelKeys['answer']): boolean {
	if (token.type === 'key' || token.type === 'text' || token.type === 'paste') {
		answer(undefined);
	}

	return token.type === 'text' && token.text === '?';
}
