import type {StateCreator} from 'zustand/vanilla';
import {type ComposerState, emptyComposer} from '../editor/editor-state.ts';
import type {SessionSummary} from '../storage/session-summary.ts';

/** A session of this folder, for completion. Its texts are untrusted. */
export type SavedSession = Pick<SessionSummary, 'id' | 'title' | 'about'>;

export type Size = {readonly columns: number; readonly rows: number};

export type ViewSlice = {
	readonly composer: ComposerState;
	/** When a key last went to the prompt, answered a panel, or was ignored, on the clock of `askedAt`; undefined before the first. */
	readonly typedAt: number | undefined;
	readonly size: Size;
	/** The id of the earlier message that the prompt replaces; undefined for a new one. */
	readonly editing: string | undefined;
	/** A short note under the prompt, such as `Press Ctrl+C again to quit.` */
	readonly toast: string;
	/** Index of the selected suggestion; -1 while the completion is closed. */
	readonly completion: number;
	/** Sessions that completion can offer, newest first; none before a line needs them. */
	readonly savedSessions: readonly SavedSession[];
	/** True if little moves: no spinner, and times that change every few seconds. */
	readonly isStill: boolean;
	/** Set if the app has no screen: lines are typed as in a shell, and none of the keys of the screen is there. */
	readonly isLineByLine?: true;
	/** True while a command runs. */
	readonly busy: boolean;
	/** Name of the command that started last, without its arguments; empty while none runs. */
	readonly command: string;

	setComposer: (composer: ComposerState) => void;
	/** Applies everything that a key changed, in one update. */
	editPrompt: (edit: PromptEdit) => void;
	setSize: (size: Size) => void;
	setEditing: (message: string | undefined) => void;
	setToast: (toast: string) => void;
	setCompletion: (completion: number) => void;
	setSavedSessions: (sessions: readonly SavedSession[]) => void;
	setBusy: (busy: boolean, command?: string) => void;
};

/** What a key changes about the prompt and around it. */
export type PromptEdit = Partial<Pick<ViewSlice, 'composer' | 'typedAt' | 'completion' | 'editing' | 'toast'>>;

export const createViewSlice: StateCreator<ViewSlice> = set => ({
	composer: emptyComposer,
	typedAt: undefined,
	size: {columns: 80, rows: 24},
	editing: undefined,
	toast: '',
	completion: 0,
	savedSessions: [],
	isStill: false,
	busy: false,
	command: '',

	setComposer: composer => set({composer}),
	editPrompt: edit => set(edit),
	setSize: size => set({size}),
	setEditing: editing => set({editing}),
	setToast: toast => set({toast}),
	setCompletion: completion => set({completion}),
	setSavedSessions: savedSessions => set({savedSessions}),
	setBusy: (busy, command = '') => set({busy, command}),
});
