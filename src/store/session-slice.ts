import type {StateCreator} from 'zustand/vanilla';
import type {QueuedMessage} from '../agent/history.ts';
import {addPiece, type CallDraft, type CallPiece, draftsAfter, type PiecesDropped} from '../core/session/call-draft.ts';
import type {Recorded} from '../core/session/event.ts';
import {reduceTranscript} from '../core/session/reduce-transcript.ts';
import {emptyTranscript, type Transcript} from '../core/session/transcript.ts';
import {joinDeltas} from './join-deltas.ts';

/** A session in the background, and what it does. */
export type BackgroundRun = {readonly id: string; readonly state: 'running' | 'waiting' | 'ended'};

export type SessionSlice = {
	readonly transcript: Transcript;
	readonly queue: readonly QueuedMessage[];
	/** Why the last records could not be written, such as `disk full`; undefined while everything is saved. */
	readonly unsaved: string | undefined;
	/** The sessions in the background. */
	readonly background: readonly BackgroundRun[];
	/** The number of the agent's commands that run in the background. */
	readonly jobs: number;
	/** The calls that the model is writing now. */
	readonly drafts: readonly CallDraft[];
	/** True from an interrupt until the run has ended: a command may take a moment to end. */
	readonly isStopping: boolean;

	/** Applies a batch in one update, so that a burst of tokens costs one render. */
	applyRecords: (items: ReadonlyArray<Recorded | CallPiece | PiecesDropped>) => void;
	/** Shows another session and drops what is queued. */
	openTranscript: (transcript: Transcript) => void;
	enqueue: (message: QueuedMessage) => void;
	/** Empties the queue. Returns what was in it. */
	takeQueue: () => readonly QueuedMessage[];
	setUnsaved: (reason: string | undefined) => void;
	setBackground: (background: readonly BackgroundRun[]) => void;
	setJobs: (running: number) => void;
	setStopping: (isStopping: boolean) => void;
};

export const createSessionSlice: StateCreator<SessionSlice> = (set, get) => ({
	transcript: emptyTranscript(''),
	queue: [],
	unsaved: undefined,
	drafts: [],
	jobs: 0,
	background: [],
	isStopping: false,

	applyRecords(items) {
		set(({transcript, drafts}) => joinDeltas(items).reduce(applyItem, {transcript, drafts}));
	},
	openTranscript(transcript) {
		set({transcript, queue: [], unsaved: undefined, drafts: []});
	},
	enqueue(message) {
		set(state => ({queue: [...state.queue, message]}));
	},
	takeQueue() {
		const {queue} = get();
		if (queue.length > 0) {
			set({queue: []});
		}

		return queue;
	},
	setUnsaved(unsaved) {
		set({unsaved});
	},
	setBackground(background) {
		set({background});
	},
	setJobs(jobs) {
		set({jobs});
	},
	setStopping(isStopping) {
		set({isStopping});
	},
});

type Shown = Pick<SessionSlice, 'transcript' | 'drafts'>;

function applyItem({transcript, drafts}: Shown, item: Recorded | CallPiece | PiecesDropped): Shown {
	return 'event' in item
		? {transcript: reduceTranscript(transcript, item), drafts: draftsAfter(drafts, item.event)}
		: {transcript, drafts: addPiece(drafts, item)};
}
