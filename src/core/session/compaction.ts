import type {Block} from './block.ts';
import type {EventOf} from './event.ts';
import type {Message, MessageImage} from './message.ts';
import {isTurn, type MessageUsage, windowTokens} from './usage.ts';
import {userMessages} from './user-message.ts';

type Compaction = Extract<Block, {kind: 'compaction'}>;

/** What a compaction folded. */
export type Folded = {
	/** The id of the compaction. */
	readonly id: string;
	/** Where the era before it begins. */
	readonly eraStart: number;
	/** The `messageId`s whose usage it folded. */
	readonly messages: ReadonlySet<string>;
};

/** The part of a transcript that compactions divide into eras. */
export type Eras = {
	/** Blocks that can no longer change. Only grows, and not with every token. */
	readonly settled: readonly Block[];
	/** The blocks after them, starting with the first one that may still change. */
	readonly open: readonly Block[];
	/** By `messageId`, in the order in which the messages began. */
	readonly usage: ReadonlyMap<string, MessageUsage>;
	/** Index in `settled` of the first block of the current era, which begins with the last compaction. */
	readonly eraStart: number;
	readonly compactions: number;
	/** What the last compaction folded, so that it can be taken back; undefined without one, or if it was. */
	readonly folded: Folded | undefined;
};

/** Begins a new era, in which no earlier message is current. Expects a state without open blocks. */
export function fold<T extends Eras>(state: T, {type: kind, ...event}: EventOf<'compaction'>): T {
	const {settled, open, usage, eraStart, compactions} = state;
	const current = [...usage].flatMap(([key, message]) => (message.current ? [key] : []));
	return {
		...state,
		open: [...open, {kind, ...event, ...(event.kept && {eraBefore: eraStart}), open: false}],
		eraStart: settled.length + open.length,
		compactions: compactions + 1,
		folded: {id: event.id, eraStart, messages: new Set(current)},
		usage: new Map([...usage].map(([key, message]) => [key, {...message, current: false}])),
	};
}

/** Undoes the last compaction; its block stays as a record of it. Ignores the id of any other. */
export function unfold<T extends Eras>(state: T, id: string): T {
	const {folded, usage, open, compactions} = state;
	if (folded?.id !== id) {
		return state;
	}

	const {eraStart, messages} = folded;
	const text = 'Compaction undone: the model reads the whole conversation again.';
	return {
		...state,
		open: [...open, {kind: 'notice', level: 'info', text, hint: undefined, open: false}],
		eraStart,
		compactions: compactions - 1,
		folded: undefined,
		usage: new Map([...usage].map(([key, each]) => [key, messages.has(key) ? {...each, current: true} : each])),
	};
}

/** Returns the pins after the user pinned a message, or no longer did. */
export function pinsAfter(pins: readonly string[], {id, pinned}: EventOf<'pin'>): readonly string[] {
	const others = pins.filter(each => each !== id);
	return pinned ? [...others, id] : others;
}

/**
 * Returns the tokens of the context window that the conversation uses: as the last turn reported them, or as estimated
 * right after a compaction. 0 before the first request.
 */
export function usedWindow(eras: Eras): number {
	return windowAfter(eras.usage, compactedTokens(eras));
}

/** Returns the compaction that the current era begins with; undefined without one, or if it was undone. */
export function currentCompaction({settled, open, eraStart, compactions}: Eras): Compaction | undefined {
	const first = settled[eraStart] ?? open[eraStart - settled.length];
	return compactions > 0 && first?.kind === 'compaction' ? first : undefined;
}

/** Returns the tokens that the last compaction left, as estimated; 0 if none is in effect. */
export function compactedTokens(eras: Eras): number {
	return currentCompaction(eras)?.afterTokens ?? 0;
}

/** Returns what `usedWindow` does, for the tokens that the last compaction left. */
export function windowAfter(usage: Eras['usage'], compacted: number): number {
	const last = [...usage.values()].findLast(message => message.current && isTurn(message));
	return last ? windowTokens(last.usage) : compacted;
}

/** Returns the text of a message by its id, or by the `messageId` of an answer; undefined if there is none. */
function messageText(blocks: readonly Block[], id: string): string | undefined {
	const texts = blocks.flatMap(block =>
		(block.kind === 'user' && block.id === id) || (block.kind === 'text' && block.messageId === id) ? [block.text] : [],
	);
	return texts.length > 0 ? texts.join('\n\n') : undefined;
}

/** A message that compactions keep word for word, with what was attached to it. */
export type Pinned = {readonly id: string; readonly text: string; readonly images?: readonly MessageImage[]};

/** Returns the pinned messages with these ids, of the user and of the model. */
export function pinnedMessages(blocks: readonly Block[], ids: readonly string[]): readonly Pinned[] {
	const users = userMessages(blocks, {isDated: false});
	return ids.flatMap(id => {
		const message = users.get(id);
		const text = message?.text ?? messageText(blocks, id);
		return text === undefined ? [] : [{id, text, ...(message?.images && {images: message.images})}];
	});
}

/** Returns what the model reads instead of a compacted conversation: its summary, and the pinned messages. */
export function summaryMessage(summary: string, pinned: readonly Pinned[]): Message {
	const kept = pinned.map(({text}) => `[A message that the user pinned, word for word]\n\n${text}`);
	const images = pinned.flatMap(message => message.images ?? []);
	const text = [`${summaryHead}\n\n${summary}`, ...kept].join('\n\n');
	return {role: 'user', text, ...(images.length > 0 && {images})};
}

/** True for what `summaryMessage` returns. */
export function isSummaryMessage(message: Message): boolean {
	return message.role === 'user' && message.text.startsWith(summaryHead);
}

const summaryHead =
	'[The conversation so far was compacted to make room. This is its summary; go on from here without repeating what is done.]';
