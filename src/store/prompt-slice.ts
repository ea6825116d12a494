import type {StateCreator} from 'zustand/vanilla';
import type {PathIndex} from '../core/fuzzy-paths.ts';

/** What is known for completing the prompt. */
export type PromptSlice = {
	/** Counts how often the commands of files were read: they may have changed. */
	readonly entriesVersion: number;
	/** The files of the working folder; undefined before the first mention. */
	readonly paths: PathIndex | undefined;

	entriesRead: () => void;
	setPaths: (paths: PathIndex) => void;
};

export const createPromptSlice: StateCreator<PromptSlice> = set => ({
	entriesVersion: 0,
	paths: undefined,

	entriesRead() {
		set(({entriesVersion}) => ({entriesVersion: entriesVersion + 1}));
	},
	setPaths(paths) {
		set({paths});
	},
});
