import {type Lenient, originalOf} from '../../contract/lenient.ts';
import type {ItemSchemaEntry, RunItem, Stage} from '../../contract/resources/item.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {facts, factsPart, wordsOf} from '../render/facts.ts';
import {entriesOf, propertiesOf, type SchemaPosition, titleOf} from '../render/json-schema.ts';
import type {Result} from '../result.ts';

type ItemSchemas = readonly Lenient<ItemSchemaEntry>[];

/** Deeper values are shown as JSON, because a deep indent is hard to read. */
const deepest = 5;

/**
 * Returns an item by the JSON Schema of its type: the titles of its properties in their order. Properties without a schema
 * have their own names.
 */
function itemResult(item: Lenient<RunItem>, schemas: ItemSchemas): Result {
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
function schemaOf(item: Lenient<RunItem>, schemas: ItemSchemas): SchemaPosition | undefined {
	const original = originalOf(item);
	const reference = isJsonObject(original) ? original['schema_ref'] : undefined;
	const found =
		(typeof reference === 'string' && schemas.find(entry => entry.schema_ref === reference)) ||
		schemas.find(entry => entry.item_type !== undefined && entry.item_type === item.item_type);
	const document = found ? (found.json_schema as JsonObject | undefined) : undefined;
	return document && {document, schema: document};
}

function drawn(value: Json, at: SchemaPosition | undefined, depth: number): string {
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

function drawnObject(value: JsonObject, at: SchemaPosition | undefined, depth: number): string {
	const lines = propertiesOf(value, at).map(({name, title, at: inner}) => {
		const text = drawn(value[name] ?? null, inner, depth + 1);
		const label = title ?? wordsOf(name);
		return text.includes('\n') ? `${label}:\n${indented(text)}` : `${label}: ${text}`;
	});
	return lines.join('\n') || 'nothing';
}

function drawnList(list: readonly Json[], at: SchemaPosition | undefined, depth: number): string {
	const texts = list.map(entry => drawn(entry, entriesOf(at), depth + 1));
	const isPlain = list.every(entry => typeof entry !== 'object') && texts.every(text => /^[^\n,]{0,40}$/.test(text));
	return (isPlain ? texts.join(', ') : texts.map(text => `- ${indented(text).trimStart()}`).join('\n')) || 'none';
}

function indented(text: string): string {
	return text.replace(/^(?=.)/gm, '  ');
}

/** Returns the item types of a project, one a row. */
export function itemSchemasResult(answer: {readonly schemas?: ItemSchemas}): Result {
	return {
		kind: 'table',
		columns: [
			{label: 'type', whole: true},
			{label: 'title', spare: true},
			{label: 'fields', align: 'right'},
			{label: 'capability'},
			{label: 'schema', cut: 'middle'},
		],
		rows: (answer.schemas ?? []).map(entry => {
			const {title, properties} = entry.json_schema ?? {};
			const {capability, capability_version: version} = entry;
			return [
				entry.item_type ?? '',
				typeof title === 'string' ? title : '',
				isJsonObject(properties) ? String(Object.keys(properties).length) : '',
				capability ? [capability, version].filter(Boolean).join('@') : 'none',
				entry.schema_ref ?? '',
			];
		}),
		empty: 'No item schemas yet. Push traces that define one: `trace push <file>`',
		data: originalOf(answer),
	};
}

type Options = {
	readonly schemas: ItemSchemas;
	/** How many items were requested. */
	readonly limit: number;
	/** Why the schemas are missing, if they couldn't be loaded. */
	readonly trouble?: string | undefined;
};

/** Returns the items of a run, with notes about the list. */
export function runItemsResult(items: readonly Lenient<RunItem>[], {schemas, limit, trouble}: Options): Result {
	const notes = [
		...(items.length === 0 ? ['This run recorded no such items.'] : []),
		...(items.length >= limit
			? [`Showing the first ${items.length}; there may be more. Raise the limit with --limit.`]
			: []),
		...(trouble && items.length > 0 ? [`Shown without schema titles: ${trouble}`] : []),
	];
	return {
		kind: 'group',
		parts: [
			...items.map(item => itemResult(item, schemas)),
			...notes.map(note => ({kind: 'text', text: note}) as const),
		],
		data: originalOf(items),
	};
}

/** Returns the submission stage of an item, with its provenance. */
export function stageResult(stage: Lenient<Stage>): Result {
	return {
		kind: 'group',
		parts: [
			factsPart([
				['status', stage.status],
				['stage', stage.id],
				['item', stage.item_id],
				['action', stage.action_id],
				['connection', stage.connection_id],
				['submission', stage.submission_id === null ? 'none yet' : stage.submission_id],
				['project', stage.project_id],
				['organization', stage.organization_id],
				['created', stage.created_at],
				['updated', stage.updated_at],
			]),
			...(stage.provenance ? [provenanceRecord(stage.provenance)] : []),
		],
		data: originalOf(stage),
	};
}

function provenanceRecord(provenance: NonNullable<Lenient<Stage>['provenance']>): Result {
	return factsPart(
		[
			['capability', [provenance.capability_name, provenance.capability_version].filter(Boolean).join('@')],
			['root run', provenance.root_run_id],
			['task', provenance.current_task_id],
			['session', provenance.platform_session_id],
			['runtime', provenance.runtime_id],
			['trace', provenance.trace_id],
			['span', provenance.span_id],
		],
		'Staged by',
	);
}
