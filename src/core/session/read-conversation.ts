import {commonStart} from '../list-start.ts';
import type {Block} from './block.ts';
import {restoreText} from './changes.ts';
import {currentCompaction, pinnedMessages, summaryMessage} from './compaction.ts';
import type {AssistantPart, Message} from './message.ts';
import {shorten} from './shorten.ts';
import {blocksOf, type Transcript} from './transcript.ts';
import {type UserMessage, userMessages} from './user-message.ts';

type Spoken = Extract<Block, {messageId: string}>;

/** What a transcript was read as: `from` is where its last turn of the model begins, `count` how many messages came before. */
type Read = {
	readonly blocks: readonly Block[];
	readonly eraStart: number;
	readonly compaction: Block | undefined;
	readonly messages: readonly Message[];
	readonly from: number;
	readonly count: number;
};

/** What each transcript was read as last, by its first block, which the later states of a session keep. */
const lastRead = new WeakMap<Block, Read>();

/**
 * Returns the conversation as sent to a model: the current era, with a result for every tool call. A call without a
 * result gets a sentence that says so, because all vendors reject an unanswered call. Continues what the same session was
 * read as before: messages up to its last answer stay the same objects, so that nothing is made of them again.
 */
export function toMessages(transcript: Transcript): readonly Message[] {
	const blocks = blocksOf(transcript);
	const [first] = blocks;
	const last = first && lastRead.get(first);
	const {eraStart} = transcript;
	const compaction = currentCompaction(transcript);
	const continues =
		last?.eraStart === eraStart && last.compaction === compaction && commonStart(last.blocks, blocks) >= last.from;
	const {from, messages: before} = continues
		? {from: last.from, messages: last.messages.slice(0, last.count)}
		: {from: eraStart, messages: []};
	const read = readBlocks({blocks, from, before, compaction});
	if (first) {
		lastRead.set(first, {blocks, eraStart, compaction, ...read});
	}

	return read.messages;
}

type Unread = Pick<Read, 'blocks' | 'from' | 'compaction'> & {
	/** The messages before them. */
	readonly before: readonly Message[];
};

function readBlocks({blocks, from, before, compaction}: Unread): Pick<Read, 'messages' | 'from' | 'count'> {
	const messages = [...before];
	let last = {from, count: before.length};
	let turn: Spoken[] = [];

	const endTurn = () => {
		const [spoken] = turn;
		if (spoken) {
			const parts = turn.flatMap(toPart);
			if (parts.length > 0) {
				messages.push({role: 'assistant', model: spoken.model, parts});
			}

			messages.push(...turn.flatMap(toAnswer));
		}

		turn = [];
	};

	// A compaction carries messages of the user from before its era.
	const users = userMessages(blocks, {from: blocks[from] === compaction ? 0 : from});
	for (const [index, block] of blocks.slice(from).entries()) {
		if ('messageId' in block) {
			if (turn[0]?.messageId !== block.messageId) {
				endTurn();
				last = {from: from + index, count: messages.length};
			}

			turn.push(block);
		} else if (block.kind === 'user') {
			endTurn();
			messages.push(users.get(block.id) ?? {role: 'user', text: block.text});
		} else if (block.kind === 'restore') {
			endTurn();
			messages.push({role: 'user', text: restoreNote(block)});
		} else if (block.kind === 'compaction' && block === compaction) {
			messages.push(...compactedMessages(blocks, users, block), ...keptMessages(blocks.slice(0, from + index), block));
		} else if (block.kind === 'end' && block.refused) {
			endTurn();
			const left = leaveOutRefused(messages, compaction ? 1 : 0);
			// What was read before has changed: it can't be continued.
			last = left < last.count ? {from: Number.POSITIVE_INFINITY, count: 0} : last;
		}
	}

	endTurn();
	return {messages, ...last};
}

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
	users: ReadonlyMap<string, UserMessage>,
	{summary, pinned = [], carried = []}: Extract<Block, {kind: 'compaction'}>,
): readonly Message[] {
	const kept = pinnedMessages(blocks, pinned);
	return [summaryMessage(summary, kept), ...carried.flatMap(id => users.get(id) ?? [])];
}

/** Returns the messages before a compaction that it kept, as it shortened them. `blocks` are those before it. */
function keptMessages(
	blocks: readonly Block[],
	{kept, eraBefore: from = 0}: Extract<Block, {kind: 'compaction'}>,
): readonly Message[] {
	if (!kept) {
		return [];
	}

	const first = blocks[from];
	const compaction = first?.kind === 'compaction' ? first : undefined;
	const {messages} = readBlocks({blocks, from, before: [], compaction});
	return shorten(messages.slice(Math.max(0, kept.from)), kept);
}

/**
 * Drops what was added since the last model message, because it did not fit into the context window: user messages and
 * results of tools. The calls keep an answer, and the first `kept` messages stay. Returns how many messages did.
 */
function leaveOutRefused(messages: Message[], kept: number): number {
	const start = Math.max(kept, messages.findLastIndex(({role}) => role === 'assistant') + 1);
	const answers = messages.splice(start).filter(message => message.role === 'tool');
	messages.push(...answers.map(answer => ({...answer, output: leftOut, failed: true})));
	return start;
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
	const output = answered ? block.output : interruptedOutput(block);
	return [{role: 'tool', callId: id, name, output, failed: status !== 'done', ...(images && {images})}];
}

/** Most characters of the output of an interrupted command that the model reads. */
const maxInterrupted = 4000;

/** Returns what the model reads in place of a result. A command has changed and said things that the model has to know of. */
function interruptedOutput({name, output, askedAt}: Extract<Spoken, {kind: 'tool'}>): string {
	const said =
		askedAt === undefined
			? 'This call was interrupted before it had a result.'
			: 'The user did not allow this call: the run was interrupted when they were asked.';
	const end = output
		.trimEnd()
		.slice(-maxInterrupted)
		.replace(/^[\uDC00-\uDFFF]/, '');
	return name === 'run_command' && end ? `${said} The end of its output:\n${end}` : said;
}
