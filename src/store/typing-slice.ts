import type {StateCreator} from 'zustand/vanilla';
import {defaultKeymap, type Keymap} from '../editor/keymap/keymap.ts';

/** How the user types. */
export type TypingSlice = {
	/** What the keys do in the prompt: the default keys until those of the user are read. */
	readonly keymap: Keymap;

	setKeymap: (keymap: Keymap) => void;
};

export const createTypingSlice: StateCreator<TypingSlice> = set => ({
	keymap: defaultKeymap,

	setKeymap(keymap) {
		set({keymap});
	},
});
