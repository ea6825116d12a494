import {createContext, useContext} from 'react';
import {useStore} from 'zustand';
import type {Entry} from '../command/context.ts';
import type {AppState, AppStore} from '../store/store.ts';
import type {Size} from '../store/view-slice.ts';
import type {Palette} from '../terminal/text/style.ts';
import type {LiveLines} from './screen/live-lines.ts';
import type {Caret} from './screen/live-region.ts';

/** What every component may use: the one store, the colours by role, the table of commands, and how to answer a panel. */
export type Ui = {
	readonly store: AppStore;
	readonly palette: Palette;
	readonly live: LiveLines;
	/** Empty until the commands are loaded, just after the first frame. */
	readonly entries: () => readonly Entry[];
	/** The logs of the app, once they are loaded. */
	readonly logs: () => {readonly panelLines: (size: Size) => readonly string[]} | undefined;
	/** Answers the open panel; undefined cancels it. */
	readonly answer: (value: string | undefined) => void;
	/** Puts the terminal's cursor at a place of what is drawn; undefined hides it. */
	readonly setCaret: (caret: Caret | undefined) => void;
};

export const UiContext = createContext<Ui | undefined>(undefined);

export function useUi(): Ui {
	const ui = useContext(UiContext);
	if (!ui) {
		throw new Error('A component was drawn outside the app.');
	}

	return ui;
}

/** Reads from the store. Select primitives or stable references. */
export function useApp<T>(select: (state: AppState) => T): T {
	return useStore(useUi().store, select);
}
