import type {StateCreator} from 'zustand/vanilla';
import {defaultKeymap, type Keymap} from '../editor/keymap/keymap.ts';
import type {StashedDraft} from '../editor/stash.ts';

/** How the user types. */
export type TypingSlice = {
	/** What the keys do in the prompt: the default keys until those of the user are read. */
	readonly keymap: Keymap;
	/** Drafts that the user put aside, the latest last. */
	readonly stash: readonly StashedDraft[];

	setKeymap: (keymap: Keymap) => void;
	setStash: (stash: readonly StashedDraft[]) => void;
};

export const createTypingSlice: StateCreator<TypingSlice> = set => ({
	keymap: defaultKeymap,
	stash: [],

	setKeymap(keymap) {
		set({keymap});
	},
	setStash(stash) {
		set({stash});
	},
});
