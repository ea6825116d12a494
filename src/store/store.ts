import {createStore, type StoreApi} from 'zustand/vanilla';
import {type ApprovalSlice, createApprovalSlice} from './approval-slice.ts';
import {type ConnectionSlice, createConnectionSlice} from './connection-slice.ts';
import {createLogsSlice, type LogsSlice} from './logs-slice.ts';
import {createPanelSlice, type PanelSlice} from './panel-slice.ts';
import {createPromptSlice, type PromptSlice} from './prompt-slice.ts';
import {createSessionSlice, type SessionSlice} from './session-slice.ts';
import {createThemeSlice, type ThemeSlice} from './theme-slice.ts';
import {createTypingSlice, type TypingSlice} from './typing-slice.ts';
import {createViewSlice, type ViewSlice} from './view-slice.ts';
import {createWatchSlice, type WatchSlice} from './watch-slice.ts';

export type AppState = SessionSlice &
	ConnectionSlice &
	ViewSlice &
	PanelSlice &
	PromptSlice &
	TypingSlice &
	LogsSlice &
	WatchSlice &
	ApprovalSlice &
	ThemeSlice;
export type AppStore = StoreApi<AppState>;

/** Creates the one store of the program: what happened, what it is connected to, what is on the screen. */
export function createAppStore(): AppStore {
	return createStore<AppState>()((...parts) => ({
		...createSessionSlice(...parts),
		...createConnectionSlice(...parts),
		...createViewSlice(...parts),
		...createPanelSlice(...parts),
		...createPromptSlice(...parts),
		...createTypingSlice(...parts),
		...createWatchSlice(...parts),
		...createLogsSlice(...parts),
		...createApprovalSlice(...parts),
		...createThemeSlice(...parts),
	}));
}
