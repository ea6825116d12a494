import {headAndTail} from '../cut-text.ts';
import {isJsonObject, type Json, type JsonObject} from '../json.ts';
import {modelIdFault} from '../model.ts';
import type {AgentEvent, EventOf, FileChange} from '../session/event.ts';
import type {ForeignSession, TimedEvent} from './foreign-session.ts';
import {knownCall} from './known-calls.ts';

/** A call as another client wrote it. */
type ForeignCall = {readonly id: string; readonly name: string; readonly input: unknown; readonly messageId: string};

type ForeignResult = {
	readonly id: string;
	readonly output: string;
	readonly failed: boolean;
	readonly change?: FileChange | undefined;
};

/** Writes a conversation of another client as events of ours, in the order in which it happened. */
export type ConversationWriter = {
	/** Sets when the next events happened; anything but a time is ignored. */
	readonly setTime: (at: unknown) => void;
	/** Names the model of what follows, as `provider/name`; anything else is ignored. */
	readonly setModel: (model: string) => void;
	readonly user: (text: string) => void;
	/** Keeps what the client told the model, not the user: the next message of the user carries it. */
	readonly note: (name: string, text: string) => void;
	readonly text: (messageId: string, text: string) => void;
	readonly reasoning: (messageId: string, text: string) => void;
	readonly call: (call: ForeignCall) => void;
	/** A result whose call is unknown is kept as text. */
	readonly result: (result: ForeignResult) => void;
	readonly compaction: (summary: string, facts?: Partial<EventOf<'compaction'>>) => void;
	/**
	 * Keeps something that is not understood as text, counted by what it is: as a part of an answer, of the next message of
	 * the user if `messageId` is undefined, or else beside the conversation.
	 */
	readonly unknown: (kind: string, value: unknown, part?: {readonly messageId: string | undefined}) => void;
	/** The user interrupted the run. */
	readonly interrupt: () => void;
	/** Removes the last turns of the user. */
	readonly takeBack: (turns: number) => void;
	readonly leaveOut: (kind: string, count?: number) => void;
	/** Returns everything that was written. */
	readonly end: () => Pick<ForeignSession, 'events' | 'messages' | 'calls' | 'remainder'>;
};

/** Most characters of a thing that isn't understood. */
const maxUnknown = 16_384;

/** An id that every vendor takes back. */
const plainId = /^[\w-]{1,64}$/;

export function createConversationWriter(): ConversationWriter {
	const left = new Map<string, number>();
	const asText = new Map<string, number>();
	const notes: {name: string; text: string}[] = [];
	/** Where the turns of the user begin. */
	const turns: number[] = [];
	/** The ids of open calls here, by the ids that they had. */
	const open = new Map<string, {readonly id: string; readonly at: string}>();
	/** The ids of all calls. */
	const used = new Set<string>();
	let events: TimedEvent[] = [];
	let at = new Date(0).toISOString();
	let model = '';
	let runModel: string | undefined;
	let hasAnswer = false;
	let count = 0;

	const nextId = (name: string) => `${name}-${++count}`;
	const push = (event: AgentEvent) => void events.push({at, event});
	const add = (counts: Map<string, number>, kind: string, more = 1) => {
		if (more > 0) {
			counts.set(kind, (counts.get(kind) ?? 0) + more);
		}
	};
	const endRun = (reason: 'done' | 'interrupted') => {
		if (runModel !== undefined) {
			push({type: 'run-end', reason, stopReason: reason === 'done' ? 'end_turn' : 'incomplete'});
			runModel = undefined;
			open.clear();
		}
	};
	const beginRun = () => {
		hasAnswer = false;
		runModel = model;
		push({type: 'run-start', runId: nextId('run'), model});
	};
	/** The model of a run may become known with its first answer. */
	const answer = () => {
		if (runModel !== undefined && runModel !== model && !hasAnswer) {
			const index = events.findLastIndex(({event}) => event.type === 'run-start');
			const start = events[index];
			if (start?.event.type === 'run-start') {
				events[index] = {...start, event: {...start.event, model}};
				runModel = model;
			}
		}

		if (runModel !== model) {
			endRun('done');
			beginRun();
		}

		hasAnswer = true;
	};
	const writer: ConversationWriter = {
		setTime(time) {
			const parsed = typeof time === 'string' || typeof time === 'number' ? Date.parse(String(time)) : Number.NaN;
			at = Number.isNaN(parsed) ? at : new Date(parsed).toISOString();
		},
		setModel(name) {
			model = modelIdFault(name) === undefined && name.length <= 100 ? name : model;
		},
		user(text) {
			if (text.trim() === '') {
				return;
			}

			if (hasAnswer) {
				endRun('done');
			}

			turns.push(events.length);
			if (runModel === undefined) {
				beginRun();
			}

			const id = nextId('user');
			push({type: 'user-message', id, text});
			for (const {name, text: noted} of notes.splice(0)) {
				push({type: 'attachment', id, source: 'resource', name, text: noted, tokens: Math.ceil(noted.length / 4)});
			}
		},
		note(name, text) {
			if (text.trim() !== '') {
				notes.push({name, text});
			}
		},
		text(messageId, text) {
			if (text.trim() !== '') {
				answer();
				push({type: 'text-delta', id: nextId('text'), messageId, text});
			}
		},
		reasoning(messageId, text) {
			if (text.trim() === '') {
				add(left, 'encrypted');
			} else {
				answer();
				push({type: 'reasoning-delta', id: nextId('thought'), messageId, text});
			}
		},
		call({id, name, input, messageId}) {
			answer();
			const own = plainId.test(id) && !used.has(id) ? id : nextId('call');
			used.add(own);
			open.set(id, {id: own, at});
			push({type: 'tool-call', id: own, messageId, ...knownCall(name, argumentsOf(input))});
		},
		result({id, output, failed, change}) {
			const call = open.get(id);
			if (!call) {
				writer.unknown('result without its call', output);
				return;
			}

			open.delete(id);
			const milliseconds = Math.max(0, Date.parse(at) - Date.parse(call.at));
			push({type: 'tool-result', id: call.id, output, failed, milliseconds, ...(change && {change})});
		},
		compaction(summary, facts) {
			// What was noted is a part of what is summed up.
			add(left, 'instructions', notes.splice(0).length);
			endRun('done');
			push({type: 'compaction', id: nextId('compaction'), summary, ...facts});
		},
		unknown(kind, value, part) {
			add(asText, kind);
			const text = headAndTail(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), maxUnknown);
			if (part?.messageId !== undefined) {
				writer.text(part.messageId, `[${kind}] ${text}`);
			} else if (part) {
				writer.note(kind, text);
			} else {
				push({type: 'notice', level: 'warning', text: `Not understood (${kind}): ${text}`});
			}
		},
		interrupt: () => endRun('interrupted'),
		takeBack(number) {
			const from = number > 0 ? turns.splice(-number)[0] : undefined;
			if (from !== undefined) {
				endRun('done');
				const taken = events.slice(from);
				add(left, 'branch', taken.filter(({event}) => isMessage(event)).length);
				events = events.slice(0, from);
			}
		},
		leaveOut: (kind, more) => add(left, kind, more),
		end() {
			endRun(open.size > 0 ? 'interrupted' : 'done');
			add(left, 'instructions', notes.length);
			const answers = new Set(events.flatMap(({event}) => ('messageId' in event ? [event.messageId] : [])));
			const users = events.filter(({event}) => event.type === 'user-message').length;
			return {
				events,
				messages: users + answers.size,
				calls: events.filter(({event}) => event.type === 'tool-call').length,
				remainder: {left, asText},
			};
		},
	};
	return writer;
}

function isMessage({type}: AgentEvent): boolean {
	return type === 'user-message' || type === 'text-delta' || type === 'tool-call';
}

/** Returns the arguments of a call: an object, its JSON text, or anything else as `input`. */
function argumentsOf(input: unknown): JsonObject {
	if (isJsonObject(input)) {
		return input;
	}

	return input === undefined || input === null ? {} : {input: input as Json};
}
