import type {Budgets} from '../ledger/budget.ts';
import type {Block, Command, Spoken, Tool} from './block.ts';
import {allowedBy, endBlock, endedCommand, endedTool, endText, lastPart, userBlock} from './block.ts';
import {type Eras, fold, pinsAfter, unfold} from './compaction.ts';
import type {AgentEvent, EventOf, Recorded} from './event.ts';
import {rulesAfter, type SessionRule} from './session-rules.ts';
import {currentItem, type TodoItem, todoItems} from './todo.ts';
import {startedTool, taskBlocks} from './tool-block.ts';

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
	/** The agent's list of steps; empty without one, and once the run ended with all of them done. */
	readonly todo: readonly TodoItem[];
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
		...{seq: -1, beganAt: undefined},
		settled: [],
		open: [],
		...{eraStart: 0, compactions: 0, folded: undefined},
		...{pins: [], changes: [], rules: [], budgets: {}, todo: []},
		...{usage: new Map(), tasks: new Map()},
		run: undefined,
	};
}

/**
 * Applies a record. The only code that interprets events, for live, resumed and replayed sessions. Pure and total.
 * Drops records of another session, records seen before, and events of a run from a server other than its own (SAFETY
 * 20).
 */
export function reduceTranscript(state: Transcript, record: Recorded): Transcript {
	const {session, seq, server, event, at} = record;
	const strange = state.run && event.type !== 'run-start' && event.type !== 'rename' && server !== state.run.server;
	if (session !== state.session || seq <= state.seq || strange) {
		return state;
	}

	return {...settle(reduceEvent(state, event, at, server)), seq, beganAt: state.beganAt ?? at};
}

function reduceEvent(state: Transcript, event: AgentEvent, at: string, server: string): Transcript {
	switch (event.type) {
		case 'run-start':
			return {...close(withoutDone(state), at), run: {id: event.runId, model: event.model, server, startedAt: at}};
		case 'user-message':
		case 'attachment':
		case 'user-command':
			return append(closeSpoken(state, at), userBlock(event, at));
		case 'user-command-end':
			return changeCommand(state, event.id, () => endedCommand(event));
		case 'text-delta':
			return speak(state, 'text', event, at);
		case 'reasoning-delta':
			return speak(state, 'reasoning', event, at);
		case 'tool-call':
			return append(closeSpoken(state, at), startedTool(event, state.run?.model ?? '', at));
		case 'approval-request':
			return changeTool(state, event.id, () => ({status: 'asking'}));
		case 'approval-answer':
			return changeTool(state, event.id, () => ({status: 'running', ...allowedBy(event)}));
		case 'tool-output':
			return addOutput(state, event);
		case 'tool-result':
			return changeTool(updateTodo(endTask(state, event.id, at), event), event.id, () => endedTool(event));
		case 'checkpoint':
			return {...state, changes: [...state.changes, event]};
		case 'restore': {
			const {id, how, paths, count} = event;
			const next = {...state, changes: [...state.changes, event]};
			// Where the user kept all of their versions, there is nothing to tell.
			return count === 0 ? next : append(closeSpoken(next, at), {kind: 'restore', id, how, paths, count, open: false});
		}
		case 'usage':
			return countUsage(state, event, at);
		case 'compaction':
			return fold(close(state, at), event);
		case 'compaction-undo':
			return unfold(closeSpoken(state, at), event.id);
		case 'pin':
			return {...state, pins: pinsAfter(state.pins, event)};
		case 'notice': {
			const {level, text, hint} = event;
			return append(closeSpoken(state, at), {kind: 'notice', level, text, hint, open: false});
		}
		case 'budget':
			return {...state, budgets: event};
		case 'rename':
			return {...state, title: event.title};
		case 'session-rule':
			return {...state, rules: rulesAfter(state.rules, event)};
		case 'task':
			return inTask(state, event.id, task => reduceEvent(task, event.event, at, server));
		case 'run-end':
			return endRun(state, event, at);
		default:
			return event satisfies never;
	}
}

/** Applies the list of a call of the tool `todo` that succeeded. */
function updateTodo(state: Transcript, {id, failed}: EventOf<'tool-result'>): Transcript {
	const call = state.open.findLast(block => block.kind === 'tool' && block.id === id);
	const items = call?.kind === 'tool' && call.name === 'todo' && !failed ? todoItems(call.arguments) : undefined;
	return items ? {...state, todo: items} : state;
}

/** Drops a list of which everything is done. */
function withoutDone(state: Transcript): Transcript {
	return currentItem(state.todo) ? state : {...state, todo: []};
}

function countUsage(state: Transcript, event: EventOf<'usage'>, at: string): Transcript {
	const counted = addUsage(state, event, at);
	return event.task === undefined ? counted : inTask(counted, event.task, task => addUsage(task, event, at));
}

/** Changes the conversation of a sub-agent, and what the call that started it shows of it. */
function inTask(state: Transcript, id: string, change: (task: Transcript) => Transcript): Transcript {
	const task = settle(change(state.tasks.get(id) ?? emptyTranscript(state.session)));
	const tasks = new Map(state.tasks).set(id, task);
	return changeTool({...state, tasks}, id, () => ({task: taskBlocks(task)}));
}

/** Ends what a sub-agent left open. */
function endTask(state: Transcript, id: string, at: string): Transcript {
	return state.tasks.get(id)?.open.length ? inTask(state, id, task => close(task, at)) : state;
}

function addUsage(state: Transcript, event: EventOf<'usage'>, at: string): Transcript {
	const {messageId, type: _, ...reported} = event;
	const before = state.usage.get(messageId);
	// A correction doesn't make a compacted message current again.
	const message = {...reported, current: before?.current ?? true, at: before?.at ?? at};
	return {...state, usage: new Map(state.usage).set(messageId, message)};
}

function endRun(state: Transcript, {reason, error, stopReason, ...event}: EventOf<'run-end'>, at: string): Transcript {
	const rest = {...close(withoutDone(state), at), run: undefined};
	const text = endText(reason, error?.message, stopReason);
	const refused = event.refused && {refused: true};
	return text ? append(rest, {kind: 'end', reason, text, hint: error?.hint, ...refused, open: false}) : rest;
}

function append(state: Transcript, block: Block): Transcript {
	return {...state, open: [...state.open, block]};
}

function put(state: Transcript, index: number, block: Block): Transcript {
	return {...state, open: state.open.with(index, block)};
}

function speak(state: Transcript, kind: 'text' | 'reasoning', delta: Spoken, at: string): Transcript {
	const {id, messageId, text, opaque} = delta;
	const last = state.open.at(-1);
	if (last?.kind === kind && last.id === id && last.messageId === messageId && last.open) {
		return put(state, state.open.length - 1, {...last, text: last.text + text, ...(opaque && {opaque})});
	}

	const model = state.run?.model ?? '';
	return append(closeSpoken(state, at), {
		kind,
		id,
		messageId,
		model,
		text,
		...(opaque && {opaque}),
		open: true,
		at,
		endedAt: undefined,
	});
}

function changeTool(state: Transcript, id: string, change: (tool: Tool) => Partial<Tool>): Transcript {
	const index = state.open.findLastIndex(block => block.kind === 'tool' && block.id === id && block.open);
	const tool = state.open[index];
	return tool?.kind === 'tool' ? put(state, index, {...tool, ...change(tool)}) : state;
}

function addOutput(state: Transcript, {id, text}: EventOf<'tool-output'>): Transcript {
	const added = ({output}: Pick<Tool | Command, 'output'>) => ({output: lastPart(output + text)});
	return changeCommand(changeTool(state, id, added), id, added);
}

function changeCommand(state: Transcript, id: string, change: (command: Command) => Partial<Command>): Transcript {
	const index = state.open.findLastIndex(block => block.kind === 'command' && block.id === id && block.open);
	const command = state.open[index];
	return command?.kind === 'command' ? put(state, index, {...command, ...change(command)}) : state;
}

/** Ends open text or reasoning when something else begins; tools may continue. */
function closeSpoken(state: Transcript, at: string): Transcript {
	const last = state.open.at(-1);
	return last?.open && last.kind !== 'tool' && last.kind !== 'command'
		? put(state, state.open.length - 1, endBlock(last, at))
		: state;
}

/** Ends everything that is open. */
function close(given: Transcript, at: string): Transcript {
	const state = [...given.tasks.keys()].reduce((ended, id) => endTask(ended, id, at), given);
	return {...state, open: state.open.map(block => (block.open ? endBlock(block, at) : block))};
}

/** Moves blocks to `settled` up to the first one that may still change. */
function settle(state: Transcript): Transcript {
	const first = state.open.findIndex(block => block.open);
	const count = first === -1 ? state.open.length : first;
	if (count === 0) {
		return state;
	}

	return {...state, settled: [...state.settled, ...state.open.slice(0, count)], open: state.open.slice(count)};
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
