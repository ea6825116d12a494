import {
	type Action,
	type DeviceAction,
	deviceKeys,
	type PanelAction,
	panelKeys,
	questionKeys,
} from '../../editor/keymap/default-keys.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import {actionOf, keymapOf, pressedKey} from '../../editor/keymap/keymap.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import {type Panel, panelHasFocus, type TablePanel, unreadRows} from '../../store/view-slice.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import {editLine} from '../line-field.ts';
import {pressInAsk} from './ask-keys.ts';
import {pressInEditor} from './edit-keys.ts';
import {pressInField} from './field-keys.ts';
import {pressInPicker} from './picker-keys.ts';
import {answerTo, answerWith, chosenAnswer, type Question, steadyNow, stepsTo, unreadText} from './question.ts';
import {tableState} from './table-rows.ts';

type DevicePanel = Extract<Panel, {kind: 'device'}>;

/** What the key handlers of panels depend on. */
export type PanelKeys = {
	readonly store: AppStore;
	/** Answers the open panel; undefined cancels it. */
	readonly answer: (value: string | undefined) => void;
	/** Handles a key while a login waits for the browser. */
	readonly pressInDevicePanel: (action: DeviceAction, panel: DevicePanel) => void;
	/** Returns true for a key that answers nothing: the question has just appeared, or the user was typing. */
	readonly isTypedAhead: (question: Pick<Question, 'askedAt'>) => boolean;
	/** Returns the milliseconds on the clock of `askedAt`. */
	readonly now?: () => number;
};

/** Most rows that Page Up and Page Down scroll. */
const maxPage = 8;
/** Rows of the window that a panel scrolls in has beside those that it shows, at most, and one for each that it shows. */
const rowsBeside = 7;

/** Returns the rows that Page Up and Page Down scroll: few enough that none is skipped. */
function pageOf({size, guard: {sight}}: AppState): number {
	return sight?.page ?? Math.max(1, Math.min(maxPage, Math.floor((size.rows - rowsBeside) / 2)));
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
 * Handles a key while a panel is open. Returns false for a key that the prompt should handle: the panel only shows lines, the
 * user writes a draft, or the key begins one.
 */
export function pressInPanel(token: InputToken, panel: Panel, keys: PanelKeys): boolean {
	const {store, answer, isTypedAhead} = keys;
	const state = store.getState();
	if (panel.kind !== 'lines' && !panelHasFocus(state)) {
		return pressBesideDraft(token, panel, keys);
	}

	if (panel.kind === 'edit') {
		pressInEditor(token, store, answer);
		return true;
	}

	// Fast typing arrives as one text: the word “down” in a filter is not the arrow key.
	const chord = token.type === 'key' ? chordOf(token) : '';
	const action = actionOf(keymapOf(panelKeys, state.ownKeys), chord);
	const isMark = panel.kind === 'confirm' && action !== undefined && marks[action] !== undefined;
	const rows = action && !isMark ? stepsOf(pageOf(state))[action] : undefined;
	if (chord === 'escape' || chord === 'ctrl+c') {
		answer(undefined);
	} else if (panel.kind === 'device') {
		pressInDevice(token, panel, keys);
	} else if (panel.kind === 'confirm' && rows !== undefined) {
		scrollQuestion(rows, store);
	} else if ('askedAt' in panel && panel.askedAt !== undefined && isTypedAhead({askedAt: panel.askedAt})) {
		return ignore(token, keys);
	} else if (panel.kind === 'table' && rows !== undefined) {
		moveInTable(panel, rows, store);
	} else if (rows !== undefined) {
		state.scrollBy(rows);
	} else if (panel.kind === 'confirm') {
		return pressInQuestion(token, action, panel, keys);
	} else if (panel.kind === 'ask') {
		return leavesForDraft(token, keys) || pressInAsk(token, panel, keys) || ignore(token, keys, 'it is no answer');
	} else if (panel.kind === 'field') {
		pressInField(token, {store, answer});
	} else if (action === 'panel.close') {
		answer(undefined);
	} else if (panel.kind === 'pick') {
		pressInPicker(token, action, panel, {store, answer});
	} else if (panel.kind === 'table') {
		pressInTable(token, action, panel, keys);
	} else if (action === 'panel.first' || action === 'panel.last') {
		state.scrollBy(action === 'panel.first' ? -toEnd : toEnd);
	} else {
		return panel.closesOnKey === true && closeOnKey(token, answer);
	}

	return true;
}

/** Handles a key while the draft in the prompt has the focus: it gets all but those that read a question. */
function pressBesideDraft(token: InputToken, {kind}: Panel, {store, answer}: PanelKeys): boolean {
	const state = store.getState();
	const chord = token.type === 'key' ? chordOf(token) : '';
	const action = actionOf(keymapOf(panelKeys, state.ownKeys), chord);
	if (chord === 'ctrl+c') {
		answer(undefined);
	} else if (kind === 'confirm' && (action === 'panel.page-up' || action === 'panel.page-down')) {
		scrollQuestion(stepsOf(pageOf(state))[action] ?? 0, store);
	} else {
		return false;
	}

	return true;
}

/** Scrolls what a question is about, but no rows out of sight that were never in it: keys may come faster than frames. */
function scrollQuestion(rows: number, store: AppStore): void {
	const {scroll, scrollBy, guard} = store.getState();
	const most = guard.sight ? Math.max(0, guard.sight.read - guard.sight.lead - scroll) : rows;
	scrollBy(Math.min(rows, most));
}

/** Moves to the draft with the key for it. Returns true for that key. */
function leavesForDraft(token: InputToken, {store}: PanelKeys): boolean {
	const {ownKeys, setGuard} = store.getState();
	const isKey = token.type === 'key' && actionOf(keymapOf(questionKeys, ownKeys), chordOf(token)) === 'question.focus';
	if (isKey) {
		setGuard({focus: 'draft', note: '', armed: undefined});
	}

	return isKey;
}

/** Most cells of what was ignored. */
const maxIgnored = 16;

/**
 * Drops what was pressed while keys answer nothing, and says so: it must neither answer the question later nor be left in the
 * draft. Returns false for a paste, which is never meant for a question.
 */
function ignore(token: InputToken, {store, now = steadyNow}: PanelKeys, then = 'press it again'): boolean {
	const {setGuard, editPrompt} = store.getState();
	if (token.type === 'paste') {
		setGuard({focus: undefined, note: '', armed: undefined});
		return false;
	}

	if (token.type === 'key' || token.type === 'text') {
		const name = token.type === 'key' ? keyLabel(chordOf(token)) : `“${truncate(safeLine(token.text), maxIgnored)}”`;
		setGuard({note: `${name} ignored: ${then}`});
		editPrompt({typedAt: now()});
	}

	return true;
}

type Pressed = PanelAction | undefined;

/** Handles a key while a question can be answered. Returns false for a key that begins a draft. */
function pressInQuestion(token: InputToken, action: Pressed, panel: Question, keys: PanelKeys): boolean {
	const {composer, marked, markBy} = keys.store.getState();
	const chord = token.type === 'key' ? chordOf(token) : '';
	const moved = action && marks[action];
	const isLetter = token.type === 'text' && [...token.text].length === 1;
	const given = isLetter ? answerTo(panel, token.text) : false;
	if (moved !== undefined) {
		markBy(moved);
	} else if (chord === 'enter') {
		choose(chosenAnswer(panel, marked), {isMarked: true}, panel, keys);
	} else if (isLetter && !token.text.trim()) {
		ignore(token, keys, 'it is no answer');
	} else if (given !== false) {
		choose(given, {isMarked: false}, panel, keys);
	} else if (token.type === 'text' && composer.text === '') {
		return false;
	} else if (!leavesForDraft(token, keys)) {
		return ignore(token, keys, 'it is no answer');
	}

	return true;
}

/**
 * Answers the question. An answer that keeps something, and a yes to what was not all in sight, take a second key: the line of
 * the question says what for. Rules that were not in sight are never kept.
 */
function choose(
	value: string | undefined,
	{isMarked}: {readonly isMarked: boolean},
	panel: Question,
	{store, answer, now = steadyNow}: PanelKeys,
): void {
	const state = store.getState();
	const {guard, marked, markBy, setGuard, editPrompt} = state;
	const keeps = answerWith(panel, value)?.keeps;
	const unread = unreadRows(state);
	const isConfirmed = guard.armed === value || (isMarked && unread === 0);
	if (value === undefined || (unread === 0 && !keeps)) {
		answer(value);
		return;
	}

	if (keeps && keeps.rules.length > 0 && unread > 0) {
		setGuard({note: `Not kept: ${unreadText(unread)} not shown yet`, armed: undefined});
	} else if (isConfirmed) {
		answer(value);
		return;
	} else {
		markBy(stepsTo(panel, marked, value));
		setGuard({armed: value});
	}

	editPrompt({typedAt: now()});
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
