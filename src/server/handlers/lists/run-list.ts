import type {Handlers} from '../handler.ts';
import {filterProjectId, readPage} from '../page.ts';

export const runListHandlers = {
	/** Newest first. Omits `execution_id`: anyone who knows it could write as the run's owner. */
	async listRuns({query}, {scope, services: {database}}) {
		const projectId = filterProjectId(scope, query.project);
		const rows = database
			.selectFrom('workflow_runs')
			.innerJoin('projects', 'projects.id', 'workflow_runs.project_id')
			.select([
				'workflow_runs.id',
				'title',
				'status',
				'project_id',
				'projects.slug as project_key',
				'runtime_id',
				'claimed_by',
				'claimed_at',
				'workflow_runs.created_at',
				'updated_at',
			])
			.where('workflow_runs.workspace_id', '=', scope.workspace.id)
			.$if(projectId !== undefined, found => found.where('project_id', '=', projectId ?? ''));
		return await readPage(query, rows, ordered =>
			ordered.orderBy('workflow_runs.created_at', 'desc').orderBy('workflow_runs.id'),
		);
	},
} satisfies Partial<Handlers>;
