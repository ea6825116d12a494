import {notFound} from '../kit/guard.ts';
import {refuse, refuseInvalid} from '../kit/http-error.ts';
import type {Organization, Workspace} from '../kit/scope.ts';
import {createRuntime} from '../sandboxes/create-runtime.ts';
import {resumeRuntime} from '../sandboxes/resume-runtime.ts';
import {readInputs} from '../tasks/inputs.ts';
import {findTask} from './find-task.ts';
import type {Context, Handlers} from './handler.ts';
import {projectIdOf, readPage} from './page.ts';
import {runtimeResponses, selectRuntimes} from './responses/runtime-response.ts';

type Place = Context<{readonly organization: Organization; readonly workspace: Workspace}>;

export const runtimeHandlers = {
	/** Newest first. */
	async listRuntimes({query}, {principal, scope, services}) {
		const {database} = services;
		const projectId = await projectIdOf(database, scope.workspace.id, query.project);
		const rows = selectRuntimes(database)
			.where('runtimes.workspace_id', '=', scope.workspace.id)
			.$if(projectId !== undefined, found => found.where('project_id', '=', projectId ?? ''));
		const {items, ...page} = await readPage(query, rows, ordered =>
			ordered.orderBy('runtimes.created_at', 'desc').orderBy('runtimes.id'),
		);
		const seen = {organizationId: scope.organization.id, userId: principal.userId};
		return {...page, items: await runtimeResponses(services, items, seen)};
	},

	async getRuntime({params: {runtimeId}}, context) {
		return await responseOf(context, (await findHere(context, runtimeId)).id);
	},

	async createRuntime({body}, context) {
		const {principal, scope, services} = context;
		const task = await findTask(services, body.task_ref, scope.organization.slug);
		const inputs = readInputs(task, {});
		if ('errors' in inputs) {
			const names = inputs.errors.map(({loc}) => loc.at(-1)).join(', ');
			const msg = `needs inputs (${names}), and a runtime has none but the defaults of its task`;
			refuseInvalid([{loc: ['body', 'task_ref'], msg, type: 'missing_input'}]);
		}

		const id = await createRuntime(services, {
			organizationId: scope.organization.id,
			workspaceId: scope.workspace.id,
			projectId: (await projectIdOf(services.database, scope.workspace.id, body.project_id)) ?? null,
			createdBy: principal.userId,
			key: checkKey(body.key),
			name: body.name?.trim() || body.key,
			description: body.description?.trim() || null,
			taskReference: body.task_ref,
			requestedSeconds: checkSeconds(body.timeout_sec ?? null),
		});
		return await responseOf(context, id);
	},

	async resumeRuntime({params: {runtimeId}}, context) {
		const {principal, scope, services} = context;
		const found = await findHere(context, runtimeId);
		if (found.created_by !== principal.userId) {
			refuse(403, `The runtime “${found.key}” belongs to another user. Only they can resume it.`);
		}

		await resumeRuntime(services, found.id, scope.organization.slug);
		return await responseOf(context, found.id);
	},
} satisfies Partial<Handlers>;

/** Returns the workspace's runtime by key or UUID. Rejects (404) an unknown one. */
async function findHere({scope, services}: Place, keyOrId: string) {
	const found = await services.database
		.selectFrom('runtimes')
		.select(['id', 'created_by', 'key'])
		.where('workspace_id', '=', scope.workspace.id)
		.where(where => where.or([where('key', '=', keyOrId), where('id', '=', keyOrId.toLowerCase())]))
		.executeTakeFirst();
	return found ?? refuse(404, notFound);
}

async function responseOf({principal, scope, services}: Place, id: string) {
	const row = await selectRuntimes(services.database).where('runtimes.id', '=', id).executeTakeFirstOrThrow();
	const seen = {organizationId: scope.organization.id, userId: principal.userId};
	const [response] = await runtimeResponses(services, [row], seen);
	return response ?? refuse(404, notFound);
}

/** Checks that a key is a slug and can't be mistaken for a UUID. */
function checkKey(key: string): string {
	const isSlug = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(key);
	if (!isSlug || /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(key)) {
		const msg = 'must be lower-case letters, digits and dashes, with no dash first or last, and no UUID';
		refuseInvalid([{loc: ['body', 'key'], msg, type: 'invalid_value'}]);
	}

	return key;
}

function checkSeconds(seconds: number | null): number | null {
	if (seconds !== null && seconds < 1) {
		refuseInvalid([{loc: ['body', 'timeout_sec'], msg: 'must be at least 1', type: 'too_small'}]);
	}

	return seconds;
}
