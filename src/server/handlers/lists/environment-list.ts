import {endedStates, isOver} from '../../../contract/resources/environment.ts';
import {reject, rejectNotFound} from '../../kit/http-error.ts';
import {endEnvironment, findEnvironment} from '../../sandboxes/environment-state.ts';
import {assertSameMachine} from '../../sandboxes/provider-fault.ts';
import type {Handlers} from '../handler.ts';
import {filterProjectId, readPage} from '../page.ts';
import {environmentResponse} from '../responses/environment-response.ts';

export const environmentListHandlers = {
	/** Running environments first, then newest first. */
	async listEnvironments({query}, {scope, services: {database}}) {
		const projectId = filterProjectId(scope, query.project);
		const rows = database
			.selectFrom('environments')
			.leftJoin('projects', 'projects.id', 'environments.project_id')
			.select([
				'environments.id',
				'state',
				'task_ref',
				'environments.created_at',
				'created_by',
				'expires_at',
				'error',
				'project_id',
				'projects.slug as project_key',
				'service_urls',
			])
			.where('environments.workspace_id', '=', scope.workspace.id)
			.$if(projectId !== undefined, found => found.where('project_id', '=', projectId ?? ''));
		const {items, ...page} = await readPage(query, rows, ordered =>
			ordered
				.orderBy(({eb}) => eb.case().when('state', 'in', endedStates).then(1).else(0).end())
				.orderBy('environments.created_at', 'desc')
				.orderBy('environments.id'),
		);
		return {
			...page,
			items: items.map(row => ({
				...row,
				service_urls: JSON.parse(row.service_urls),
				// An ended environment doesn't expire any more.
				expires_at: isOver(row.state) ? null : row.expires_at,
			})),
		};
	},

	async getEnvironment({params: {environmentId}}, {scope, services}) {
		const row = await services.database
			.selectFrom('environments')
			.selectAll()
			.where('id', '=', environmentId.toLowerCase())
			.where('workspace_id', '=', scope.workspace.id)
			.executeTakeFirst();
		return row ? environmentResponse(row) : rejectNotFound();
	},

	/** Responds once no process of the sandbox runs. */
	async stopEnvironment({params: {environmentId}}, {principal, scope, services}) {
		const found = await services.database
			.selectFrom('environments')
			.leftJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
			.select(['environments.id', 'environments.created_by', 'environments.state', 'sandboxes.machine'])
			.where('environments.id', '=', environmentId.toLowerCase())
			.where('environments.workspace_id', '=', scope.workspace.id)
			.executeTakeFirst();
		if (!found) {
			rejectNotFound();
		}

		if (found.created_by !== principal.userId && scope.role === 'member') {
			reject(403, 'This environment is another member’s. Only they and admins can stop it.');
		}

		await assertSameMachine(services, found.machine, 'stop it');
		await endEnvironment(services, found.id);
		return environmentResponse(await findEnvironment(services, found.id));
	},
} satisfies Partial<Handlers>;
