import {setTimeout as sleep} from 'node:timers/promises';
import type {RequestOf} from '../../contract/endpoint.ts';
import type {endpoints} from '../../contract/endpoints.ts';
import {endedStates, isOver, type TaskEnvironment} from '../../contract/resources/environment.ts';
import {createToken} from '../accounts/token.ts';
import {reject, rejectField, rejectInvalid, rejectNotFound} from '../kit/http-error.ts';
import {admitEnvironment} from '../sandboxes/admit-environment.ts';
import {endEnvironment, findEnvironment, prepareEnvironment} from '../sandboxes/environment-state.ts';
import type {EnvironmentRow} from '../sandboxes/environment-transition.ts';
import {respondWithLog} from '../sandboxes/log-response.ts';
import {assertSameMachine} from '../sandboxes/provider-fault.ts';
import {readSecrets} from '../sandboxes/sandbox-secrets.ts';
import {planTask} from '../sandboxes/task-plan.ts';
import {readInputs, unknownInput} from '../tasks/inputs.ts';
import type {Task} from '../tasks/task.ts';
import type {Handlers} from './handler.ts';
import {filterProjectId, projectIdOf, readPage} from './page.ts';
import type {Services} from './services.ts';
import {checkTimeout, findTask} from './task-body.ts';

/** Maximum characters of all model overrides as JSON. */
const maxOverridesLength = 64 * 1024;

type CreateEnvironment = RequestOf<(typeof endpoints)['createEnvironment']>['body'];

export const environmentHandlers = {
	/**
	 * Responds once the sandbox is ready or has failed, but after a few seconds at the latest: building may take long,
	 * and the specification has no other way to report the state.
	 */
	async createEnvironment({body}, {principal, scope, services}) {
		const {organization, workspace} = scope;
		const {database, sandboxes} = services;
		const task = await findTask(services, body.task_ref, organization.slug);
		const projectId = await projectIdOf(database, workspace.id, body.project_id);
		const {inputs, requestedSeconds, modelOverrides} = readOptions(task, body);
		const secrets = await findSecrets(services, organization.slug, body.secret_ids ?? []);
		const plan = await planTask(task, {inputs, modelOverrides, secrets});
		const {id, sandboxId, seconds} = await admitEnvironment(services, {
			organizationId: organization.id,
			workspaceId: workspace.id,
			projectId: projectId ?? null,
			createdBy: principal.userId,
			taskReference: body.task_ref,
			task,
			plan,
			inputs,
			modelOverrides,
			seconds: requestedSeconds,
		});
		const specOf = () => plan.specOf(sandboxId, {after: seconds * 1000, action: 'end'});
		const prepared = sandboxes.background.run(id, signal => prepareEnvironment(services, id, specOf, signal));
		await waitAtMost(prepared, sandboxes.policy.startTimeoutMs);
		const row = await findEnvironment(services, id);
		return environmentResponse(row, executeTokenFor(row));
	},

	async getEnvironmentLogs({params}, {scope, services, request, headers}) {
		const row = await services.database
			.selectFrom('environments')
			.leftJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
			.select(['environments.state', 'sandboxes.provider_sandbox_id', 'sandboxes.machine'])
			.where('environments.id', '=', params.environmentId.toLowerCase())
			.where('environments.workspace_id', '=', scope.workspace.id)
			.executeTakeFirst();
		if (!row) {
			rejectNotFound();
		}

		const {provider_sandbox_id: sandboxId, machine, state} = row;
		if (sandboxId === null || machine === null) {
			reject(404, 'The log of this environment has expired.');
		}

		return await respondWithLog(services, {sandboxId, machine, state}, {request, headers});
	},

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

/** Returns the inputs and overrides of a task. Rejects (422) invalid ones. */
function readOptions(task: Task, body: CreateEnvironment) {
	const inputs = readInputs(task, body.inputs ?? {});
	if ('errors' in inputs) {
		rejectInvalid(inputs.errors, unknownInput(task, inputs.errors));
	}

	const requestedSeconds = checkTimeout(body.timeout_sec);
	const modelOverrides = body.model_overrides ?? {};
	if (JSON.stringify(modelOverrides).length > maxOverridesLength) {
		const msg = `are longer than ${maxOverridesLength} characters`;
		rejectField(['body', 'model_overrides'], msg, 'too_big');
	}

	return {inputs: inputs.values, requestedSeconds, modelOverrides};
}

async function findSecrets({sandboxes}: Services, organization: string, given: readonly string[]) {
	const ids = [...new Set(given)];
	const secrets = await readSecrets(sandboxes.secrets, organization, ids);
	if ('unknown' in secrets) {
		const index = given.indexOf(ids[secrets.unknown] ?? '');
		rejectField(['body', 'secret_ids', index], 'is not a secret of this organization', 'unknown_secret');
	}

	return secrets.values;
}

/** Waits for a promise, but not longer than a timeout. */
async function waitAtMost(promise: Promise<void>, timeoutMs: number): Promise<void> {
	const timer = new AbortController();
	await Promise.race([promise, sleep(timeoutMs, undefined, {signal: timer.signal}).catch(() => undefined)]);
	timer.abort();
}

/** Creates a new execute token for each response and stores none: no operation of this server accepts one. */
function executeTokenFor({state}: EnvironmentRow): string | null {
	return isOver(state) ? null : createToken('execute').token.reveal();
}

/** Returns an environment as the API defines it. `executeToken` is only for its creator. */
function environmentResponse(row: EnvironmentRow, executeToken: string | null = null): TaskEnvironment {
	return {
		id: row.id,
		state: row.state,
		task_ref: row.task_ref,
		created_at: row.created_at,
		// An ended environment doesn't expire any more.
		expires_at: isOver(row.state) ? null : row.expires_at,
		error: row.error,
		execute_token: executeToken,
		instruction: row.instruction,
		service_urls: JSON.parse(row.service_urls),
		task_verification: row.verification === null ? null : JSON.parse(row.verification),
	};
}
