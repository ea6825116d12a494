import type {ReactNode} from 'react';
import type {ComposerState} from '../../editor/editor-state.ts';
import {type PanelAction, questionKeys} from '../../editor/keymap/default-keys.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import {actionOf, keymapOf} from '../../editor/keymap/keymap.ts';
import type {OpenPanel, PanelOpening} from '../../store/panel-slice.ts';
import type {AppState, AppStore} from '../../store/store.ts';
import type {CopyWay} from '../../terminal/clipboard.ts';
import {chordOf, type InputToken} from '../../terminal/input/token.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import {truncate} from '../../terminal/text/width.ts';
import type {Asked} from '../answerable.ts';

/**
 * A kind of panel: what it begins with, how high it is, what its keys do, how it is drawn and where its caret stands. To add one,
 * write its file and add a line to `panels.ts`.
 */
export type PanelModule<P extends OpenPanel> = {
	/** Returns what the store holds beside the panel when it opens, and how the panel shares the keys with the draft. */
	initial(panel: P): PanelOpening;
	/** Returns the rows that it needs. */
	rows(panel: P, state: Pick<AppState, 'filter' | 'size' | 'queue'>): number;
	/** Handles a key. Returns false for one that the prompt should handle. */
	press(pressed: Pressed, panel: P, keys: PanelKeys): boolean;
	/** Handles a key while the draft in the prompt has the focus. Returns false for all but those that read a question. */
	pressBesideDraft?(pressed: Pressed, keys: PanelKeys): boolean;
	/** Draws it. */
	draw(props: PanelProps<P>): ReactNode;
	/** Returns the place of the caret in the field of the panel, from its top; undefined if it has no room or no field. */
	caret?(panel: P, field: ComposerState, room: PanelRoom): {readonly row: number; readonly column: number} | undefined;
	/** Returns true if a run waits for its answer: Ctrl+C refuses that and interrupts the run. Left out for none. */
	isOfRun?(panel: P): boolean;
	/** Returns what it is called in one row, while it waits beside a draft. */
	title(panel: P): string;
	/** True for one that has no title of its own, and stands below a line. */
	readonly isFramed: boolean;
};

export type PanelProps<P extends OpenPanel> = {
	readonly panel: P;
	/** The rows to draw at most. */
	readonly height: number;
	/** The keys that move to it beside the draft; '' for none. */
	readonly focusKey: string;
};

export type PanelRoom = {readonly columns: number; readonly height: number};

/** What the keys of panels work on. */
export type PanelKeys = {
	readonly store: AppStore;
	/** Answers the open panel; undefined cancels it. */
	readonly answer: (value: string | undefined) => void;
	/** Interrupts the run, which closes what it asks. */
	readonly interrupt: () => void;
	/** Copies as `copyTo` does. */
	readonly copy: (text: string) => CopyWay | undefined;
	/** Opens a page in the browser. Resolves to false if no browser could be started. */
	readonly openPage: (page: string) => Promise<boolean>;
	/** Returns true for a key that answers nothing: the question has just appeared, or the user was typing. */
	readonly isTypedAhead: (question: Asked) => boolean;
	/** Returns the milliseconds on the clock of `askedAt`. */
	readonly now: () => number;
};

/** A key, with its action in panels. Fast typing arrives as one text: the word “down” in a filter is not the arrow key. */
export type Pressed = {
	readonly token: InputToken;
	/** Empty for text. */
	readonly chord: string;
	readonly action: PanelAction | undefined;
	/** How far it scrolls, in rows down; undefined for a key that doesn't. */
	readonly rows: number | undefined;
};

/** Returns true for the keys that cancel every panel, which it then does. */
export function cancels({chord}: Pressed, {answer}: PanelKeys): boolean {
	const isCancel = chord === 'escape' || chord === 'ctrl+c';
	if (isCancel) {
		answer(undefined);
	}

	return isCancel;
}

/** Returns true for the keys that close a list, a table or lines, which it then does. */
export function closes(pressed: Pressed, keys: PanelKeys): boolean {
	if (pressed.action === 'panel.close') {
		keys.answer(undefined);
		return true;
	}

	return cancels(pressed, keys);
}

/** Moves to the draft with the key for it. Returns true for that key. */
export function leavesForDraft({token, chord}: Pressed, {store}: PanelKeys): boolean {
	const {ownKeys, setGuard} = store.getState();
	const isKey = token.type === 'key' && actionOf(keymapOf(questionKeys, ownKeys), chord) === 'question.focus';
	if (isKey) {
		setGuard({focus: 'draft', note: '', armed: undefined});
	}

	return isKey;
}

/** What helps when a key came too early: pressed again at once, it is ignored again. */
export const pressAgain = 'wait a second, then press it again';

/** Most cells of what was ignored. */
const maxIgnored = 16;

/**
 * Drops what was pressed while keys answer nothing, and says so: it must neither answer the question later nor be left in the
 * draft. Returns false for a paste, which is never meant for a question.
 */
export function ignore({token}: Pressed, {store, now}: PanelKeys, then = pressAgain): boolean {
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
