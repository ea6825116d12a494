import {sql} from 'kysely';
import {rejectNotFound} from '../kit/http-error.ts';
import {assertResponseFits, ifItFits, sizeOf} from '../quota/response-size.ts';
import type {Handlers} from './handler.ts';

const nothing = sql<string | null>`null`;

export const itemHandlers = {
	/** Items from the run's spans and from its sessions, oldest first. */
	async listRunItems({params: {runId}, query}, {scope, services: {database}}) {
		const id = runId.toLowerCase();
		const projectId = query.project_id.toLowerCase();
		const sessions = database
			.selectFrom('spans')
			.select('session_id')
			.where('workspace_id', '=', scope.workspace.id)
			.where('workflow_run_id', '=', id)
			.where('session_id', 'is not', null);
		let items = database
			.selectFrom('items')
			.where('workspace_id', '=', scope.workspace.id)
			.where('project_id', '=', projectId)
			.where(({or, and, eb}) =>
				or([
					eb('workflow_run_id', '=', id),
					// A session may serve several runs. Items that name another run belong to that run.
					and([eb('workflow_run_id', 'is', null), eb('session_id', 'in', sessions)]),
				]),
			);
		if (query.item_type !== undefined) {
			items = items.where('item_type', '=', query.item_type);
		}

		const page = items.orderBy('created_at').orderBy('id').limit(query.limit);
		const bytes = sql<number>`octet_length(data) + coalesce(octet_length(ref), 0) + coalesce(octet_length(workflow_unit), 0)`;
		const size = sizeOf(database, page.select(bytes.as('bytes')));
		const item = page
			.innerJoin(size.as('size'), join => join.onTrue())
			.select(['id', 'created_at', 'item_type', 'schema_ref', 'session_id', 'size.answer_bytes'])
			.select(
				(['data', 'ref', 'workflow_unit'] as const).map(name => ifItFits(name).$castTo<string | null>().as(name)),
			);
		const rows = await database
			.selectFrom('workflow_runs')
			.leftJoin(item.as('item'), join => join.onTrue())
			.selectAll('item')
			.select('workflow_runs.title as run_title')
			.where('workflow_runs.workspace_id', '=', scope.workspace.id)
			.where('workflow_runs.project_id', '=', projectId)
			.where('workflow_runs.id', '=', id)
			.orderBy('item.created_at')
			.orderBy('item.id')
			.execute();
		if (rows.length === 0) {
			return rejectNotFound();
		}

		assertResponseFits(rows[0], 'Use a smaller `limit`, or an `item_type`.');
		// A run without items has a row of its own.
		return rows.flatMap(({answer_bytes: _, id: itemId, created_at, item_type, ...row}) =>
			itemId === null || created_at === null || item_type === null
				? []
				: [{...row, id: itemId, created_at, item_type, data: JSON.parse(row.data ?? 'null'), workflow_run_id: id}],
		);
	},

	/**
	 * The schemas of the project's item types, recorded or declared: those declared by capabilities, newest first, else
	 * the built-in one. Types without a schema are omitted.
	 */
	async getItemSchemas(_, {scope, services: {database}}) {
		// Recorded types are rows without a schema.
		const rows = await database
			.selectFrom('item_schemas')
			.select(['item_type', 'schema_ref', 'capability', 'capability_version', 'created_at'])
			.select(({ref}) => ref('json_schema').$castTo<string | null>().as('json_schema'))
			.where('project_id', '=', scope.project.id)
			.unionAll(({selectFrom}) =>
				selectFrom('items')
					.select(['item_type', sql<string>`''`.as('schema_ref')])
					.select([nothing.as('capability'), nothing.as('capability_version'), sql<string>`''`.as('created_at')])
					.select(nothing.as('json_schema'))
					.distinct()
					.where('project_id', '=', scope.project.id),
			)
			.orderBy('item_type')
			.orderBy('created_at', 'desc')
			.orderBy('schema_ref')
			.execute();
		const declared = rows.filter(({json_schema}) => json_schema !== null);
		const recorded = rows.filter(({json_schema}) => json_schema === null);
		const known = new Set(declared.map(({item_type}) => item_type));
		const builtIn = recorded.flatMap(({item_type}) =>
			!known.has(item_type) && Object.hasOwn(builtInSchemas, item_type)
				? [
						{
							capability: null,
							capability_version: null,
							item_type,
							json_schema: builtInSchemas[item_type] ?? {},
							schema_ref: null,
						},
					]
				: [],
		);
		const entries = declared.map(({item_type, schema_ref, capability, capability_version, json_schema}) => ({
			capability,
			capability_version,
			item_type,
			json_schema: JSON.parse(json_schema ?? 'null'),
			schema_ref: schema_ref || null,
		}));
		return {
			schemas: [...builtIn, ...entries].sort((a, b) =>
				a.item_type < b.item_type ? -1 : a.item_type > b.item_type ? 1 : 0,
			),
		};
	},
} satisfies Partial<Handlers>;

const draft = 'https://json-schema.org/draft/2020-12/schema';

const text = {type: 'string'};
const nonEmpty = {type: 'string', minLength: 1};

function objectOf(title: string, required: readonly string[], properties: Readonly<Record<string, object>>) {
	return {$schema: draft, title, type: 'object', required, properties, additionalProperties: true};
}

/** JSON Schemas of common item types, which work without a capability. All allow additional fields. */
export const builtInSchemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
	findings: objectOf('Finding', ['title', 'severity'], {
		title: nonEmpty,
		severity: {enum: ['info', 'low', 'medium', 'high', 'critical']},
		description: text,
		location: {...text, description: 'Where it is: a file and line, an address, a component.'},
		evidence: {type: 'array', items: text},
		recommendation: text,
		confidence: {type: 'number', minimum: 0, maximum: 1},
	}),
	notes: objectOf('Note', ['text'], {
		text: nonEmpty,
		title: text,
		tags: {type: 'array', items: text},
	}),
	tasks: objectOf('Task', ['title'], {
		title: nonEmpty,
		status: {enum: ['open', 'doing', 'done', 'dropped']},
		description: text,
		assignee: text,
	}),
	assets: objectOf('Asset', ['name', 'kind'], {
		name: nonEmpty,
		kind: {...nonEmpty, description: 'Such as `host`, `service`, `repository`, `dataset`.'},
		address: text,
		properties: {type: 'object'},
	}),
	reports: objectOf('Report', ['title', 'body'], {
		title: nonEmpty,
		body: {...nonEmpty, description: 'Markdown.'},
		summary: text,
	}),
};
