// Loaded into the program by `npm run record`: writes each request to a model, with its response, to SERVICE_RECORDING.
import {subscribe} from 'node:diagnostics_channel';
import {appendFileSync} from 'node:fs';
import process from 'node:process';
import {openConfig} from '../src/config/config.ts';
import {createKnownSecrets} from '../src/config/known-secrets.ts';
import {parseJson} from '../src/core/json.ts';
import {redact} from '../src/core/secrets/redact.ts';
import {secret} from '../src/core/secrets/secret.ts';
import {openHome} from '../src/storage/home.ts';
import {hideInChunks} from './hide-in-chunks.ts';
import {type Exchange, modelOf, modelRequest, shapeOf} from './recording.ts';

/** A request of undici, as its diagnostics channels publish it. */
type UndiciRequest = {
	readonly origin: string | URL;
	readonly method: string;
	readonly path: string;
	/** Names and values, alternating. */
	readonly headers: string[];
	readonly body: unknown;
};

type Message = {
	readonly request: UndiciRequest;
	readonly response?: {readonly statusCode: number; readonly headers: readonly Buffer[]};
	readonly chunk?: Uint8Array;
};

type Open = {
	readonly found: NonNullable<ReturnType<typeof modelRequest>>;
	readonly body: unknown;
	readonly startedAt: number;
	readonly decoder: TextDecoder;
	readonly chunks: Array<readonly [number, string]>;
	status: number;
	headers: Readonly<Record<string, string>>;
};

const {env} = process;
const file = env['SERVICE_RECORDING'] ?? '';
const secrets = createKnownSecrets(openConfig(openHome(env)), env);
const open = new Map<UndiciRequest, Open>();

function begin({request}: Message): void {
	const found = modelRequest(new URL(request.path, request.origin), env);
	if (request.method !== 'POST' || !found) {
		return;
	}

	for (let index = 0; index < request.headers.length; index += 2) {
		const name = request.headers[index]?.toLowerCase() ?? '';
		if (name === 'accept-encoding') {
			// Chunks are recorded as text.
			request.headers[index + 1] = 'identity';
		} else if (/^authorization$|key$/.test(name)) {
			secrets.add(secret((request.headers[index + 1] ?? '').replace(/^Bearer /, '')));
		}
	}

	const {body} = request;
	open.set(request, {
		found,
		body: parseJson(body instanceof Uint8Array ? Buffer.from(body).toString() : String(body)),
		startedAt: performance.now(),
		decoder: new TextDecoder(),
		chunks: [],
		status: 0,
		headers: {},
	});
}

/** Headers that the program reads; no other is recorded. */
const recordedHeaders: readonly string[] = ['content-type', 'retry-after', 'retry-after-ms', 'x-should-retry'];

function readHead({request, response}: Message): void {
	const exchange = open.get(request);
	if (exchange && response) {
		const texts = response.headers.map(each => each.toString('latin1'));
		const pairs = texts.flatMap((name, index) =>
			index % 2 === 0 ? [[name.toLowerCase(), texts[index + 1] ?? '']] : [],
		);
		exchange.status = response.statusCode;
		exchange.headers = Object.fromEntries(
			pairs
				.filter(([name = '']) => recordedHeaders.includes(name))
				.map(([name, value = '']) => [name, secrets.hide(redact(value))]),
		);
	}
}

function readChunk({request, chunk}: Message): void {
	const exchange = open.get(request);
	if (exchange && chunk) {
		const text = exchange.decoder.decode(chunk, {stream: true});
		exchange.chunks.push([Math.round(performance.now() - exchange.startedAt), text]);
	}
}

function end(request: UndiciRequest, isCut: boolean): void {
	const exchange = open.get(request);
	if (!exchange || exchange.status === 0) {
		return;
	}

	open.delete(request);
	const {found, body, status, headers, chunks} = exchange;
	// An error can contain a credential of unknown shape; an answer stays unchanged.
	const hide = status < 400 ? secrets.hide : (text: string) => secrets.hide(redact(text));
	const line: Exchange = {
		provider: found.provider,
		path: hide(found.path),
		model: hide(modelOf(found.path, body)),
		body: hideDeep(shapeOf(body), hide),
		status,
		headers,
		chunks: hideInChunks(chunks, hide),
		isCut,
	};
	appendFileSync(file, `${JSON.stringify(line)}\n`, {mode: 0o600});
}

function hideDeep(value: unknown, hide: (text: string) => string): unknown {
	return JSON.parse(JSON.stringify(value ?? null), (_, inner) => (typeof inner === 'string' ? hide(inner) : inner));
}

const listen = (name: string, listener: (message: Message) => void) =>
	subscribe(`undici:request:${name}`, message => listener(message as Message));

listen('create', begin);
listen('headers', readHead);
listen('bodyChunkReceived', readChunk);
listen('trailers', ({request}) => end(request, false));
listen('error', ({request}) => end(request, true));
process.once('exit', () => {
	for (const request of open.keys()) {
		end(request, true);
	}
});
