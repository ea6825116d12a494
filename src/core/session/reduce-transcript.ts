import {addPiece} from '../output/recorded-output.ts';
import {
	allowedBy,
	type Block,
	type CommandBlock,
	endBlock,
	endedCommand,
	endedTool,
	endText,
	type Spoken,
	type TaskBlocks,
	type ToolBlock,
	userBlock,
} from './block.ts';
import {callText} from './call-words.ts';
import {type Eras, fold, pinsAfter, unfold} from './compaction.ts';
import type {AgentEvent, EventOf, Recorded} from './event.ts';
import {rulesAfter} from './session-rules.ts';
import {currentItem, todoItems} from './todo.ts';
import {emptyTranscript, isOfUser, type Transcript} from './transcript.ts';
import {windowTokens} from './usage.ts';

/** How a list or a map grows by something new. */
type Growth = {
	readonly list: <T>(list: readonly T[], added: readonly T[]) => readonly T[];
	readonly map: <T>(map: ReadonlyMap<string, T>, key: string, value: T) => ReadonlyMap<string, T>;
};

/** For a transcript that others have as well: theirs stays as it is. */
const copied: Growth = {
	list: (list, added) => [...list, ...added],
	map: (map, key, value) => new Map(map).set(key, value),
};

/** For a transcript that nobody else has yet. */
const inPlace: Growth = {
	list(list, added) {
		for (const each of added) {
			(list as unknown[]).push(each);
		}

		return list;
	},
	map: (map, key, value) => (map as Map<string, typeof value>).set(key, value),
};

/** How an event is applied: when and where it was recorded, and how what it adds to grows. */
type Applied = Pick<Recorded, 'at' | 'server'> & {readonly growth: Growth};

/**
 * Applies a record. The only code that interprets events, for live, resumed and replayed sessions. Pure and total.
 * Drops records of another session, records seen before, and events of a run from a server other than its own (SAFETY
 * 20).
 */
export function reduceTranscript(state: Transcript, record: Recorded): Transcript {
	return applyRecord(state, record, copied);
}

/** Returns the transcript of a whole journal: as `reduceTranscript` makes it, in time that grows with the records alone. */
export function replayTranscript(session: string, records: readonly Recorded[]): Transcript {
	return records.reduce((state, record) => applyRecord(state, record, inPlace), emptyTranscript(session));
}

function applyRecord(state: Transcript, {session, seq, server, event, at}: Recorded, growth: Growth): Transcript {
	const strange = state.run && event.type !== 'run-start' && !isOfUser(event) && server !== state.run.server;
	if (session !== state.session || seq <= state.seq || strange) {
		return state;
	}

	const next = settle(reduceEvent(state, event, {at, server, growth}), growth);
	return {...next, seq, beganAt: state.beganAt ?? at};
}

function reduceEvent(state: Transcript, event: AgentEvent, applied: Applied): Transcript {
	const {at, growth} = applied;
	switch (event.type) {
		case 'run-start':
			return beginRun(state, event, applied);
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
		case 'reclassify':
			return reclassify(state, event, at);
		case 'tool-call':
			return append(closeSpoken(state, at), startedTool(event, state.run?.model ?? '', at));
		case 'tool-call-update': {
			const {id, arguments: args, words} = event;
			return changeTool(state, id, () => ({...(args && {arguments: args}), ...(words && {words})}));
		}
		case 'plan':
			return {...state, todo: event.items};
		case 'agent':
			return {...state, agent: otherAgent(event)};
		case 'approval-request':
			return changeTool(state, event.id, () => ({status: 'asking', askedAt: at}));
		case 'approval-answer':
			return changeTool(state, event.id, tool => ({status: 'running', ...answered(tool, at), ...allowedBy(event)}));
		case 'tool-output':
			return addOutput(state, event);
		case 'tool-result':
			return endCall(updateTodo(endTask(state, event.id, applied), event), event, at);
		case 'checkpoint':
			return {...state, changes: growth.list(state.changes, [event])};
		case 'restore': {
			const {id, how, paths, count} = event;
			const next = {...state, changes: growth.list(state.changes, [event])};
			// Where the user kept all of their versions, there is nothing to tell.
			return count === 0 ? next : append(closeSpoken(next, at), {kind: 'restore', id, how, paths, count, open: false});
		}
		case 'usage':
			return countUsage(state, event, applied);
		case 'compaction':
			return fold(close(state, applied), event);
		case 'compaction-undo':
			return unfold(closeSpoken(state, at), event.id);
		case 'pin':
			return {...state, pins: pinsAfter(state.pins, event)};
		case 'notice': {
			const {level, text, hint, waitMs, handoff = state.handoff} = event;
			const until = waitMs === undefined ? {} : {until: Date.parse(at) + waitMs};
			return append(closeSpoken({...state, handoff}, at), {kind: 'notice', level, text, hint, ...until, open: false});
		}
		case 'budget':
			return {...state, budgets: event};
		case 'rename':
			return {...state, title: event.title};
		case 'session-rule':
			return {...state, rules: rulesAfter(state.rules, event)};
		case 'presence':
			return state;
		case 'task':
			return inTask(state, event.id, applied, (task, its) => reduceEvent(task, event.event, its));
		case 'run-end':
			return endRun(state, event, applied);
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

function otherAgent({name, command = [], session, contained = false}: EventOf<'agent'>): Transcript['agent'] {
	return name === undefined ? undefined : {name, command, session, contained};
}

/** Drops a list of which everything is done. */
function withoutDone(state: Transcript): Transcript {
	return currentItem(state.todo) ? state : {...state, todo: []};
}

function countUsage(state: Transcript, event: EventOf<'usage'>, applied: Applied): Transcript {
	const counted = addUsage(state, event, applied);
	return event.task === undefined
		? counted
		: inTask(counted, event.task, applied, (task, its) => addUsage(task, event, its));
}

/** Changes the conversation of a sub-agent, and what the call that started it shows of it. */
function inTask(
	state: Transcript,
	id: string,
	applied: Applied,
	change: (task: Transcript, applied: Applied) => Transcript,
): Transcript {
	const before = state.tasks.get(id) ?? emptyTranscript(state.session);
	const call = state.open.findLast(block => block.kind === 'tool' && block.id === id && block.open);
	// A call that has ended, or an earlier one with this id, keeps what it shows.
	const isShared = call?.kind !== 'tool' || call.task?.settled !== before.settled;
	const growth = isShared ? copied : applied.growth;
	const task = settle(change(before, {...applied, growth}), growth);
	const tasks = applied.growth.map(state.tasks, id, task);
	return changeTool({...state, tasks}, id, () => ({task: taskBlocks(task)}));
}

/** Ends what a sub-agent left open. */
function endTask(state: Transcript, id: string, applied: Applied): Transcript {
	return state.tasks.get(id)?.open.length ? inTask(state, id, applied, close) : state;
}

function addUsage(state: Transcript, event: EventOf<'usage'>, {at, growth}: Applied): Transcript {
	const {messageId, type: _, ...reported} = event;
	const before = state.usage.get(messageId);
	// A correction doesn't make a compacted message current again.
	const message = {...reported, current: before?.current ?? true, at: before?.at ?? at};
	return {...state, usage: growth.map(state.usage, messageId, message)};
}

function beginRun(state: Transcript, {runId: id, model}: EventOf<'run-start'>, applied: Applied): Transcript {
	const {server, at: startedAt} = applied;
	return {...close(withoutDone(state), applied), run: {id, model, server, startedAt}};
}

function endRun(state: Transcript, event: EventOf<'run-end'>, applied: Applied): Transcript {
	const {reason, error, stopReason, refused} = event;
	const rest = {...close(withoutDone(state), applied), run: undefined};
	const text = endText(reason, error?.message, stopReason);
	const end = {kind: 'end', reason, text, hint: error?.hint, ...(refused && {refused: true}), open: false} as const;
	return text ? append(rest, end) : rest;
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

/** Turns a text into reasoning that has ended. A part of it may be settled, if something came between. */
function reclassify(state: Transcript, {id, messageId}: EventOf<'reclassify'>, at: string): Transcript {
	const isText = (block: Block) => block.kind === 'text' && block.id === id && block.messageId === messageId;
	const change = (block: Block): Block =>
		block.kind === 'text' && isText(block)
			? {...block, kind: 'reasoning', open: false, endedAt: block.endedAt ?? at}
			: block;
	const settled = state.settled.some(isText) ? state.settled.map(change) : state.settled;
	return {...state, settled, open: state.open.map(change)};
}

function changeTool(state: Transcript, id: string, change: (tool: ToolBlock) => Partial<ToolBlock>): Transcript {
	const index = state.open.findLastIndex(block => block.kind === 'tool' && block.id === id && block.open);
	const tool = state.open[index];
	return tool?.kind === 'tool' ? put(state, index, {...tool, ...change(tool)}) : state;
}

/** Returns how long a call has waited when its question is answered. */
function answered({askedAt, waitedMs = 0}: ToolBlock, at: string): Partial<ToolBlock> {
	return askedAt === undefined ? {} : {askedAt: undefined, waitedMs: waitedMs + Date.parse(at) - Date.parse(askedAt)};
}

/** Ends a call. Those behind one that runs alone, such as a command or what the user was asked about, have waited for it. */
function endCall(state: Transcript, event: EventOf<'tool-result'>, at: string): Transcript {
	const index = state.open.findLastIndex(block => block.kind === 'tool' && block.id === event.id && block.open);
	const ended = changeTool(state, event.id, () => endedTool(event));
	const call = state.open[index];
	if (call?.kind !== 'tool' || (call.name !== 'run_command' && call.waitedMs === undefined)) {
		return ended;
	}

	const begun = (block: Block): Block =>
		block.kind === 'tool' && block.open ? {...block, waitedMs: Date.parse(at) - Date.parse(block.at)} : block;
	return {...ended, open: ended.open.map((block, place) => (place > index ? begun(block) : block))};
}

function addOutput(state: Transcript, {id, text, styles, over, shown}: EventOf<'tool-output'>): Transcript {
	const added = (block: ToolBlock | CommandBlock) => addPiece(block, {output: text, styles, over, shown});
	return changeCommand(changeTool(state, id, added), id, added);
}

function changeCommand(
	state: Transcript,
	id: string,
	change: (command: CommandBlock) => Partial<CommandBlock>,
): Transcript {
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
function close(given: Transcript, applied: Applied): Transcript {
	const state = [...given.tasks.keys()].reduce((ended, id) => endTask(ended, id, applied), given);
	return {...state, open: state.open.map(block => (block.open ? endBlock(block, applied.at) : block))};
}

/** Moves blocks to `settled` up to the first one that may still change. */
function settle(state: Transcript, growth: Growth): Transcript {
	const first = state.open.findIndex(block => block.open);
	const count = first === -1 ? state.open.length : first;
	if (count === 0) {
		return state;
	}

	return {...state, settled: growth.list(state.settled, state.open.slice(0, count)), open: state.open.slice(count)};
}

/** Returns the block of a call that begins. */
export function startedTool(event: EventOf<'tool-call'>, model: string, at: string): ToolBlock {
	const {id, messageId, name, opaque, words, arguments: args} = event;
	return {
		kind: 'tool',
		id,
		messageId,
		model,
		name,
		arguments: args,
		...(words && {words}),
		...(opaque && {opaque}),
		status: 'running',
		output: '',
		milliseconds: undefined,
		open: true,
		at,
	};
}

/** Returns what the line of a task shows of its conversation. */
function taskBlocks({settled, open, usage}: Eras): TaskBlocks {
	const calls = [...settled, ...open].filter(isCall);
	const last = calls.at(-1);
	const tokens = [...usage.values()].reduce((sum, message) => sum + windowTokens(message.usage), 0);
	const doing = last?.open ? callText(last.name, last.arguments, last.words) : '';
	return {settled, open, calls: calls.length, tokens, doing};
}

function isCall(block: Block): block is ToolBlock {
	return block.kind === 'tool';
}
