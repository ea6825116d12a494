import {spawn} from 'node:child_process';
import type {Socket} from 'node:net';
import {Duplex, type Readable} from 'node:stream';
import type {buildConnector, Dispatcher, Pool} from 'undici';
import * as z from 'zod/mini';
import type {Environment} from '../../../core/environment.ts';
import {AppError} from '../../../core/error.ts';
import {isDeeper, type Json, parseJson} from '../../../core/json.ts';
import {once} from '../../../core/once.ts';
import {lineOf, maxMessageLength, whyUnreached} from '../engine-message.ts';
import {type EngineAddress, formatAddress} from './engine-address.ts';
import {versionSchema} from './engine-answers.ts';

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

export type EngineRequest = {
	readonly method: Method;
	/** Below the version, with its query: `/containers/json?all=1`. */
	readonly path: string;
	/** Sent as JSON, or as a tar archive if it is bytes. */
	readonly body?: object | Buffer;
	/** Whether the engine works for a while before it answers: it may take three times as long. */
	readonly isLong?: boolean;
	/** How long it waits beyond that, because it was told to, in milliseconds. */
	readonly extraMs?: number;
};

/** An answer of the engine, whatever its status. */
export type EngineAnswer = {
	readonly status: number;
	/** What the engine says about a refusal, in a line; empty otherwise. */
	readonly reason: string;
	/** Reads the answer as JSON. Throws AppError("network") if it is something else, or too long. */
	readonly read: <Schema extends z.ZodMiniType>(schema: Schema) => Promise<z.output<Schema>>;
};

export type EngineVersion = {readonly name: string; readonly version: string};

/** Requests to an engine. Each throws AppError("network") if that can't be reached, stalls or answers something else. */
export type EngineClient = {
	/** Where it is, as users write it. */
	readonly address: string;
	readonly version: () => Promise<EngineVersion>;
	readonly ask: (request: EngineRequest) => Promise<EngineAnswer>;
	/** Sends a request for a long answer, which must be read, at least in part. Undefined is a status of 404. */
	readonly stream: (request: EngineRequest) => Promise<AsyncGenerator<Buffer> | undefined>;
	/** Sends a request after which the connection is a stream of bytes in both directions. */
	readonly upgrade: (request: EngineRequest) => Promise<Duplex>;
	/** Returns the error for an answer that refuses: `Docker couldn't <verb>: <reason>.` */
	readonly refusal: (verb: string, answer: Pick<EngineAnswer, 'status' | 'reason'>) => AppError;
	readonly close: () => Promise<void>;
};

type Options = {
	readonly address: EngineAddress;
	/** The environment of `ssh`. */
	readonly env: Environment;
	/** How long the engine may take to answer, and to go on with an answer. */
	readonly timeoutMs?: number;
};

/** The newest version of the API that we know; older engines get their own. */
const newestMinor = 47;

const connectTimeoutMs = 10_000;

const longFactor = 3;

/** How much longer a stream may take than an answer. */
const streamFactor = 10;

/** Requests at once. Others wait. */
const maxConnections = 64;

/** Limits of an answer that is read as a whole. */
const maxBytes = 16 * 1024 * 1024;
const maxDepth = 40;

/** Creates a client, which connects with its first request. */
export function createEngineClient({address: place, env, timeoutMs = 30_000}: Options): EngineClient {
	const address = formatAddress(place);
	const unreachable = (error: unknown) =>
		error instanceof AppError
			? error
			: new AppError('network', `Docker’s API at ${address} doesn’t answer: ${whyOf(error)}.`, {cause: error});
	const open = once(() => openPool(place, env, timeoutMs));
	const limitOf = ({isLong = false, extraMs = 0}: EngineRequest) => timeoutMs * (isLong ? longFactor : 1) + extraMs;
	const send = async (sent: EngineRequest) => {
		const {method, path, body} = sent;
		const limitMs = limitOf(sent);
		const {pool, request} = await open();
		try {
			const response = await request.call(pool, {
				...messageFor(method, path, body),
				headersTimeout: limitMs,
				bodyTimeout: limitMs,
			});
			// Who reads it gets the error; one that is left unread has none to tell.
			response.body.on('error', () => undefined);
			return response;
		} catch (error) {
			throw unreachable(error);
		}
	};
	async function* read(body: Readable, limitMs: number): AsyncGenerator<Buffer> {
		// The engine may send a little from time to time, for ever.
		const timer = setTimeout(() => body.destroy(new Error('its answer takes too long')), limitMs);
		try {
			yield* body;
		} catch (error) {
			throw unreachable(error);
		} finally {
			clearTimeout(timer);
			body.destroy();
		}
	}
	const readText = async (body: Readable, limitMs = timeoutMs): Promise<string> => {
		const parts: Buffer[] = [];
		let bytes = 0;
		for await (const part of read(body, limitMs)) {
			parts.push(part);
			bytes += part.length;
			if (bytes > maxBytes) {
				throw unreachable(new Error(`its answer is longer than ${maxBytes / 1024 ** 2} MB`));
			}
		}

		return Buffer.concat(parts).toString('utf8');
	};
	const parse = <Schema extends z.ZodMiniType>(text: string, schema: Schema, {method, path}: EngineRequest) => {
		const json = parseJson(text);
		const {data, success} = schema.safeParse(isDeeper(json ?? null, maxDepth) ? undefined : json);
		if (!success) {
			const what = `${method} ${path.split('?')[0]}`;
			throw new AppError('network', `Docker’s API at ${address} gave no proper answer to ${what}.`);
		}

		return data;
	};
	const askAt = async (request: EngineRequest): Promise<EngineAnswer> => {
		const {statusCode: status, body} = await send(request);
		const text = await readText(body, limitOf(request));
		return {status, reason: status < 400 ? '' : reasonIn(text), read: async schema => parse(text, schema, request)};
	};
	const findVersion = once(async () => {
		const answer = await askAt({method: 'GET', path: '/version'});
		if (answer.status !== 200) {
			throw refusal('say its version', answer);
		}

		const {ApiVersion, Version = '', Components} = await answer.read(versionSchema);
		const minor = Math.min(Number(ApiVersion.split('.')[1]), newestMinor);
		const isPodman = Components?.some(({Name}) => Name.includes('Podman')) ?? false;
		return {name: isPodman ? 'Podman' : 'Docker', version: Version, prefix: `/v1.${minor}`};
	});
	const versioned = async (request: EngineRequest) => ({
		...request,
		path: `${(await findVersion()).prefix}${request.path}`,
	});
	const refusal: EngineClient['refusal'] = (verb, {status, reason}) =>
		new AppError('failed', `Docker couldn’t ${verb}: ${reason || `status ${status}`}.`);

	return {
		address,
		version: findVersion,
		refusal,
		ask: async request => await askAt(await versioned(request)),
		async stream(request) {
			const sent = await versioned(request);
			const {statusCode: status, body} = await send(sent);
			if (status === 200) {
				return read(body, streamFactor * timeoutMs);
			}

			const reason = reasonIn(await readText(body));
			if (status === 404) {
				return undefined;
			}

			throw refusal('read a stream', {status, reason});
		},
		async upgrade(request) {
			const {path, method, body} = await versioned(request);
			const {pool, upgrade} = await open();
			try {
				const message = {...messageFor(method, path, body), protocol: 'tcp', headersTimeout: timeoutMs};
				return (await upgrade.call(pool, message)).socket;
			} catch (error) {
				throw unreachable(error);
			}
		},
		close: async () => (await open()).pool.destroy(),
	};
}

async function openPool(address: EngineAddress, env: Environment, timeoutMs: number) {
	const [{default: UndiciPool}, {default: request}, {default: upgrade}] = await Promise.all([
		import('undici/lib/dispatcher/pool.js'),
		import('undici/lib/api/api-request.js'),
		import('undici/lib/api/api-upgrade.js'),
	]);
	const limits = {connections: maxConnections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs, pipelining: 1};
	const pool: Pool = new UndiciPool(originOf(address), {...limits, connect: connectorOf(address, env)});
	return {pool, request, upgrade};
}

function originOf(address: EngineAddress): string {
	return address.kind === 'tcp' ? `${address.tls ? 'https' : 'http'}://${address.host}` : 'http://docker';
}

function connectorOf(address: EngineAddress, env: Environment): Pool.Options['connect'] {
	switch (address.kind) {
		case 'unix':
			return {socketPath: address.path, timeout: connectTimeoutMs};
		case 'tcp':
			return {timeout: connectTimeoutMs, ...address.tls};
		default:
			return (_options, callback) => connectBySsh(address, env, callback);
	}
}

/** Variables that `ssh` needs to find its configuration, its keys and its agent. */
const sshVariables = ['HOME', 'PATH', 'SSH_AUTH_SOCK', 'USER', 'LOGNAME', 'LANG'];

/** Connects as Docker's own client does: through a program on the other machine, which relays to the socket there. */
function connectBySsh(
	{destination, port}: EngineAddress & {kind: 'ssh'},
	env: Environment,
	callback: buildConnector.Callback,
): void {
	const options = ['-T', '-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', ...(port === undefined ? [] : ['-p', port])];
	const child = spawn('ssh', [...options, '--', destination, 'docker', 'system', 'dial-stdio'], {
		env: Object.fromEntries(sshVariables.flatMap(name => (env[name] === undefined ? [] : [[name, env[name]]]))),
		stdio: ['pipe', 'pipe', 'pipe'],
	});
	let complaint = '';
	child.stderr.on('data', (part: Buffer) => {
		complaint = `${complaint}${part}`.slice(-maxMessageLength);
	});
	const socket = new Duplex({
		read: () => void child.stdout.resume(),
		// What was not taken is said by how ssh ends.
		write: (part, encoding, done) => void child.stdin.write(part, encoding, () => done()),
		final: done => void child.stdin.end(done),
		destroy(error, done) {
			child.kill();
			done(error);
		},
	});
	child.stdout.on('data', part => {
		if (!socket.push(part)) {
			child.stdout.pause();
		}
	});
	child.stdin.on('error', () => undefined);
	child.once('error', error => socket.destroy(error));
	child.once('close', status => {
		socket.push(null);
		if (status !== 0) {
			socket.destroy(new Error(lastLine(complaint) || `ssh ended with status ${status}`));
		}
	});
	// undici asks only for what every stream has. It isn't ready for a callback at once.
	setImmediate(() => callback(null, socket as Duplex as Socket));
}

const lastLine = (text: string) => text.trim().split('\n').at(-1)?.trim() ?? '';

function messageFor(method: Method, path: string, body: EngineRequest['body']): Dispatcher.RequestOptions {
	if (body === undefined) {
		return {method, path};
	}

	return Buffer.isBuffer(body)
		? {method, path, body, headers: {'content-type': 'application/x-tar'}}
		: {method, path, body: JSON.stringify(body), headers: {'content-type': 'application/json'}};
}

const errorSchema = z.object({message: z.string()});

/** Returns what the engine says, in a line without a stop at its end. */
function reasonIn(text: string): string {
	const {data} = errorSchema.safeParse(parseJson(text) satisfies Json | undefined);
	return lineOf(data?.message ?? '');
}

const whyByCode: Readonly<Record<string, string>> = {
	ENOENT: 'there is no such socket',
	EACCES: 'this user has no permission for the socket',
};

const whyOf = (error: unknown) => whyUnreached(error, whyByCode);
