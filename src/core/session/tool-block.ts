import type {Block, TaskBlocks} from './block.ts';
import {callText} from './call-words.ts';
import type {Eras} from './compaction.ts';
import type {AgentEvent} from './event.ts';
import {windowTokens} from './usage.ts';

type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, {type: T}>;
type Tool = Extract<Block, {kind: 'tool'}>;

/** Returns the block of a call that begins. */
export function startedTool(event: EventOf<'tool-call'>, model: string, at: string): Tool {
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
export function taskBlocks({settled, open, usage}: Eras): TaskBlocks {
	const calls = [...settled, ...open].filter(isCall);
	const last = calls.at(-1);
	const tokens = [...usage.values()].reduce((sum, message) => sum + windowTokens(message.usage), 0);
	const doing = last?.open ? callText(last.name, last.arguments, last.words) : '';
	return {settled, open, calls: calls.length, tokens, doing};
}

function isCall(block: Block): block is Tool {
	return block.kind === 'tool';
}
