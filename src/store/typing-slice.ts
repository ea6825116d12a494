import type {StateCreator} from 'zustand/vanilla';
import type {StashedDraft} from '../editor/editor.ts';
import {defaultKeys} from '../editor/keymap/default-keys.ts';
import {defaultKeymap, type Keymap, keymapOf, noOwnKeys, type OwnKeys} from '../editor/keymap/keymap.ts';
import type {reduceVim} from '../editor/vim/vim.ts';
import type {VimState} from '../editor/vim/vim-state.ts';

/** A Vim mode. Its reducer is loaded with it. */
export type VimTyping = {readonly state: VimState; readonly reduce: typeof reduceVim};

/** How the user types. */
export type TypingSlice = {
	/** What the keys do in the prompt: the default keys until those of the user are read. */
	readonly keymap: Keymap;
	/** The same for every place of the app, for `keymapOf` with its table. */
	readonly ownKeys: OwnKeys;
	/** The Vim mode of the prompt with what applies tokens to it; undefined if the user types without. */
	readonly vim: VimTyping | undefined;
	/** Drafts that the user put aside, the latest last. */
	readonly stash: readonly StashedDraft[];

	setOwnKeys: (own: OwnKeys) => void;
	setVim: (vim: VimTyping | undefined) => void;
	setStash: (stash: readonly StashedDraft[]) => void;
};

export const createTypingSlice: StateCreator<TypingSlice> = set => ({
	keymap: defaultKeymap,
	ownKeys: noOwnKeys,
	vim: undefined,
	stash: [],

	setOwnKeys(ownKeys) {
		set({ownKeys, keymap: keymapOf(defaultKeys, ownKeys)});
	},
	setVim(vim) {
		set({vim});
	},
	setStash(stash) {
		set({stash});
	},
});
