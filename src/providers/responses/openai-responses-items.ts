import type {Json, JsonObject} from '../../core/json.ts';
import {countAt, listAt, textAt} from '../json-path.ts';
import type {ProviderEvent} from '../provider.ts';
import {responsesFormat} from './openai-responses-request.ts';

/** A part is text, a refusal, a summary of the reasoning, or the reasoning itself, which open models show. */
export type PartKind = 'text' | 'refusal' | 'summary' | 'thought';

type Part = {readonly kind: PartKind; readonly position: number; readonly id: string; text: string};

/** An output item, as far as it was streamed. `number` is its output index, or the next free one. */
type Item = {
	readonly id: string;
	readonly output: number | undefined;
	readonly number: number;
	readonly parts: Part[];
	ended: boolean;
};

export type Items = {
	/** Adds an item that the response announces. */
	readonly announce: (chunk: JsonObject) => void;
	/** Returns the event for a piece of a part. */
	readonly addPiece: (kind: PartKind, chunk: JsonObject) => readonly ProviderEvent[];
	/** Returns the event for a whole part; nothing if its pieces came before. */
	readonly addWhole: (kind: PartKind, chunk: JsonObject) => readonly ProviderEvent[];
	/** Ends an item. Returns the events for texts that are new, and for what has to go back with the item. */
	readonly end: (whole: Json, output: number | undefined) => readonly ProviderEvent[];
	/** True once a part of that kind has come. */
	readonly has: (kind: PartKind) => boolean;
};

/**
 * Joins the items of a response. The same text may come as deltas, at the end of its part and within the end of its item,
 * and hosts number these differently. So an item is known by its id, then by its output index, and each text is yielded
 * once.
 */
export function createItems(): Items {
	const items: Item[] = [];
	return {
		announce(chunk) {
			beginItem(items, textAt(chunk, 'item', 'id'), countAt(chunk, 'output_index'));
		},
		addPiece: (kind, chunk) => addText(itemOf(items, chunk), kind, positionOf(chunk), textAt(chunk, 'delta')),
		addWhole(kind, chunk) {
			const item = itemOf(items, chunk);
			const text = textAt(chunk, kind === 'refusal' ? 'refusal' : 'text');
			const position = positionOf(chunk);
			const isKnown = item.parts.some(part => part.kind === kind && (part.position === position || part.text === text));
			return isKnown ? [] : addText(item, kind, position, text);
		},
		end(whole, output) {
			const id = textAt(whole, 'id');
			const item = findItem(items, id, output) ?? findByText(items, whole) ?? beginItem(items, id, output);
			item.ended = true;
			const added = newTexts(item.parts, whole).flatMap(({kind, position, text}) =>
				addText(item, kind, position, text),
			);
			return [...added, ...seal(whole, item.parts.at(-1)?.id, item.number)];
		},
		has: kind => items.some(({parts}) => parts.some(part => part.kind === kind)),
	};
}

/** Returns the item that a chunk belongs to, and begins it if it is new. */
function itemOf(items: Item[], chunk: JsonObject): Item {
	const id = textAt(chunk, 'item_id');
	const output = countAt(chunk, 'output_index');
	return findItem(items, id, output) ?? beginItem(items, id, output);
}

/** Some hosts give each event of an item another id, others the same output index to all items. */
function findItem(items: readonly Item[], id: string, output: number | undefined): Item | undefined {
	return (
		items.findLast(item => id !== '' && item.id === id) ??
		items.findLast(item => !item.ended && (output === undefined || item.output === output))
	);
}

function beginItem(items: Item[], id: string, output: number | undefined): Item {
	let number = output ?? 0;
	while (items.some(item => item.number === number)) {
		number += 1;
	}

	const item: Item = {id, output, number, parts: [], ended: false};
	items.push(item);
	return item;
}

function addText({parts, number}: Item, kind: PartKind, position: number, text: string): readonly ProviderEvent[] {
	if (!text) {
		return [];
	}

	let part = parts.find(known => known.kind === kind && known.position === position);
	if (!part) {
		part = {kind, position, id: `${kind}-${number}-${position}`, text: ''};
		parts.push(part);
	}

	part.text += text;
	const type = kind === 'text' || kind === 'refusal' ? 'text-delta' : 'reasoning-delta';
	return [{type, id: part.id, text}];
}

function positionOf(chunk: JsonObject): number {
	return countAt(chunk, 'summary_index') ?? countAt(chunk, 'content_index') ?? 0;
}

type Text = {readonly kind: 'text' | 'refusal'; readonly position: number; readonly text: string};

function textsOf(whole: Json): readonly Text[] {
	return textAt(whole, 'type') === 'message'
		? listAt(whole, 'content').map((part, position) =>
				textAt(part, 'refusal')
					? {kind: 'refusal', position, text: textAt(part, 'refusal')}
					: {kind: 'text', position, text: textAt(part, 'text')},
			)
		: [];
}

function findByText(items: readonly Item[], whole: Json): Item | undefined {
	const text = textsOf(whole)
		.map(part => part.text)
		.join('');
	return text ? items.findLast(({parts}) => parts.map(part => part.text).join('') === text) : undefined;
}

/**
 * Returns the texts of a whole item that were not streamed. Each streamed part stands for one of them: the same text,
 * else the one in its place, else any.
 */
function newTexts(parts: readonly Part[], whole: Json): readonly Text[] {
	const streamed = parts.filter(({kind}) => kind === 'text' || kind === 'refusal');
	let remaining = textsOf(whole).filter(({text}) => text !== '');
	const rules: ReadonlyArray<(part: Part, text: Text) => boolean> = [
		(part, text) => part.text === text.text,
		(part, text) => part.kind === text.kind && part.position === text.position,
		() => true,
	];
	for (const isSame of rules) {
		remaining = remaining.filter(text => {
			const index = streamed.findIndex(part => isSame(part, text));
			streamed.splice(index, index < 0 ? 0 : 1);
			return index < 0;
		});
	}

	return freePlaces(remaining, parts);
}

/** Moves texts behind the streamed parts if a place is taken: two parts of one item never share a place. */
function freePlaces(texts: readonly Text[], parts: readonly Part[]): readonly Text[] {
	const taken = parts.map(({position}) => position);
	const shift = texts.some(({position}) => taken.includes(position)) ? Math.max(...taken) + 1 : 0;
	return texts.map(text => ({...text, position: text.position + shift}));
}

/** Returns what has to go back with an item: encrypted reasoning as a whole, the phase of a text. */
function seal(item: Json, lastPart: string | undefined, number: number): readonly ProviderEvent[] {
	const type = textAt(item, 'type');
	const encrypted = textAt(item, 'encrypted_content');
	if (type === 'reasoning' && encrypted) {
		const data = {type, id: textAt(item, 'id'), summary: listAt(item, 'summary'), encrypted_content: encrypted};
		const id = lastPart ?? `summary-${number}-0`;
		return [{type: 'reasoning-delta', id, text: '', opaque: {wire: responsesFormat, data}}];
	}

	const phase = textAt(item, 'phase');
	return type === 'message' && phase && lastPart
		? [{type: 'text-delta', id: lastPart, text: '', opaque: {wire: responsesFormat, data: {phase}}}]
		: [];
}
