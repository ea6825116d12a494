import {setTimeout as sleep} from 'node:timers/promises';
import type {RequestOf} from '../../contract/endpoint.ts';
import type {endpoints} from '../../contract/endpoints.ts';
import type {TaskEnvironment} from '../../contract/resources/environment.ts';
import {makeToken} from '../accounts/token.ts';
import type {Handlers} from '../handlers.ts';
import {notFound} from '../handlers.ts';
import {refuse, refuseInvalid} from '../refusal.ts';
import {admitEnvironment} from '../sandboxes/admit-environment.ts';
import {type EnvironmentRow, findEnvironment, prepareEnvironment} from '../sandboxes/environment-life.ts';
import {answerLog} from '../sandboxes/log-answer.ts';
import {orProviderFault} from '../sandboxes/provider-fault.ts';
import {readSecrets} from '../sandboxes/sandbox-secrets.ts';
import {planTask} from '../sandboxes/task-plan.ts';
import {findProject} from '../scope.ts';
import type {Services} from '../services.ts';
import {readInputs} from '../tasks/inputs.ts';
import type {Task} from '../tasks/task.ts';
import {isFor, parseReference} from '../tasks/task-reference.ts';

/** Most characters of the model overrides together, in JSON. */
const largestOverrides = 64 * 1024;

/** Most tasks that are named to somebody who meant another. */
const mostNamed = 10;

type CreateEnvironment = RequestOf<(typeof endpoints)['createEnvironment']>['body'];

export const environmentHandlers = {
	/**
	 * Answers when the sandbox is ready or failed, but after a few seconds in any case: the specification has no other way
	 * to learn the state, and building may take long.
	 */
	async createEnvironment({body}, {principal, scope, services}) {
		const {organization, workspace} = scope;
		const {database, sandboxes} = services;
		const task = await findTask(services, body.task_ref, organization.slug);
		const project = body.project_id ? await findProject(database, workspace.id, body.project_id) : undefined;
		if (body.project_id && !project) {
			refuse(404, `There is no project “${body.project_id}” in this workspace.`);
		}

		const {inputs, modelOverrides} = readGiven(task, body);
		const secrets = await findSecrets(services, organization.slug, body.secret_ids ?? []);
		const plan = await planTask(task, {inputs, modelOverrides, secrets});
		const {id, sandboxId, seconds} = await admitEnvironment(services, {
			organizationId: organization.id,
			workspaceId: workspace.id,
			projectId: project?.id ?? null,
			createdBy: principal.userId,
			taskReference: body.task_ref,
			task,
			plan,
			inputs,
			modelOverrides,
			seconds: body.timeout_sec ?? null,
		});
		const specOf = () => plan.specOf(sandboxId, {after: seconds * 1000, action: 'end'});
		const prepared = sandboxes.background.run(id, signal => prepareEnvironment(services, id, specOf, signal));
		await atMost(prepared, sandboxes.policy.patience);
		return responseOf(await findEnvironment(services, id));
	},

	async getEnvironmentLogs({params}, {scope, services, request, headers}) {
		const row = await services.database
			.selectFrom('environments')
			.leftJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
			.select(['environments.id', 'sandboxes.provider_sandbox_id', 'sandboxes.machine'])
			.where('environments.id', '=', params.environmentId.toLowerCase())
			.where('environments.workspace_id', '=', scope.workspace.id)
			.executeTakeFirst();
		if (!row) {
			refuse(404, notFound);
		}

		const {provider_sandbox_id: sandboxId, machine} = row;
		if (sandboxId === null || machine === null) {
			refuse(404, 'The log of this environment is gone: it was kept for a while after its end.');
		}

		return await answerLog(services, {sandboxId, machine}, {request, headers});
	},
} satisfies Partial<Handlers>;

async function findTask(services: Services, reference: string, organization: string): Promise<Task> {
	if (!parseReference(reference)) {
		refuseInvalid([{loc: ['body', 'task_ref'], msg: 'must be [org/]name[@version]', type: 'invalid_reference'}]);
	}

	const {tasks} = services.sandboxes;
	const task = await orProviderFault(services, tasks.find(reference, organization));
	if (task) {
		return task;
	}

	const others = (await orProviderFault(services, tasks.list())).filter(other => isFor(other, organization));
	const names = [...new Set(others.map(({name, version}) => `${name}@${version}`))].toSorted();
	const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : '';
	refuse(
		404,
		`There is no task “${reference}” for this organization. It may use ${names.slice(0, mostNamed).join(', ')}${more}.`,
	);
}

/** What the task runs with. Refuses (422) what it cannot. */
function readGiven(task: Task, body: CreateEnvironment) {
	const inputs = readInputs(task, body.inputs ?? {});
	if ('errors' in inputs) {
		refuseInvalid(inputs.errors);
	}

	if (typeof body.timeout_sec === 'number' && body.timeout_sec < 1) {
		refuseInvalid([{loc: ['body', 'timeout_sec'], msg: 'must be at least 1', type: 'too_small'}]);
	}

	const modelOverrides = body.model_overrides ?? {};
	if (JSON.stringify(modelOverrides).length > largestOverrides) {
		const msg = `are longer than ${largestOverrides} characters`;
		refuseInvalid([{loc: ['body', 'model_overrides'], msg, type: 'too_big'}]);
	}

	return {inputs: inputs.values, modelOverrides};
}

async function findSecrets({sandboxes}: Services, organization: string, given: readonly string[]) {
	const ids = [...new Set(given)];
	const secrets = await readSecrets(sandboxes.secrets, organization, ids);
	if ('unknown' in secrets) {
		const index = given.indexOf(ids[secrets.unknown] ?? '');
		const msg = 'is no secret of this organization';
		refuseInvalid([{loc: ['body', 'secret_ids', index], msg, type: 'unknown_secret'}]);
	}

	return secrets.values;
}

/** Resolves with the promise, or after `time` milliseconds without it. */
async function atMost(promise: Promise<void>, time: number): Promise<void> {
	const waiting = new AbortController();
	await Promise.race([promise, sleep(time, undefined, {signal: waiting.signal}).catch(() => undefined)]);
	waiting.abort();
}

/** Its execute token is made here and nothing of it is kept: no operation of this server takes one. */
function responseOf(row: EnvironmentRow): TaskEnvironment {
	return {
		id: row.id,
		state: row.state,
		task_ref: row.task_ref,
		created_at: row.created_at,
		expires_at: row.expires_at,
		error: row.error,
		execute_token: row.state === 'failed' || row.state === 'torn_down' ? null : makeToken('execute').token.reveal(),
		instruction: row.instruction,
		service_urls: JSON.parse(row.service_urls),
		task_verification: row.verification === null ? null : JSON.parse(row.verification),
	};
}
