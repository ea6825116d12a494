import {createListMemo} from '../list/list-memo.ts';
import type {Block} from './block.ts';
import {restoreText} from './changes.ts';
import {currentCompaction, pinnedMessages, summaryMessage} from './compaction.ts';
import type {AssistantPart, Message} from './message.ts';
import {blocksOf, type Transcript} from './transcript.ts';
import {userMessages} from './user-message.ts';

type Spoken = Extract<Block, {messageId: string}>;

/**
 * Returns the conversation as sent to a model: the current era, with a result for every tool call. A call without a
 * result gets a sentence that says so, because all vendors reject an unanswered call. Blocks that stay the same keep their
 * messages, so that what is made of a message needs to be made only once.
 */
export function toMessages(transcript: Transcript): readonly Message[] {
	const messages: Message[] = [];
	let turn: Spoken[] = [];

	const endTurn = () => {
		const [first, ...others] = turn;
		if (first) {
			messages.push(...spokenMessages([first, ...others]));
		}

		turn = [];
	};

	const blocks = blocksOf(transcript);
	const users = userMessages(blocks);
	const compaction = currentCompaction(transcript);
	for (const block of blocks.slice(transcript.eraStart)) {
		if ('messageId' in block) {
			if (turn[0] && turn[0].messageId !== block.messageId) {
				endTurn();
			}

			turn.push(block);
		} else if (block.kind === 'user') {
			endTurn();
			messages.push(users.get(block.id) ?? {role: 'user', text: block.text});
		} else if (block.kind === 'restore') {
			endTurn();
			messages.push({role: 'user', text: restoreNote(block)});
		} else if (block.kind === 'compaction' && block === compaction) {
			messages.push(...compactedMessages(blocks, users, block));
		} else if (block.kind === 'end' && block.refused) {
			endTurn();
			leaveOutRefused(messages, compaction ? 1 : 0);
		}
	}

	endTurn();
	return messages;
}

/** Returns a message of the model and the results of its calls. */
const spokenMessages = createListMemo((turn: readonly Spoken[]): readonly Message[] => {
	const parts = turn.flatMap(toPart);
	const spoken = {role: 'assistant', model: turn[0]?.model ?? '', parts} as const;
	return [...(parts.length > 0 ? [spoken] : []), ...turn.flatMap(toAnswer)];
});

/** Returns what the model reads about files that the user restored: what it knows of them is outdated. */
function restoreNote(block: Extract<Block, {kind: 'restore'}>): string {
	const {how} = block;
	const state = how === 'redo' ? 'Your changes are in these files again' : 'These files are as they were before';
	return `[Note from the program, not from the user. ${restoreText(block)}. ${
		how === 'diff' ? 'The user undid a part of your changes' : state
	}. Read them again before you rely on them, and do not repeat the change unless the user asks for it.]`;
}

/** Returns the summary of a compaction and the messages that it carried over. A compaction that was undone has none. */
function compactedMessages(
	blocks: readonly Block[],
	users: ReturnType<typeof userMessages>,
	{summary, pinned = [], carried = []}: Extract<Block, {kind: 'compaction'}>,
): readonly Message[] {
	const kept = pinnedMessages(blocks, pinned);
	return [summaryMessage(summary, kept), ...carried.flatMap(id => users.get(id) ?? [])];
}

/**
 * Drops what was added since the last model message, because it did not fit into the context window: user messages and
 * results of tools. The calls keep an answer, and the first `kept` messages stay.
 */
function leaveOutRefused(messages: Message[], kept: number): void {
	const start = Math.max(kept, messages.findLastIndex(({role}) => role === 'assistant') + 1);
	const answers = messages.splice(start).filter(message => message.role === 'tool');
	messages.push(...answers.map(answer => ({...answer, output: leftOut, failed: true})));
}

const leftOut = 'This result was left out: it did not fit into the context window. Ask for less of it.';

function toPart(block: Spoken): AssistantPart[] {
	const opaque = block.opaque && {opaque: block.opaque};
	switch (block.kind) {
		case 'text':
			return block.text || block.opaque ? [{type: 'text', text: block.text, ...opaque}] : [];
		case 'reasoning':
			return [{type: 'reasoning', text: block.text, ...opaque}];
		case 'tool':
			return [{type: 'tool-call', id: block.id, name: block.name, arguments: block.arguments, ...opaque}];
		default:
			return block satisfies never;
	}
}

function toAnswer(block: Spoken): Message[] {
	if (block.kind !== 'tool') {
		return [];
	}

	const {id, name, status, images} = block;
	const answered = status === 'done' || status === 'failed';
	const output = answered ? block.output : 'This call was interrupted before it had a result.';
	return [{role: 'tool', callId: id, name, output, failed: status !== 'done', ...(images && {images})}];
}
