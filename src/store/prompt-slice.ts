import type {StateCreator} from 'zustand/vanilla';
import type {ServerResources} from '../agent/mcp/resources.ts';
import type {PathIndex} from '../core/fuzzy-paths.ts';
import type {LogsSlice} from './logs-slice.ts';

/** A suggestion that replaces a part of the prompt; `line` is the whole prompt after it. */
export type MentionSuggestion = {
	readonly line: string;
	readonly label: string;
	readonly summary: string;
	readonly replaces: {readonly start: number; readonly end: number; readonly text: string};
};

/** Returns what the mention at the caret of the prompt may become. */
type SuggestMentions = (
	prompt: {readonly text: string; readonly caret: number},
	known: Pick<PromptSlice & LogsSlice, 'paths' | 'logs' | 'resources'>,
) => readonly MentionSuggestion[];

/** A text for the prompt that nobody has typed. The empty prompt names it by its label; '' if other lines do. Untrusted. */
export type OfferedPrompt = {readonly label: string; readonly text: string};

/** What is known for completing the prompt. */
export type PromptSlice = {
	/** What a key inserts into the empty prompt. */
	readonly offered: OfferedPrompt | undefined;
	/** Counts how often the commands of files were read: they may have changed. */
	readonly entriesVersion: number;
	/** The files of the working folder; undefined before the first mention. */
	readonly paths: PathIndex | undefined;
	/** The MCP servers, or the resources of one, that the mention at the caret may name. */
	readonly resources: readonly ServerResources[];
	/** Loaded after the first frame; nothing is suggested before. */
	readonly suggestMentions: SuggestMentions;

	entriesRead: () => void;
	setPaths: (paths: PathIndex) => void;
	setResources: (resources: readonly ServerResources[]) => void;
	setSuggestMentions: (suggest: SuggestMentions) => void;
};

export const createPromptSlice: StateCreator<PromptSlice> = set => ({
	offered: undefined,
	entriesVersion: 0,
	paths: undefined,
	resources: [],
	suggestMentions: () => [],

	entriesRead() {
		set(({entriesVersion}) => ({entriesVersion: entriesVersion + 1}));
	},
	setPaths(paths) {
		set({paths});
	},
	setResources(resources) {
		set({resources});
	},
	setSuggestMentions(suggestMentions) {
		set({suggestMentions});
	},
});
