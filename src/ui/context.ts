import {createContext, useContext} from 'react';
import {useStore} from 'zustand';
import type {Entry} from '../command/context.ts';
import type {KeyTable} from '../editor/keymap/default-keys.ts';
import {type Keymap, keymapOf} from '../editor/keymap/keymap.ts';
import type {AppState, AppStore} from '../store/store.ts';
import type {Size} from '../store/view-slice.ts';
import type {Palette} from '../terminal/text/style.ts';
import type {LiveLines} from './screen/frame.ts';
import type {Caret, Prompt} from './screen/live-region.ts';

/** What every component can use. */
export type Ui = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly live: LiveLines;
	/** Returns the commands; none until they are loaded, just after the first frame. */
	readonly entries: () => readonly Entry[];
	/** The logs of the app, once they are loaded. */
	readonly logs: () => {readonly panelLines: (size: Size) => readonly string[]} | undefined;
	/** Answers the open panel; undefined cancels it. */
	readonly answer: (value: string | undefined) => void;
	/** Moves the terminal's cursor to a place below the live lines; undefined hides it. */
	readonly setCaret: (caret: Caret | undefined) => void;
	/** Sets what is drawn over rows below the live lines. */
	readonly setPrompt: (prompt: Prompt) => void;
	/** Sets how many rows the live lines have above everything else, given their number. */
	readonly limitLive: (rowsFor: (lines: number) => number) => void;
};

export const UiContext = createContext<Ui | undefined>(undefined);

export function useUi(): Ui {
	const ui = useContext(UiContext);
	if (!ui) {
		throw new Error('A component was drawn outside the app.');
	}

	return ui;
}

/** Returns the keymap of a table, with the user's own keys. */
export function useKeymap<T extends KeyTable>(table: T): Keymap<keyof T & string> {
	return keymapOf(
		table,
		useApp(({ownKeys}) => ownKeys),
	);
}

/** Returns what `select` reads from the store: a primitive or a stable reference. */
export function useApp<T>(select: (state: AppState) => T): T {
	return useStore(useUi().store, select);
}
