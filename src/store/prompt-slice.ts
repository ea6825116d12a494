import type {StateCreator} from 'zustand/vanilla';

/** What is known for completing the prompt. */
export type PromptSlice = {
	/** Counts how often the commands of files were read: they may have changed. */
	readonly entriesVersion: number;

	entriesRead: () => void;
};

export const createPromptSlice: StateCreator<PromptSlice> = set => ({
	entriesVersion: 0,

	entriesRead() {
		set(({entriesVersion}) => ({entriesVersion: entriesVersion + 1}));
	},
});
