import type {IncomingMessage} from 'node:http';
import {sql} from 'kysely';
import {type EnvironmentState, isOver} from '../../contract/resources/environment.ts';
import {isUuid} from '../../core/uuid.ts';
import {kindOfToken} from '../accounts/token.ts';
import type {Services} from '../handlers/services.ts';
import {authenticate} from '../http/authenticate.ts';
import {authorize, type Principal} from '../kit/authorize.ts';
import {reject, rejectNotFound} from '../kit/http-error.ts';
import {findExecuteTokenUser} from '../sandboxes/execute-token.ts';
import {isHttp, runtimeServices} from '../sandboxes/service-urls.ts';
import type {ServiceAddresses} from '../sandboxes/task-plan.ts';
import type {CredentialPlace} from './service-headers.ts';
import type {ServiceTarget} from './service-target.ts';

/** The cookie with which a browser sends an execute token to one service. */
export const tokenCookie = 'service-sandbox';

/** A service of a sandbox that runs. */
export type RunningService = {
	readonly environmentId: string;
	/** The provider's id of the sandbox, and the machine where it runs. */
	readonly sandboxId: string;
	readonly machine: string;
	/** The port inside. */
	readonly port: number;
	readonly isTls: boolean;
};

/** A caller who may reach a service, and what proved it. */
export type Access = {
	readonly service: RunningService;
	readonly caller: Principal;
	readonly credential: CredentialPlace;
	/** The execute token to keep in a cookie, because it came in the query. */
	readonly tokenToKeep: string | undefined;
};

type Given = {readonly token: string; readonly credential: CredentialPlace};

const noCredential =
	'Send an API key, a token or the execute token of the sandbox as Authorization: Bearer. In a browser, add ?execute_token=… to the address.';

/**
 * Returns the service that a request may reach. Rejects with 401 without a valid credential, with 404 if its caller sees no such
 * service, and with 409 if the sandbox doesn't run.
 */
export async function accessService(
	services: Services,
	target: ServiceTarget,
	{headers}: Pick<IncomingMessage, 'headers'>,
): Promise<Access> {
	const given = findCredential(target, headers);
	if (!given) {
		rejectCaller();
	}

	const {credential, token} = given;
	const environment = await findEnvironment(services, target.environmentId);
	const caller =
		kindOfToken(token) === 'execute'
			? await callerByExecuteToken(services, target.environmentId, token)
			: await callerByCredential(services, token, environment);
	return {
		service: serviceOf(environment ?? rejectNotFound(), target.service),
		caller,
		credential,
		tokenToKeep: credential === 'cookie' && target.token === token ? token : undefined,
	};
}

function rejectCaller(): never {
	return reject(401, noCredential, {headers: {'www-authenticate': 'Bearer'}});
}

const accepted: readonly unknown[] = ['api-key', 'access', 'execute'];

/** Returns the first credential of this server in a request; a service may have others, in the same headers. */
function findCredential({token}: ServiceTarget, headers: IncomingMessage['headers']): Given | undefined {
	const [, bearer] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
	const cookies = (headers.cookie ?? '').split(/;\s*/).map(pair => pair.split('='));
	const candidates: ReadonlyArray<readonly [CredentialPlace, string | undefined]> = [
		['bearer', bearer],
		['api-key', [headers['x-api-key']].flat()[0]],
		['cookie', token],
		['cookie', cookies.find(([name]) => name === tokenCookie)?.[1]],
	];
	for (const [credential, value] of candidates) {
		const kind = value === undefined ? undefined : kindOfToken(value);
		if (value !== undefined && accepted.includes(kind) && (credential !== 'cookie' || kind === 'execute')) {
			return {credential, token: value};
		}
	}

	return undefined;
}

async function callerByExecuteToken(services: Services, environmentId: string, token: string): Promise<Principal> {
	const userId = await findExecuteTokenUser(services, environmentId, token);
	return userId === undefined ? rejectCaller() : {userId, apiKeyId: null};
}

async function callerByCredential(
	services: Services,
	token: string,
	environment: FoundEnvironment | undefined,
): Promise<Principal> {
	const request = new Request('http://127.0.0.1/', {headers: {authorization: `Bearer ${token}`}});
	const caller = await authenticate(services, request, {org: environment?.org, workspace: environment?.workspace});
	if (!caller) {
		rejectCaller();
	}

	if (!environment || !caller.scope) {
		rejectNotFound();
	}

	return authorize('getEnvironment', caller.scope.role)
		? caller.principal
		: reject(403, `The role “${caller.scope.role}” does not allow this in the organization.`);
}

export type FoundEnvironment = NonNullable<Awaited<ReturnType<typeof findEnvironment>>>;

/**
 * Returns an environment with its sandbox and the slugs of its place, or a runtime as one, whose state follows from its status;
 * undefined for an unknown id.
 */
export async function findEnvironment({database}: Pick<Services, 'database'>, id: string) {
	if (!isUuid(id)) {
		return undefined;
	}

	const row = await database
		.selectFrom(({selectFrom}) =>
			selectFrom('environments')
				.select(['id', 'organization_id', 'workspace_id', 'sandbox_id', 'state', 'service_urls'])
				.select(sql<Status | null>`null`.as('status'))
				.where('id', '=', id)
				.unionAll(
					selectFrom('runtimes')
						.select(['id', 'organization_id', 'workspace_id', 'sandbox_id'])
						.select([sql<EnvironmentState>`null`.as('state'), sql<string>`null`.as('service_urls'), 'status'])
						.where('id', '=', id),
				)
				.as('place'),
		)
		.innerJoin('organizations', 'organizations.id', 'place.organization_id')
		.innerJoin('workspaces', 'workspaces.id', 'place.workspace_id')
		.leftJoin('sandboxes', 'sandboxes.id', 'place.sandbox_id')
		.select(['place.id', 'place.state', 'status', 'service_urls', 'sandbox_url'])
		.select(['sandboxes.id as sandbox_id', 'machine', 'organizations.slug as org', 'workspaces.slug as workspace'])
		.executeTakeFirst();
	return row?.status
		? {...row, state: stateOf[row.status], service_urls: JSON.stringify(runtimeServices(row.sandbox_url))}
		: row;
}

const stateOf = {running: 'ready', paused: 'paused', idle: 'torn_down'} as const;

type Status = keyof typeof stateOf;

/** Returns a service of an environment. Rejects with 404 if the task has none of this name, and with 409 if it doesn't run. */
export function serviceOf(
	{id, state, service_urls, sandbox_id, machine}: FoundEnvironment,
	name: string,
): RunningService {
	const services: ServiceAddresses = JSON.parse(service_urls);
	const address = Object.hasOwn(services, name) ? services[name] : undefined;
	if (!address || !isHttp(address.protocol)) {
		const names = Object.keys(services).filter(each => isHttp(services[each]?.protocol ?? ''));
		reject(404, `The sandbox has no HTTP service “${name.slice(0, 64)}”. It has: ${names.join(', ') || 'none'}.`);
	}

	if (isOver(state) || sandbox_id === null || machine === null) {
		reject(409, 'The sandbox has ended, and its services with it.', {type: 'conflict_error'});
	}

	if (state === 'paused') {
		reject(409, 'The sandbox is paused. Resume it to reach its services.', {type: 'conflict_error'});
	}

	return {environmentId: id, sandboxId: sandbox_id, machine, port: address.port, isTls: address.protocol === 'https'};
}
