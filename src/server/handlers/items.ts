import {sql} from 'kysely';
import {rejectNotFound} from '../kit/http-error.ts';
import {assertResponseFits, sizeOf} from '../quota/response-size.ts';
import type {Handlers} from './handler.ts';
import {builtInSchemas} from './item-schemas.ts';

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
		const sizes = page.select(bytes.as('bytes'));
		const run = await database
			.selectFrom('workflow_runs')
			.select(['id', 'title', sizeOf(database, sizes)])
			.where('workspace_id', '=', scope.workspace.id)
			.where('project_id', '=', projectId)
			.where('id', '=', id)
			.executeTakeFirst();
		if (!run) {
			return rejectNotFound();
		}

		assertResponseFits(run, 'Use a smaller `limit`, or an `item_type`.');
		const rows = await page.selectAll().execute();
		return rows.map(row => ({
			created_at: row.created_at,
			data: JSON.parse(row.data),
			id: row.id,
			item_type: row.item_type,
			ref: row.ref,
			run_title: run.title,
			schema_ref: row.schema_ref,
			session_id: row.session_id,
			workflow_run_id: id,
			workflow_unit: row.workflow_unit,
		}));
	},

	/**
	 * The schemas of the project's item types, recorded or declared: those declared by capabilities, newest first, else
	 * the built-in one. Types without a schema are omitted.
	 */
	async getItemSchemas(_, {scope, services: {database}}) {
		const declared = await database
			.selectFrom('item_schemas')
			.selectAll()
			.where('project_id', '=', scope.project.id)
			.orderBy('item_type')
			.orderBy('created_at', 'desc')
			.orderBy('schema_ref')
			.execute();
		const recorded = await database
			.selectFrom('items')
			.select('item_type')
			.distinct()
			.where('project_id', '=', scope.project.id)
			.orderBy('item_type')
			.execute();
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
			json_schema: JSON.parse(json_schema),
			schema_ref: schema_ref || null,
		}));
		return {
			schemas: [...builtIn, ...entries].sort((a, b) =>
				a.item_type < b.item_type ? -1 : a.item_type > b.item_type ? 1 : 0,
			),
		};
	},
} satisfies Partial<Handlers>;
