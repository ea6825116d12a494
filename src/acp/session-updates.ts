import type {Block, Spoken} from '../core/session/block.ts';
import {usedWindow} from '../core/session/compaction.ts';
import type {AgentEvent, EventOf, RunEvent} from '../core/session/event.ts';
import {type TodoItem, todoItems} from '../core/session/todo.ts';
import {blocksOf, type Transcript} from '../core/session/transcript.ts';
import {type PriceOf, totalCost} from '../core/session/usage.ts';
import {
	contentOfResult,
	endOfOutput,
	kindOfCall,
	locationsOfCall,
	outputOf,
	placesOf,
	titleOfCall,
} from './call-view.ts';
import type {ClientCapabilities, SessionUpdate, ToolKind} from './protocol.ts';

/** The tool whose calls are the plan of an editor. */
const planTool = 'todo';

const planStates = {pending: 'pending', active: 'in_progress', done: 'completed'} as const;

/** Returns the whole plan, which replaces the one before. */
function planUpdate(items: readonly TodoItem[]): SessionUpdate {
	const entries = items.map(({text, state}) => ({
		content: text,
		priority: 'medium' as const,
		status: planStates[state],
	}));
	return {sessionUpdate: 'plan', entries};
}

/** Returns what the conversation has cost so far, and how full its window is, if that has a known size. */
export function usageUpdate(transcript: Transcript, size: number | undefined, priceOf: PriceOf): SessionUpdate[] {
	if (size === undefined || transcript.usage.size === 0) {
		return [];
	}

	const amount = totalCost([...transcript.usage.values()], priceOf);
	const cost = amount === null ? {} : {cost: {amount, currency: 'USD'}};
	return [{sessionUpdate: 'usage_update', used: usedWindow(transcript), size, ...cost}];
}

/** What an editor announced about itself. */
type Shows = Pick<ClientCapabilities, 'session'>;

/** Returns a sentence for the user as a notice; none if the editor shows no notices. */
export function noticeUpdate(
	{level, text, hint}: Pick<EventOf<'notice'>, 'level' | 'text' | 'hint'>,
	{session}: Shows,
): SessionUpdate[] {
	return session?.notices
		? [{sessionUpdate: 'notice', severity: level, title: text, ...(hint !== undefined && {description: hint})}]
		: [];
}

type Chunk = 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk';

export function chunkOf(sessionUpdate: Chunk, text: string, messageId?: string): SessionUpdate {
	return {sessionUpdate, content: {type: 'text', text}, ...(messageId !== undefined && {messageId})};
}

/** Returns the id of a part of a message, which no other message has. */
function partOf({messageId, id}: Pick<Spoken, 'messageId' | 'id'>): string {
	return `${messageId}:${id}`;
}

type Reading = {
	/** The working folder of the session. */
	readonly folder: string;
	readonly shows: Shows;
};

/** A call that has not ended. */
type OpenCall = {
	/** What the question about it showed otherwise. */
	readonly shown: {readonly title: string; readonly kind: ToolKind};
	readonly plan: readonly TodoItem[] | undefined;
	output: string;
};

/** Turns the events of one turn into what an editor shows of them. */
export type LiveUpdates = {
	/** Returns the updates that follow from an event. */
	readonly follow: (event: AgentEvent) => readonly SessionUpdate[];
	/** Returns the output that has come since the last time. */
	readonly output: () => readonly SessionUpdate[];
	/** Returns the updates that end the calls which have no result. */
	readonly end: () => readonly SessionUpdate[];
};

/**
 * Follows a turn. The user's own message isn't among its updates: the editor shows it already. Output of commands is collected
 * until `output` is called.
 */
export function createLiveUpdates({folder, shows}: Reading): LiveUpdates {
	const open = new Map<string, OpenCall>();
	const grown = new Set<string>();

	const result = ({id, output, failed, change}: EventOf<'tool-result'>): SessionUpdate[] => {
		const call = open.get(id);
		open.delete(id);
		grown.delete(id);
		if (call?.plan) {
			return failed ? [] : [planUpdate(call.plan)];
		}

		const places = change && !failed ? placesOf(change, folder) : [];
		return [
			{
				sessionUpdate: 'tool_call_update',
				toolCallId: id,
				status: failed ? 'failed' : 'completed',
				content: contentOfResult({output, change, failed}, folder),
				...(places.length > 0 && {locations: places}),
			},
		];
	};

	const followRun = (event: RunEvent, isTask: boolean): readonly SessionUpdate[] => {
		switch (event.type) {
			case 'text-delta':
				return isTask ? [] : [chunkOf('agent_message_chunk', event.text, partOf(event))];
			case 'reasoning-delta':
				return isTask ? [] : [chunkOf('agent_thought_chunk', event.text, partOf(event))];
			case 'tool-call': {
				const {id, name, arguments: args, words} = event;
				const plan = name === planTool && !isTask ? todoItems(args) : undefined;
				const shown = {title: titleOfCall(name, args, words), kind: kindOfCall(name)};
				open.set(id, {shown, plan, output: ''});
				return plan
					? []
					: [
							{
								sessionUpdate: 'tool_call',
								toolCallId: id,
								...shown,
								name,
								status: 'pending',
								locations: locationsOfCall(name, args, folder),
								rawInput: args,
							},
						];
			}
			case 'approval-answer': {
				const {id, allowed} = event;
				const shown = open.get(id)?.shown;
				const status = allowed ? ({status: 'in_progress'} as const) : {};
				return shown ? [{sessionUpdate: 'tool_call_update', toolCallId: id, ...shown, ...status}] : [];
			}
			case 'tool-output': {
				const call = open.get(event.id);
				if (call) {
					call.output = endOfOutput(call.output + event.text);
					grown.add(event.id);
				}

				return [];
			}
			case 'tool-result':
				return result(event);
			case 'notice':
				return noticeUpdate(event, shows);
			case 'compaction':
				return shows.session?.compaction
					? [
							{
								sessionUpdate: 'compaction_update',
								compactionId: event.id,
								status: 'completed',
								summary: [{type: 'text', text: event.summary}],
							},
						]
					: [];
			case 'rename':
				return [{sessionUpdate: 'session_info_update', title: event.title}];
			default:
				return [];
		}
	};

	return {
		follow: event => (event.type === 'task' ? followRun(event.event, true) : followRun(event, false)),
		output() {
			const updates = [...grown].flatMap((id): SessionUpdate[] => {
				const call = open.get(id);
				return call
					? [
							{
								sessionUpdate: 'tool_call_update',
								toolCallId: id,
								status: 'in_progress',
								content: outputOf(call.output),
							},
						]
					: [];
			});
			grown.clear();
			return updates;
		},
		end() {
			const ids = [...open].flatMap(([id, {plan}]) => (plan ? [] : [id]));
			open.clear();
			grown.clear();
			return ids.map(toolCallId => ({sessionUpdate: 'tool_call_update', toolCallId, status: 'failed'}));
		},
	};
}

/** Returns a whole conversation as an editor shows it: messages, thoughts, calls with their ends, and the plan last. */
export function replayUpdates(transcript: Transcript, {folder, shows}: Reading): readonly SessionUpdate[] {
	const blocks = blocksOf(transcript).flatMap(block => blockUpdates(block, {folder, shows}));
	return [...blocks, ...(transcript.todo.length > 0 ? [planUpdate(transcript.todo)] : [])];
}

function blockUpdates(block: Block, {folder, shows}: Reading): SessionUpdate[] {
	switch (block.kind) {
		case 'user':
			return [chunkOf('user_message_chunk', block.text, block.id)];
		case 'attachment':
			return block.source === 'none' ? [] : [chunkOf('user_message_chunk', `\n[${block.name}]`, block.message)];
		case 'command':
			return [chunkOf('user_message_chunk', `! ${block.command}`, block.id)];
		case 'text':
			return block.text ? [chunkOf('agent_message_chunk', block.text, partOf(block))] : [];
		case 'reasoning':
			return block.text ? [chunkOf('agent_thought_chunk', block.text, partOf(block))] : [];
		case 'tool': {
			const {id, name, arguments: args, words, status, output, change} = block;
			const isOpen = block.open;
			const failed = !isOpen && status !== 'done';
			return name === planTool
				? []
				: [
						{
							sessionUpdate: 'tool_call',
							toolCallId: id,
							title: titleOfCall(name, args, words),
							name,
							kind: kindOfCall(name),
							status: isOpen ? 'in_progress' : failed ? 'failed' : 'completed',
							locations: change ? placesOf(change, folder) : locationsOfCall(name, args, folder),
							content: contentOfResult({output, change, failed}, folder),
							rawInput: args,
						},
					];
		}
		case 'notice':
			return noticeUpdate(block.hint === undefined ? {...block, hint: undefined} : block, shows);
		case 'end':
			return block.text ? noticeUpdate({level: 'warning', text: block.text, hint: block.hint}, shows) : [];
		default:
			return [];
	}
}
