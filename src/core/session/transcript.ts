import type {Budgets} from '../ledger/budget.ts';
import type {Block} from './block.ts';
import type {Eras} from './compaction.ts';
import type {EventOf, Handoff} from './event.ts';
import type {SessionRule} from './session-rules.ts';
import type {TodoItem} from './todo.ts';

/** Another agent that answers in a session, as its last `agent` event names it. Untrusted. */
export type OtherAgent = {
	readonly name: string;
	readonly command: readonly string[];
	/** Its own id for the conversation; undefined before it gave one. */
	readonly session: string | undefined;
	readonly contained: boolean;
};

/** The state of a session, as far as it was read. */
export type Transcript = Eras & {
	readonly session: string;
	readonly title: string;
	/** `seq` of the last record that was applied, -1 before the first. */
	readonly seq: number;
	/** The time of the first record, as ISO 8601; undefined before it. */
	readonly beganAt: string | undefined;
	/** Ids of pinned messages, in the order in which they were pinned. */
	readonly pins: readonly string[];
	/** What was recorded about changes of files, in order. `changeSteps` reads it. */
	readonly changes: readonly EventOf<'checkpoint' | 'restore'>[];
	/** What the session may cost. */
	readonly budgets: Budgets;
	/** What the user allowed and denied for the session. */
	readonly rules: readonly SessionRule[];
	/** Where the session was handed over to; undefined if it never was. */
	readonly handoff: Handoff | undefined;
	/** The agent's list of steps; empty without one, and once the run ended with all of them done. */
	readonly todo: readonly TodoItem[];
	/** The agent that answers, if it isn't our own. */
	readonly agent: OtherAgent | undefined;
	/** The conversations of sub-agents, by the call that started each. */
	readonly tasks: ReadonlyMap<string, Transcript>;
	/** The current run, with the server that it began on. */
	readonly run:
		| {readonly id: string; readonly model: string; readonly server: string; readonly startedAt: string}
		| undefined;
};

export function emptyTranscript(session: string): Transcript {
	return {
		session,
		title: '',
		seq: -1,
		beganAt: undefined,
		settled: [],
		open: [],
		eraStart: 0,
		compactions: 0,
		folded: undefined,
		pins: [],
		changes: [],
		rules: [],
		budgets: {},
		handoff: undefined,
		todo: [],
		agent: undefined,
		usage: new Map(),
		tasks: new Map(),
		run: undefined,
	};
}

/** Returns all blocks in order. */
export function blocksOf(state: Pick<Transcript, 'settled' | 'open'>): readonly Block[] {
	return state.open.length === 0 ? state.settled : [...state.settled, ...state.open];
}

/** Returns the model of the last message, as `provider/model-name`; undefined if there is none. */
export function lastModelOf(state: Transcript): string | undefined {
	const last = blocksOf(state).findLast(block => 'model' in block);
	return last && 'model' in last && last.model ? last.model : undefined;
}

/** Returns the notice of the wait for the next attempt; undefined if that was not the last thing to happen. */
export function waitingNotice({settled, open}: Transcript): Extract<Block, {kind: 'notice'}> | undefined {
	const last = open.at(-1) ?? settled.at(-1);
	return last?.kind === 'notice' && last.until !== undefined ? last : undefined;
}

const userEvents: ReadonlySet<string> = new Set([
	'rename',
	'presence',
	'pin',
	'budget',
	'session-rule',
	'restore',
	'compaction-undo',
	'user-command',
	'user-command-end',
	'agent',
]);

/**
 * True for what the user did to the session or its files, which no server is part of. It counts even where a run has no
 * end, because its process was killed, and the session was resumed on another server.
 */
export function isOfUser({type}: {readonly type: string}): boolean {
	return userEvents.has(type);
}
