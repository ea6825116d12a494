import {commonStart} from '../core/list-start.ts';
import type {Message} from '../core/session/message.ts';

/** A conversation as it was converted last. `counts` has the number of items before the exchange of each message. */
type Converted<Item> = {
	readonly messages: readonly Message[];
	readonly items: readonly Item[];
	readonly counts: readonly number[];
};

/**
 * Returns a function that converts a conversation: `convert` gets each message of the model with the results and messages
 * of the user up to the next one. Only those that the last conversation with the same first message did not begin with are
 * converted; the others stay the same items.
 */
export function createConverter<Item>(convert: (messages: readonly Message[]) => readonly Item[]) {
	/** By the first message. */
	const last = new WeakMap<Message, Converted<Item>>();
	return (messages: readonly Message[]): readonly Item[] => {
		const [first] = messages;
		const known = first && last.get(first);
		const next = known ? continued(known, messages, convert) : converted(messages, 0, {items: [], counts: []}, convert);
		if (first) {
			last.set(first, next);
		}

		return next.items;
	};
}

/** Converts from the last exchange on that begins within what both conversations begin with: more may belong to it now. */
function continued<Item>(
	{messages: before, items, counts}: Converted<Item>,
	messages: readonly Message[],
	convert: (messages: readonly Message[]) => readonly Item[],
): Converted<Item> {
	const common = commonStart(before, messages);
	const start = Math.max(
		0,
		messages.findLastIndex(({role}, at) => at < common && role === 'assistant'),
	);
	const kept = {items: items.slice(0, counts[start]), counts: counts.slice(0, start)};
	return converted(messages, start, kept, convert);
}

function converted<Item>(
	messages: readonly Message[],
	from: number,
	{items, counts}: {readonly items: Item[]; readonly counts: number[]},
	convert: (messages: readonly Message[]) => readonly Item[],
): Converted<Item> {
	for (let start = from; start < messages.length; start = counts.length) {
		const count = items.length;
		do {
			counts.push(count);
		} while (counts.length < messages.length && messages[counts.length]?.role !== 'assistant');

		items.push(...convert(messages.slice(start, counts.length)));
	}

	return {messages: [...messages], items, counts};
}
