import type {StateCreator} from 'zustand/vanilla';
import type {QueuedMessage} from '../agent/run.ts';
import type {Recorded} from '../core/session/event.ts';
import {emptyTranscript, reduceTranscript, type Transcript} from '../core/session/transcript.ts';

export type SessionSlice = {
	readonly transcript: Transcript;
	readonly queue: readonly QueuedMessage[];
	/** Why the last records could not be written, such as `disk full`; undefined while everything is saved. */
	readonly unsaved: string | undefined;

	/** Applies a batch in one update, so that a burst of tokens costs one render. */
	applyRecords: (records: readonly Recorded[]) => void;
	/** Shows another session and drops what is queued. */
	openTranscript: (transcript: Transcript) => void;
	enqueue: (message: QueuedMessage) => void;
	/** Empties the queue. Returns what was in it. */
	takeQueue: () => readonly QueuedMessage[];
	setUnsaved: (reason: string | undefined) => void;
};

export const createSessionSlice: StateCreator<SessionSlice> = (set, get) => ({
	transcript: emptyTranscript(''),
	queue: [],
	unsaved: undefined,

	applyRecords(records) {
		set(state => ({transcript: records.reduce(reduceTranscript, state.transcript)}));
	},
	openTranscript(transcript) {
		set({transcript, queue: [], unsaved: undefined});
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
});
