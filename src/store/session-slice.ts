import type {StateCreator} from 'zustand/vanilla';
import type {AgentCommand} from '../agent/external/agent-command.ts';
import type {AgentView} from '../agent/external/external-session.ts';
import type {QueuedMessage} from '../agent/history.ts';
import {addPiece, type CallDraft, type CallPiece, draftsAfter, type PiecesDropped} from '../core/session/call-draft.ts';
import type {EventOf, Recorded} from '../core/session/event.ts';
import {reduceTranscript} from '../core/session/reduce-transcript.ts';
import {emptyTranscript, type Transcript} from '../core/session/transcript.ts';
import type {FolderAgent} from '../storage/folder-agents.ts';
import type {ViewSlice} from './view-slice.ts';

/** A session that goes on, or stays open, while the app shows another one. */
export type BackgroundSession = {
	readonly id: string;
	/** Its title, or the beginning of its first message. Untrusted. */
	readonly about: string;
	/** What it does; `waiting` for the user. */
	readonly state: 'running' | 'waiting' | 'ended';
	/** How many messages of the agent the user has not seen. */
	readonly unread: number;
};

/** The host whose session the app shows. */
export type RemoteHost = {
	/** The user and the machine. */
	readonly name: string;
	/** What attached to it; undefined for the host of this machine. */
	readonly at: string | undefined;
	readonly state: 'connected' | 'reconnecting' | 'closed';
	/** How long a question to it takes, in milliseconds; undefined before the first answer. */
	readonly lagMs: number | undefined;
	/** '' if this terminal drives; otherwise who does, or that it watches. */
	readonly seat: string;
};

/** Which session of which host an app shows. */
export type AttachWish = {
	readonly session: string;
	/** Undefined for the host of this machine. */
	readonly at: string | undefined;
	/** True to watch without driving. */
	readonly observes: boolean;
	/** True for a session of this machine, which needs no host. */
	readonly isHere?: boolean;
};

export type SessionSlice = {
	readonly transcript: Transcript;
	/** The host of the session; undefined for one of this program. */
	readonly remote: RemoteHost | undefined;
	/** The session of a host, or of this machine, that is shown next, in another app, once this one has ended. */
	readonly next: AttachWish | undefined;
	/** What is said when the app has ended; '' for the usual. */
	readonly parting: string;
	readonly queue: readonly QueuedMessage[];
	/** What was sent a moment ago and has not begun, such as the first message while the app still opens. */
	readonly sending: readonly string[];
	/** True from when a message is sent until its run has begun, or never will. */
	readonly isBeginning: boolean;
	/** The waiting message that is sent once the run has ended, before all others. */
	readonly sendsNow: string | undefined;
	/** The agent that is to answer in place of our own. */
	readonly agent: AgentCommand | undefined;
	/** What that agent says of its session; undefined before it was started. */
	readonly agentView: AgentView | undefined;
	/** Why the last records could not be written, such as `disk full`; undefined while everything is saved. */
	readonly unsaved: string | undefined;
	/** The sessions in the background. */
	readonly background: readonly BackgroundSession[];
	/** The sessions of other processes in which an agent works in this folder. */
	readonly others: readonly FolderAgent[];
	/** The number of commands that run in the background. */
	readonly jobs: number;
	/** The number of commands that a call or the user waits for, which can go on in the background. */
	readonly foreground: number;
	/** The calls that the model is writing now. */
	readonly drafts: readonly CallDraft[];
	/** True from an interrupt until the run has ended: a command may take a moment to end. */
	readonly isStopping: boolean;

	/** Applies a batch in one update, so that a burst of tokens costs one render. */
	applyRecords: (items: ReadonlyArray<Recorded | CallPiece | PiecesDropped>) => void;
	/** Shows another session and drops what is queued. */
	openTranscript: (transcript: Transcript) => void;
	enqueue: (message: QueuedMessage) => void;
	setSending: (sending: readonly string[]) => void;
	setBeginning: (isBeginning: boolean) => void;
	/** Empties the queue. Returns what was in it. */
	takeQueue: () => readonly QueuedMessage[];
	/** Removes a message from the queue and returns it; undefined if it is there no more. */
	dequeue: (id: string) => QueuedMessage | undefined;
	/** Moves a message in the queue. Returns by how many places. */
	moveQueued: (id: string, places: number) => number;
	/** Asks for the run to be interrupted, and a message to be sent in its place; undefined once it is. */
	sendNow: (id: string | undefined) => void;
	setUnsaved: (reason: string | undefined) => void;
	setBackground: (background: readonly BackgroundSession[]) => void;
	/** Selects the agent that answers; undefined for our own. */
	setAgent: (agent: AgentCommand | undefined) => void;
	setAgentView: (view: AgentView | undefined) => void;
	setJobs: (running: number) => void;
	setForeground: (count: number) => void;
	setStopping: (isStopping: boolean) => void;
};

/** Returns true while there is something to interrupt: the agent, what was just sent to it, or a command. */
export function isWorking({
	transcript,
	isBeginning,
	busy,
}: Pick<SessionSlice, 'transcript' | 'isBeginning'> & Pick<ViewSlice, 'busy'>): boolean {
	return transcript.run !== undefined || isBeginning || busy;
}

export const createSessionSlice: StateCreator<SessionSlice> = (set, get) => ({
	transcript: emptyTranscript(''),
	remote: undefined,
	next: undefined,
	parting: '',
	queue: [],
	sending: [],
	isBeginning: false,
	sendsNow: undefined,
	agent: undefined,
	agentView: undefined,
	unsaved: undefined,
	others: [],
	drafts: [],
	jobs: 0,
	foreground: 0,
	background: [],
	isStopping: false,

	applyRecords(items) {
		set(({transcript, drafts}) => joinDeltas(items).reduce(applyItem, {transcript, drafts}));
	},
	openTranscript(transcript) {
		set({transcript, queue: [], sendsNow: undefined, unsaved: undefined, drafts: []});
	},
	enqueue(message) {
		set(state => ({queue: [...state.queue, message]}));
	},
	setSending(sending) {
		set({sending});
	},
	setBeginning(isBeginning) {
		set({isBeginning});
	},
	takeQueue() {
		const {queue} = get();
		if (queue.length > 0) {
			set({queue: []});
		}

		return queue;
	},
	dequeue(id) {
		const {queue} = get();
		const message = queue.find(each => each.id === id);
		if (message) {
			set({queue: queue.filter(each => each !== message)});
		}

		return message;
	},
	moveQueued(id, places) {
		const {queue} = get();
		const from = queue.findIndex(each => each.id === id);
		const to = Math.max(0, Math.min(from + places, queue.length - 1));
		const message = queue[from];
		if (message && to !== from) {
			set({queue: queue.toSpliced(from, 1).toSpliced(to, 0, message)});
		}

		return message ? to - from : 0;
	},
	sendNow(sendsNow) {
		set({sendsNow});
	},
	setUnsaved(unsaved) {
		set({unsaved});
	},
	setBackground(background) {
		set({background});
	},
	setAgent(agent) {
		set({agent, agentView: undefined});
	},
	setAgentView(agentView) {
		set({agentView});
	},
	setJobs(jobs) {
		set({jobs});
	},
	setForeground(foreground) {
		set({foreground});
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

type Delta = Recorded & {readonly event: EventOf<'text-delta' | 'reasoning-delta'>};

/**
 * Returns the items with adjacent pieces of one text as one record, which has the `seq` of the last and changes a transcript
 * as they would one after another. Items that aren't records stay as they are.
 */
export function joinDeltas<Item extends object>(items: readonly (Recorded | Item)[]): readonly (Recorded | Item)[] {
	const joined: (Recorded | Item)[] = [];
	let last: Delta | undefined;
	for (const item of items) {
		const next = 'event' in item && isDelta(item) ? item : undefined;
		last = next && last && continues(next, last) ? join(last, next) : next;
		if (last && last !== next) {
			joined[joined.length - 1] = last;
		} else {
			joined.push(item);
		}
	}

	return joined;
}

function isDelta(record: Recorded): record is Delta {
	return record.event.type === 'text-delta' || record.event.type === 'reasoning-delta';
}

function continues({session, server, seq, event}: Delta, last: Delta): boolean {
	const {type, id, messageId} = last.event;
	return (
		event.type === type &&
		event.id === id &&
		event.messageId === messageId &&
		session === last.session &&
		server === last.server &&
		seq === last.seq + 1
	);
}

function join(last: Delta, {seq, event: {text, opaque}}: Delta): Delta {
	return {...last, seq, event: {...last.event, text: last.event.text + text, ...(opaque && {opaque})}};
}
