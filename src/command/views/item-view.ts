import {type Lenient, originalOf} from '../../contract/lenient.ts';
import type {ItemSchemaEntry, RunItem} from '../../contract/resources/item.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {facts, wordsOf} from '../render/facts.ts';
import {entriesOf, propertiesOf, type SchemaPlace, titleOf} from '../render/json-schema.ts';
import type {Result} from '../result.ts';

export type ItemSchemas = readonly Lenient<ItemSchemaEntry>[];

/** Deeper values are shown as JSON, because a deep indent is hard to read. */
const deepest = 5;

/**
 * Returns an item by the JSON Schema of its type: the titles of its properties in their order. Properties without a schema
 * have their own names.
 */
export function itemResult(item: Lenient<RunItem>, schemas: ItemSchemas): Result {
	const schema = schemaOf(item, schemas);
	const data = (item.data ?? {}) as JsonObject;
	const name = schema && titleOf(schema);
	const type = name ?? item.item_type ?? 'item';
	return {
		kind: 'record',
		title: item.ref ? `${type} · ${item.ref}` : type,
		fields: [
			...propertiesOf(data, schema).map(
				({name, title, at}) => [title ?? wordsOf(name), drawn(data[name] ?? null, at, 0)] as const,
			),
			...facts([
				['item', item.id],
				['type', name && item.item_type],
				['run', item.run_title ?? item.workflow_run_id],
				['unit', item.workflow_unit],
				['session', item.session_id],
				['recorded', item.created_at],
			]),
		],
		data: null,
	};
}

/** Finds a schema by the item's `schema_ref`, else by its `item_type`, as specified. */
function schemaOf(item: Lenient<RunItem>, schemas: ItemSchemas): SchemaPlace | undefined {
	const original = originalOf(item);
	const reference = isJsonObject(original) ? original['schema_ref'] : undefined;
	const found =
		(typeof reference === 'string' && schemas.find(entry => entry.schema_ref === reference)) ||
		schemas.find(entry => entry.item_type !== undefined && entry.item_type === item.item_type);
	const document = found ? (found.json_schema as JsonObject | undefined) : undefined;
	return document && {document, schema: document};
}

function drawn(value: Json, at: SchemaPlace | undefined, depth: number): string {
	if (value === null) {
		return 'none';
	}

	if (typeof value === 'boolean') {
		return value ? 'yes' : 'no';
	}

	if (typeof value !== 'object') {
		return String(value);
	}

	if (depth === deepest) {
		return JSON.stringify(value);
	}

	return isJsonObject(value) ? drawnObject(value, at, depth) : drawnList(value, at, depth);
}

function drawnObject(value: JsonObject, at: SchemaPlace | undefined, depth: number): string {
	const lines = propertiesOf(value, at).map(({name, title, at: inner}) => {
		const text = drawn(value[name] ?? null, inner, depth + 1);
		const label = title ?? wordsOf(name);
		return text.includes('\n') ? `${label}:\n${indented(text)}` : `${label}: ${text}`;
	});
	return lines.join('\n') || 'nothing';
}

function drawnList(list: readonly Json[], at: SchemaPlace | undefined, depth: number): string {
	const texts = list.map(entry => drawn(entry, entriesOf(at), depth + 1));
	const isPlain = list.every(entry => typeof entry !== 'object') && texts.every(text => /^[^\n,]{0,40}$/.test(text));
	return (isPlain ? texts.join(', ') : texts.map(text => `- ${indented(text).trimStart()}`).join('\n')) || 'none';
}

function indented(text: string): string {
	return text.replace(/^(?=.)/gm, '  ');
}
