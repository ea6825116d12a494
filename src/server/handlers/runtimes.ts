import type {ExpressionBuilder} from 'kysely';
import type {Tables} from '../database/tables.ts';
import {reject, rejectField, rejectNotFound} from '../kit/http-error.ts';
import type {Organization, Workspace} from '../kit/scope.ts';
import {createRuntime} from '../sandboxes/create-runtime.ts';
import {assertSameMachine} from '../sandboxes/provider-fault.ts';
import {resumeRuntime} from '../sandboxes/resume-runtime.ts';
import {stopRuntime} from '../sandboxes/runtime-state.ts';
import {readInputs} from '../tasks/inputs.ts';
import type {Context, Handlers} from './handler.ts';
import {filterProjectId, projectIdOf, readPage} from './page.ts';
import {runtimeResponse, selectRuntimes} from './responses/runtime-response.ts';
import {checkTimeout, findTask} from './task-body.ts';

type RuntimeContext = Context<{readonly organization: Organization; readonly workspace: Workspace}>;

export const runtimeHandlers = {
	/** Newest first. */
	async listRuntimes({query}, {principal, scope, services}) {
		const projectId = filterProjectId(scope, query.project);
		const rows = selectRuntimes(services.database)
			.where('runtimes.workspace_id', '=', scope.workspace.id)
			.$if(projectId !== undefined, found => found.where('project_id', '=', projectId ?? ''));
		const {items, ...page} = await readPage(query, rows, ordered =>
			ordered.orderBy('runtimes.created_at', 'desc').orderBy('runtimes.id'),
		);
		return {...page, items: items.map(row => runtimeResponse(services, row, principal.userId))};
	},

	async getRuntime({params: {runtimeId}}, {principal, scope, services}) {
		const row = await selectRuntimes(services.database)
			.where('runtimes.workspace_id', '=', scope.workspace.id)
			.where(isNamed(runtimeId))
			.executeTakeFirst();
		return row ? runtimeResponse(services, row, principal.userId) : rejectNotFound();
	},

	async createRuntime({body}, context) {
		const {principal, scope, services} = context;
		const task = await findTask(services, body.task_ref, scope.organization.slug);
		const inputs = readInputs(task, {});
		if ('errors' in inputs) {
			const names = inputs.errors.map(({loc}) => loc.at(-1)).join(', ');
			const msg = `needs inputs (${names}), and a runtime has none but the defaults of its task`;
			rejectField(['body', 'task_ref'], msg, 'missing_input');
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
			requestedSeconds: checkTimeout(body.timeout_sec),
		});
		return await responseOf(context, id);
	},

	async resumeRuntime({params: {runtimeId}}, context) {
		const {principal, scope, services} = context;
		const found = await findRuntime(context, runtimeId);
		if (found.created_by !== principal.userId) {
			reject(403, `The runtime “${found.key}” belongs to another user. Only they can resume it.`);
		}

		await resumeRuntime(services, found.id, scope.organization.slug);
		return await responseOf(context, found.id);
	},

	/** Responds once no process of its sandbox runs. */
	async stopRuntime({params: {runtimeId}}, context) {
		const {principal, scope, services} = context;
		const found = await findRuntime(context, runtimeId);
		if (found.created_by !== principal.userId && scope.role === 'member') {
			reject(403, `The runtime “${found.key}” belongs to another user. Only they and admins can stop it.`);
		}

		await assertSameMachine(services, found.machine, 'stop it');
		await stopRuntime(services, found.id);
		return await responseOf(context, found.id);
	},
} satisfies Partial<Handlers>;

/** Returns the workspace's runtime by key or UUID. Rejects (404) an unknown one. */
async function findRuntime({scope, services}: RuntimeContext, keyOrId: string) {
	const found = await services.database
		.selectFrom('runtimes')
		.leftJoin('sandboxes', 'sandboxes.id', 'runtimes.sandbox_id')
		.select(['runtimes.id', 'runtimes.created_by', 'key', 'machine'])
		.where('workspace_id', '=', scope.workspace.id)
		.where(isNamed(keyOrId))
		.executeTakeFirst();
	return found ?? rejectNotFound();
}

/** Matches the runtime with a key or a UUID. */
const isNamed =
	(keyOrId: string) =>
	({or, eb}: ExpressionBuilder<Pick<Tables, 'runtimes'>, 'runtimes'>) =>
		or([eb('runtimes.key', '=', keyOrId), eb('runtimes.id', '=', keyOrId.toLowerCase())]);

async function responseOf({principal, services}: RuntimeContext, id: string) {
	const row = await selectRuntimes(services.database).where('runtimes.id', '=', id).executeTakeFirstOrThrow();
	return runtimeResponse(services, row, principal.userId);
}

/** Checks that a key is a slug and can't be mistaken for a UUID. */
function checkKey(key: string): string {
	const isSlug = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/.test(key);
	if (!isSlug || /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(key)) {
		const msg = 'must be lower-case letters, digits and dashes, with no dash first or last, and no UUID';
		rejectField(['body', 'key'], msg, 'invalid_value');
	}

	return key;
}
