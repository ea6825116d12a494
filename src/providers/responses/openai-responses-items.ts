import type {Json, JsonObject} from '../../core/json.ts';
import {countAt, listAt, textAt} from '../json-path.ts';
import type {ProviderEvent} from '../provider.ts';
import {responsesWire} from './openai-responses-request.ts';

/** What a part is: text, the words of a refusal, a summary of the reasoning, or the reasoning itself, as open models show it. */
export type PartKind = 'text' | 'refusal' | 'summary' | 'thought';

type Part = {readonly kind: PartKind; readonly position: number; readonly id: string; text: string};

/** An item of the output as far as it was streamed. `number` is its output index, or the next free one. */
type Item = {
	readonly id: string;
	readonly output: number | undefined;
	readonly number: number;
	readonly parts: Part[];
	ended: boolean;
};

/**
 * Joins what a response tells of its items. The same text may come as deltas, as the end of its part and within the end of
 * its item, and hosts number these differently, so an item is known by its id, then by its output index; a text that was
 * told already is not told again.
 */
export function createItems() {
	const items: Item[] = [];

	const begin = (id: string, output: number | undefined): Item => {
		let number = output ?? 0;
		while (items.some(item => item.number === number)) {
			number += 1;
		}

		const item: Item = {id, output, number, parts: [], ended: false};
		items.push(item);
		return item;
	};

	/** Some hosts give each event of an item another id, others the same output index to all items. */
	const find = (id: string, output: number | undefined): Item | undefined =>
		items.findLast(item => id !== '' && item.id === id) ??
		items.findLast(item => !item.ended && (output === undefined || item.output === output));

	const itemOf = (chunk: JsonObject): Item => {
		const id = textAt(chunk, 'item_id');
		const output = countAt(chunk, 'output_index');
		return find(id, output) ?? begin(id, output);
	};

	const say = (item: Item, kind: PartKind, position: number, text: string): readonly ProviderEvent[] => {
		if (!text) {
			return [];
		}

		let part = item.parts.find(known => known.kind === kind && known.position === position);
		if (!part) {
			part = {kind, position, id: `${kind}-${item.number}-${position}`, text: ''};
			item.parts.push(part);
		}

		part.text += text;
		const type = kind === 'text' || kind === 'refusal' ? 'text-delta' : 'reasoning-delta';
		return [{type, id: part.id, text}];
	};

	return {
		/** Notes an item that the response announces. */
		announce(chunk: JsonObject): void {
			begin(textAt(chunk, 'item', 'id'), countAt(chunk, 'output_index'));
		},
		/** A piece of a part. */
		say: (kind: PartKind, chunk: JsonObject) => say(itemOf(chunk), kind, positionOf(chunk), textAt(chunk, 'delta')),
		/** A whole part; nothing where its deltas have told it. */
		sayWhole(kind: PartKind, chunk: JsonObject): readonly ProviderEvent[] {
			const item = itemOf(chunk);
			const text = textAt(chunk, kind === 'refusal' ? 'refusal' : 'text');
			const position = positionOf(chunk);
			const told = item.parts.some(part => part.kind === kind && (part.position === position || part.text === text));
			return told ? [] : say(item, kind, position, text);
		},
		/** A whole item: the texts that were not told yet, and what has to go back with it. */
		end(whole: Json, output: number | undefined): readonly ProviderEvent[] {
			const id = textAt(whole, 'id');
			const item = find(id, output) ?? findByText(items, whole) ?? begin(id, output);
			item.ended = true;
			const untold = untoldTexts(item.parts, whole);
			const events = untold.flatMap(({kind, position, text}) => say(item, kind, position, text));
			return [...events, ...seal(whole, item.parts.at(-1)?.id, item.number)];
		},
		hasSaid: (kind: PartKind) => items.some(({parts}) => parts.some(part => part.kind === kind)),
	};
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

/** Each part that was streamed stands for one text of the whole item: the same one, else the one in its place, else any. */
function untoldTexts(parts: readonly Part[], whole: Json): readonly Text[] {
	const told = parts.filter(({kind}) => kind === 'text' || kind === 'refusal');
	let untold = textsOf(whole).filter(({text}) => text !== '');
	const rules: ReadonlyArray<(part: Part, text: Text) => boolean> = [
		(part, text) => part.text === text.text,
		(part, text) => part.kind === text.kind && part.position === text.position,
		() => true,
	];
	for (const isSame of rules) {
		untold = untold.filter(text => {
			const index = told.findIndex(part => isSame(part, text));
			told.splice(index, index < 0 ? 0 : 1);
			return index < 0;
		});
	}

	return freePlaces(untold, parts);
}

/** Two parts of one item never share a place, whatever the host has numbered. */
function freePlaces(texts: readonly Text[], parts: readonly Part[]): readonly Text[] {
	const taken = parts.map(({position}) => position);
	const shift = texts.some(({position}) => taken.includes(position)) ? Math.max(...taken) + 1 : 0;
	return texts.map(text => ({...text, position: text.position + shift}));
}

/** What has to go back with an item: reasoning whole and encrypted, the phase of a text. */
function seal(item: Json, lastPart: string | undefined, number: number): readonly ProviderEvent[] {
	const type = textAt(item, 'type');
	const encrypted = textAt(item, 'encrypted_content');
	if (type === 'reasoning' && encrypted) {
		const data = {type, id: textAt(item, 'id'), summary: listAt(item, 'summary'), encrypted_content: encrypted};
		const id = lastPart ?? `summary-${number}-0`;
		return [{type: 'reasoning-delta', id, text: '', opaque: {wire: responsesWire, data}}];
	}

	const phase = textAt(item, 'phase');
	return type === 'message' && phase && lastPart
		? [{type: 'text-delta', id: lastPart, text: '', opaque: {wire: responsesWire, data: {phase}}}]
		: [];
}
