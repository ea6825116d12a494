import {randomBytes} from 'node:crypto';
import type {Duplex, Readable} from 'node:stream';
import type {Dispatcher, Pool} from 'undici';
import * as z from 'zod/mini';
import type {Environment} from '../../../core/environment.ts';
import {AppError} from '../../../core/error.ts';
import {isDeeper, parseJson} from '../../../core/json.ts';
import {isRetryableStatus, parseRetryAfter, type RetryClock, systemClock, withRetry} from '../../../net/retry.ts';
import {codeOf, lineOf, whyUnreached} from '../engine-message.ts';
import {createIdentity, type Identity} from './cluster-credentials.ts';
import {grantCommand} from './cluster-role.ts';
import type {ClusterAccess} from './kubeconfig.ts';

/** What is asked for, with its place in the API. */
const resources = {
	namespaces: {api: '/api/v1', group: ''},
	pods: {api: '/api/v1', group: ''},
	persistentvolumeclaims: {api: '/api/v1', group: ''},
	networkpolicies: {api: '/apis/networking.k8s.io/v1', group: 'networking.k8s.io'},
	sandboxes: {api: '/apis/agents.x-k8s.io/v1beta1', group: 'agents.x-k8s.io'},
} as const;

export type ResourceName = keyof typeof resources;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/**
 * A request. Each may be sent again after a failure: names are ours, so that what exists already is found by its name
 * (409), and a patch says how a thing shall be.
 */
export type ClusterRequest = {
	readonly method: Method;
	readonly resource: ResourceName;
	readonly name?: string;
	readonly part?: 'log' | 'exec';
	readonly query?: Readonly<Record<string, string>> | URLSearchParams;
	/** JSON; of a PATCH, a merge patch (RFC 7386). */
	readonly body?: object;
};

/** An answer of the API server, whatever its status. */
export type ClusterAnswer = {
	readonly status: number;
	/** The word for a refusal, such as NotFound or AlreadyExists; empty for an answer that the API server didn't give. */
	readonly reason: string;
	/** What it says about a refusal, in a line. */
	readonly message: string;
	/** Reads the answer as JSON. Throws AppError("network") if it is something else. */
	readonly read: <Schema extends z.ZodMiniType>(schema: Schema) => Promise<z.output<Schema>>;
};

/** Requests to a cluster. Each throws AppError("network") if that can't be reached, stalls or answers something else. */
export type ClusterClient = {
	/** Where it is, as users know it. */
	readonly address: string;
	readonly namespace: string;
	readonly ask: (request: ClusterRequest) => Promise<ClusterAnswer>;
	/** Returns whether the cluster serves this resource. */
	readonly serves: (resource: ResourceName) => Promise<boolean>;
	/** Returns the version of the cluster. */
	readonly version: () => Promise<string>;
	/** Begins to read an answer that may go on for ever; `signal` ends it. Refusals have no body. */
	readonly follow: (request: ClusterRequest, signal: AbortSignal) => Promise<FollowedAnswer>;
	/** Opens a WebSocket, with one of the protocols. Throws what `refusal` returns. */
	readonly connect: (request: ClusterRequest, protocols: readonly string[]) => Promise<OpenSocket>;
	/** Returns the error for an answer that refuses: `Kubernetes couldn’t <verb>: <reason>.` */
	readonly refusal: (verb: string, request: ClusterRequest, answer: Refused) => AppError;
	readonly close: () => Promise<void>;
};

export type FollowedAnswer = {
	readonly status: number;
	readonly reason: string;
	readonly message: string;
	readonly body: AsyncIterable<Buffer>;
};

export type OpenSocket = {readonly socket: Duplex; readonly protocol: string};

type Refused = Pick<ClusterAnswer, 'status' | 'reason' | 'message'>;

type Options = {
	readonly access: ClusterAccess;
	/** The environment of a program that gives credentials. */
	readonly env: Environment;
	/** How long the cluster may take to answer, and to go on with an answer. */
	readonly timeoutMs?: number;
	readonly clock?: RetryClock;
};

const connectTimeoutMs = 10_000;

/** Requests at once. Others wait. What is followed has connections of its own. */
const maxConnections = 32;

/** Limits of an answer that is read as a whole. */
const maxBytes = 16 * 1024 * 1024;
const maxDepth = 60;
const mediaTypes = {POST: 'application/json', PATCH: 'application/merge-patch+json', DELETE: 'application/json'};

/** Creates a client, which connects with its first request. */
export function createClusterClient({access, env, timeoutMs = 30_000, clock = systemClock}: Options): ClusterClient {
	const address = access.server.host;
	const base = access.server.pathname.replace(/\/$/, '');
	const {namespace} = access;
	const identity = createIdentity(access.credentials, {env});
	const connections = createConnections(access, timeoutMs);
	const closing = new AbortController();
	const unreachable = (error: unknown) =>
		error instanceof AppError
			? error
			: new AppError('network', `Kubernetes at ${address} doesn’t answer: ${whyOf(error)}.`, {cause: error});
	const pathOf = ({resource, name, part, query}: ClusterRequest) => {
		const {api} = resources[resource];
		const place = resource === 'namespaces' ? '' : `/namespaces/${namespace}`;
		const parts = [name, part].flatMap(each => (each === undefined ? [] : [`/${encodeURIComponent(each)}`]));
		const search = new URLSearchParams(query).toString();
		return `${base}${api}${place}/${resource}${parts.join('')}${search && `?${search}`}`;
	};
	/** Sends a request as whoever this server is now; if the cluster refuses that, once more after a look at the credentials. */
	const send = async (
		path: string,
		{method, body}: Pick<ClusterRequest, 'method' | 'body'>,
		{signal, isFollowed = false}: {readonly signal?: AbortSignal; readonly isFollowed?: boolean} = {},
	) => {
		for (let attempt = 0; ; attempt += 1) {
			const who = await identity.current();
			const {pool, request} = await connections.open(who, isFollowed);
			try {
				const response = await request.call(pool, {
					method,
					path,
					headers: {...headersFor(who), ...(body && {'content-type': mediaTypes[method as 'POST']})},
					...(body && {body: JSON.stringify(body)}),
					headersTimeout: timeoutMs,
					bodyTimeout: isFollowed ? 0 : timeoutMs,
					...(signal && {signal}),
				});
				// Who reads it gets the error; one that is left unread has none to tell.
				response.body.on('error', () => undefined);
				if (response.statusCode !== 401 || attempt > 0) {
					return response;
				}

				await response.body.dump();
				identity.forget();
			} catch (error) {
				throw signal?.aborted ? error : unreachable(error);
			}
		}
	};
	const readText = async (body: Readable): Promise<string> => {
		// The cluster may send a little from time to time, for ever.
		const timer = setTimeout(() => body.destroy(new Error('its answer takes too long')), timeoutMs);
		try {
			const parts: Buffer[] = [];
			let bytes = 0;
			for await (const part of body as AsyncIterable<Buffer>) {
				parts.push(part);
				bytes += part.length;
				if (bytes > maxBytes) {
					throw new Error(`its answer is longer than ${maxBytes / 1024 ** 2} MB`);
				}
			}

			return Buffer.concat(parts).toString('utf8');
		} catch (error) {
			throw unreachable(error);
		} finally {
			clearTimeout(timer);
			body.destroy();
		}
	};
	const parse = <Schema extends z.ZodMiniType>(text: string, schema: Schema, what: string) => {
		const json = parseJson(text);
		const {data, success} = schema.safeParse(isDeeper(json ?? null, maxDepth) ? undefined : json);
		if (!success) {
			throw new AppError('network', `Kubernetes at ${address} gave no proper answer to ${what}.`);
		}

		return data;
	};
	const askOnce = async (path: string, sent: Pick<ClusterRequest, 'method' | 'body'>): Promise<ClusterAnswer> => {
		const {statusCode: status, headers, body} = await send(path, sent);
		const text = await readText(body);
		const refused = status < 400 ? {reason: '', message: ''} : refusalIn(text);
		if (status >= 400 && isRetryableStatus(status)) {
			throw new RetryableAnswer(
				{status, ...refused},
				parseRetryAfter({'retry-after': String(headers['retry-after'] ?? '')}, Date.now()),
			);
		}

		const what = `${sent.method} ${path.split('?')[0]}`;
		return {status, ...refused, read: async schema => parse(text, schema, what)};
	};
	const ask = async (path: string, sent: Pick<ClusterRequest, 'method' | 'body'>): Promise<ClusterAnswer> => {
		try {
			return await withRetry(() => askOnce(path, sent), {isRetryable, clock, signal: closing.signal});
		} catch (error) {
			if (!(error instanceof RetryableAnswer)) {
				throw error;
			}

			const {answer} = error;
			throw new AppError(
				'network',
				`Kubernetes at ${address} is ${answer.status === 429 ? 'busy' : 'not well'}: ${answer.message || `status ${answer.status}`}.`,
				{temporary: true, cause: error},
			);
		}
	};
	const refusal: ClusterClient['refusal'] = (verb, request, {status, message}) => {
		if (status === 403) {
			return forbidden(request, namespace, message);
		}

		if (status === 401) {
			return new AppError('failed', `Kubernetes at ${address} doesn’t accept the credentials of this server.`, {
				hint: 'Look at the user in the kubeconfig, or at the service account of the pod.',
			});
		}

		return new AppError('failed', `Kubernetes couldn’t ${verb}: ${message || `status ${status}`}.`);
	};

	return {
		address,
		namespace,
		refusal,
		ask: request => ask(pathOf(request), request),
		async serves(resource) {
			const answer = await ask(`${base}${resources[resource].api}`, {method: 'GET'});
			if (answer.status === 404) {
				return false;
			}

			if (answer.status !== 200) {
				throw refusal(`say whether it has ${resource}`, {method: 'GET', resource}, answer);
			}

			const {resources: served} = await answer.read(servedSchema);
			return served.some(({name}) => name === resource);
		},
		async version() {
			const answer = await ask(`${base}/version`, {method: 'GET'});
			return answer.status === 200 ? (await answer.read(versionSchema)).gitVersion : '';
		},
		async follow(request, signal) {
			const {statusCode: status, body} = await send(pathOf(request), request, {signal, isFollowed: true});
			const refused = status < 400 ? {reason: '', message: ''} : refusalIn(await readText(body));
			return {status, ...refused, body: status < 400 ? body : none()};
		},
		async connect(request, protocols) {
			const path = pathOf(request);
			const who = await identity.current();
			const {pool, upgrade} = await connections.open(who, true);
			const key = randomBytes(16).toString('base64');
			const headers = {
				...headersFor(who),
				'sec-websocket-key': key,
				'sec-websocket-version': '13',
				'sec-websocket-protocol': protocols.join(', '),
			};
			try {
				const options = {method: 'GET', path, headers, protocol: 'websocket', headersTimeout: timeoutMs} as const;
				const opened = await upgrade.call(pool, options as Dispatcher.UpgradeOptions);
				return {socket: opened.socket, protocol: String(opened.headers['sec-websocket-protocol'] ?? '')};
			} catch (error) {
				// A refusal has lost its words here. Without the upgrade, the cluster says them again.
				const answer = await ask(path, {method: 'GET'});
				const isRefused = answer.status === 403 || answer.status === 404 || answer.status === 401;
				throw isRefused ? refusal('run a program in the sandbox', request, answer) : unreachable(error);
			}
		},
		async close() {
			closing.abort();
			await connections.close();
		},
	};
}

/** An answer after which the same request may succeed. */
class RetryableAnswer extends AppError {
	readonly answer: Refused;

	constructor(answer: Refused, retryAfter: number | undefined) {
		super('network', answer.message, {...(retryAfter !== undefined && {retryAfter})});
		this.answer = answer;
	}
}

/** Connections that a server or something in between closed, maybe because they were idle. */
const brokenCodes: readonly string[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

const isRetryable = (error: unknown) =>
	error instanceof RetryableAnswer || (error instanceof AppError && brokenCodes.includes(codeOf(error.cause)));

const verbs: Readonly<Record<Method, string>> = {GET: 'get', POST: 'create', PATCH: 'patch', DELETE: 'delete'};

function forbidden(request: ClusterRequest, namespace: string, message: string): AppError {
	const {method, resource, name, part} = request;
	const isWatch = new URLSearchParams(request.query).has('watch');
	const verb = method === 'GET' && name === undefined ? (isWatch ? 'watch' : 'list') : verbs[method];
	const {group} = resources[resource];
	const what = `${resource}${part ? `/${part}` : ''}`;
	// An admission policy forbids, too, in its own words.
	const isPolicy = message !== '' && !/ cannot \w+ resource /.test(message);
	return isPolicy
		? new AppError('failed', `Kubernetes forbids to ${verb} ${what} in ${namespace}: ${message}.`)
		: new AppError('failed', `This server may not ${verb} ${what} in the namespace ${namespace}.`, {
				hint: `Grant it with a role, such as: ${grantCommand(namespace, verb, group ? `${resource}.${group}` : what)}`,
			});
}

async function* none(): AsyncGenerator<Buffer> {
	// A refusal has nothing to read.
}

function headersFor({token}: Identity): Readonly<Record<string, string>> {
	return {accept: 'application/json', ...(token && {authorization: `Bearer ${token.reveal()}`})};
}

/** Connections for one identity at a time: a new certificate takes new ones. */
function createConnections({server, ca, serverName}: ClusterAccess, timeoutMs: number) {
	let opened: {readonly cert: string | undefined; readonly short: Pool; readonly long: Pool} | undefined;
	return {
		async open({cert, key}: Identity, isLong: boolean) {
			const [{default: UndiciPool}, {default: request}, {default: upgrade}] = await Promise.all([
				import('undici/lib/dispatcher/pool.js'),
				import('undici/lib/api/api-request.js'),
				import('undici/lib/api/api-upgrade.js'),
			]);
			if (!opened || opened.cert !== cert) {
				const tls = {ca, cert, key: key?.reveal(), servername: serverName};
				const given = Object.entries(tls).filter(([, value]) => value !== undefined);
				const connect = {timeout: connectTimeoutMs, ...Object.fromEntries(given)};
				const limits = {headersTimeout: timeoutMs, bodyTimeout: timeoutMs, pipelining: 1, connect};
				const before = opened;
				opened = {
					cert,
					short: new UndiciPool(server.origin, {...limits, connections: maxConnections}),
					long: new UndiciPool(server.origin, {...limits, connections: null}),
				};
				// What was sent with the earlier one comes to its end.
				void before?.short.close();
				void before?.long.close();
			}

			return {pool: isLong ? opened.long : opened.short, request, upgrade};
		},
		async close() {
			await Promise.all([opened?.short.destroy(), opened?.long.destroy()]);
		},
	};
}

const servedSchema = z.object({resources: z.array(z.object({name: z.string()}))});

const versionSchema = z.object({gitVersion: z.string().check(z.maxLength(100))});

/** `Status` of the API: what it says of a refusal. */
const statusSchema = z.object({
	kind: z.literal('Status'),
	reason: z.optional(z.string()),
	message: z.optional(z.string()),
});

function refusalIn(text: string): {readonly reason: string; readonly message: string} {
	const {data} = statusSchema.safeParse(parseJson(text));
	return {reason: data?.reason ?? (data ? 'Unknown' : ''), message: lineOf(data?.message ?? '')};
}

const whyByCode: Readonly<Record<string, string>> = {
	DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not the one of the kubeconfig',
	SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not the one of the kubeconfig',
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not the one of the kubeconfig',
	UND_ERR_DESTROYED: 'the connection was closed',
};

const whyOf = (error: unknown) => whyUnreached(error, whyByCode);
