import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {sql} from 'kysely';
import type {RequestOf} from '../../contract/endpoint.ts';
import type {endpoints} from '../../contract/endpoints.ts';
import {isOver, type TaskEnvironment} from '../../contract/resources/environment.ts';
import {isEndedSql} from '../database/migrations/020-indexes.ts';
import {reject, rejectField, rejectInvalid, rejectNotFound} from '../kit/http-error.ts';
import {admitEnvironment} from '../sandboxes/admit-environment.ts';
import {endEnvironment, findEnvironment, prepareEnvironment} from '../sandboxes/environment-state.ts';
import type {EnvironmentRow} from '../sandboxes/environment-transition.ts';
import {createExecuteToken} from '../sandboxes/execute-token.ts';
import {assertSameMachine} from '../sandboxes/provider-fault.ts';
import {readLog} from '../sandboxes/read-log.ts';
import type {SandboxServices} from '../sandboxes/sandboxing.ts';
import {asReached, type PublicServices, publicInstruction, publicServices} from '../sandboxes/service-urls.ts';
import {planTask} from '../sandboxes/task-plan.ts';
import {readInputs, unknownInput} from '../tasks/inputs.ts';
import type {Task} from '../tasks/task.ts';
import type {Handlers} from './handler.ts';
import {filterProjectId, keptTotal, projectIdOf, readLongPage, sortBy} from './page.ts';
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
	async createEnvironment({body}, {principal, scope, services, request}) {
		const {organization, workspace} = scope;
		const {database, sandboxes} = services;
		const task = await findTask(services, body.task_ref, organization.slug);
		const projectId = await projectIdOf(database, workspace.id, body.project_id);
		const {inputs, requestedSeconds, modelOverrides} = readOptions(task, body);
		const secrets = await findSecrets(services, organization.slug, body.secret_ids ?? []);
		const plan = await planTask(sandboxes.provider, task, {inputs, modelOverrides, secrets});
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
		const deadline = {after: seconds * 1000, action: 'end'} as const;
		const specOf = () => plan.specOf({id: sandboxId, organization: organization.id, deadline});
		const prepared = sandboxes.background.run(id, signal => prepareEnvironment(services, id, specOf, signal));
		await waitAtMost(prepared, sandboxes.policy.startTimeoutMs);
		const row = await findEnvironment(services, id);
		return environmentResponse(asReached(services, request), row, await createExecuteToken(services, row, principal));
	},

	async getEnvironmentLogs({params}, {scope, services, request, headers}) {
		const environmentId = params.environmentId.toLowerCase();
		return await respondWithLog(services, {environmentId, workspaceId: scope.workspace.id}, {request, headers});
	},

	/** Running environments first, then newest first. */
	async listEnvironments({query}, context) {
		const {scope, services, request} = context;
		const {database} = services;
		const reached = asReached(services, request);
		const projectId = filterProjectId(scope, query.project);
		const scopeId = projectId ?? scope.workspace.id;
		const {items, ...page} = await readLongPage(context, query, {
			matches: [
				database
					.selectFrom('environments')
					.where(projectId === undefined ? 'workspace_id' : 'project_id', '=', scopeId),
			],
			count: keptTotal(database, {list: 'environments', scopeId}),
			order: [
				{by: sql.raw(isEndedSql), direction: 'asc'},
				sortBy('environments.created_at', 'desc'),
				sortBy('environments.id'),
			],
			rowsOf: ids =>
				database
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
					.where('environments.id', 'in', ids),
		});
		return {
			...page,
			items: items.map(row => ({
				...row,
				service_urls: publicServices(reached, row),
				// An ended environment doesn't expire any more.
				expires_at: isOver(row.state) ? null : row.expires_at,
			})),
		};
	},

	async getEnvironment({params: {environmentId}}, {scope, services, request}) {
		const row = await services.database
			.selectFrom('environments')
			.selectAll()
			.where('id', '=', environmentId.toLowerCase())
			.where('workspace_id', '=', scope.workspace.id)
			.executeTakeFirst();
		return row ? environmentResponse(asReached(services, request), row) : rejectNotFound();
	},

	/** Responds once no process of the sandbox runs. */
	async stopEnvironment({params: {environmentId}}, {principal, scope, services, request}) {
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
		return environmentResponse(asReached(services, request), await findEnvironment(services, found.id));
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

/** Returns an environment as the API defines it. `executeToken` is only for its creator. */
function environmentResponse(
	services: PublicServices,
	row: EnvironmentRow,
	executeToken: string | null = null,
): TaskEnvironment {
	return {
		id: row.id,
		state: row.state,
		task_ref: row.task_ref,
		created_at: row.created_at,
		// An ended environment doesn't expire any more.
		expires_at: isOver(row.state) ? null : row.expires_at,
		error: row.error,
		execute_token: executeToken,
		instruction: publicInstruction(services, row),
		service_urls: publicServices(services, row),
		task_verification: row.verification === null ? null : JSON.parse(row.verification),
	};
}

const nameShape = /^[A-Za-z_]\w{0,63}$/;
const slugShape = /^\w[\w.-]{0,199}$/;

/** Maximum bytes of a secret. */
const maxBytes = 32 * 1024;

/**
 * Reads secrets that the administrator stored in `folder`, one file each: `<organization>/<NAME>`. The name is the id
 * and the variable that contains the secret. `unknown` is the index of the first unknown id.
 */
async function readSecrets(
	folder: string | undefined,
	organization: string,
	ids: readonly string[],
): Promise<{readonly values: Readonly<Record<string, string>>} | {readonly unknown: number}> {
	const values: Record<string, string> = {};
	for (const [index, id] of ids.entries()) {
		const isName = folder !== undefined && nameShape.test(id) && slugShape.test(organization);
		const value = isName ? await readFile(join(folder, organization, id), 'utf8').catch(() => undefined) : undefined;
		if (value === undefined || value.includes('\0') || Buffer.byteLength(value) > maxBytes) {
			return {unknown: index};
		}

		values[id] = value.replace(/\r?\n$/, '');
	}

	return {values};
}

type Logged = {readonly environmentId: string; readonly workspaceId: string};

type RequestContext = {
	readonly request: Request;
	/** Headers to add to the response. */
	readonly headers: Headers;
};

/**
 * Returns the log of a sandbox, with everything needed to tail it exactly: `?after=<offset>`, `X-Log-Offset` (after the
 * last byte of `logs`, so the next `after`), `X-Log-Start` (of its first byte: more than `after` if a part is gone, any
 * value for a new log), and `ETag` with `If-None-Match`. `X-Log-Ended` is the state of an environment that has ended.
 */
async function respondWithLog(
	services: SandboxServices,
	environment: Logged,
	{request, headers}: RequestContext,
): Promise<{logs: string} | Response> {
	const after = readAfter(new URL(request.url).searchParams.get('after'));
	const {window, ended} = await readLog(services, {...environment, after});
	const {text, start, offset} = window;
	const tag = `"${start}-${offset}"`;
	headers.set('etag', tag);
	headers.set('x-log-start', String(start));
	headers.set('x-log-offset', String(offset));
	if (ended) {
		headers.set('x-log-ended', ended);
	}

	return matchesTag(request.headers.get('if-none-match'), tag)
		? new Response(null, {status: 304, headers})
		: {logs: text};
}

function readAfter(text: string | null): number | undefined {
	if (text === null) {
		return undefined;
	}

	const after = Number(text);
	if (!/^\d+$/.test(text) || !Number.isSafeInteger(after)) {
		const msg = 'must be an offset in bytes, as X-Log-Offset gave it';
		rejectField(['query', 'after'], msg, 'invalid_offset');
	}

	return after;
}

/** `If-None-Match` uses weak comparison (RFC 9110, section 13.1.2). */
function matchesTag(list: string | null, tag: string): boolean {
	const tags = (list ?? '').split(',').map(part => part.trim().replace(/^W\//, ''));
	return tags.includes('*') || tags.includes(tag);
}
