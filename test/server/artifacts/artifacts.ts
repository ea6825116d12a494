import {createHash, randomBytes} from 'node:crypto';
import {origin, scope, type TestServer} from '../harness.ts';
import {toRequest} from '../ingest/push.ts';

export const traceId = 'ab'.repeat(16);

export const oidOf = (bytes: string | Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

type Upload = {readonly key?: string; readonly org?: string; readonly headers?: Record<string, string>};

/** Uploads an artifact like a program, and returns the response. */
export async function upload(
	{app, owner}: TestServer,
	oid: string,
	body: BodyInit,
	{key = owner.key, org = scope.org, headers = {}}: Upload = {},
) {
	const path = `/api/v1/org/${org}/ws/main/artifacts/${encodeURIComponent(oid)}`;
	const sent = new Request(`${origin}${path}`, {
		method: 'PUT',
		headers: {host: new URL(origin).host, ...(key && {authorization: `Bearer ${key}`}), ...headers},
		body,
		duplex: 'half',
	} as RequestInit);
	const response = await app(sent);
	return {status: response.status, json: await response.json()};
}

/** Returns what a browser gets at a URL of this server without a credential. */
export async function browse({app}: TestServer, url: string, headers: Record<string, string> = {}) {
	const response = await app(new Request(url, {headers: {host: new URL(origin).host, ...headers}}));
	return {status: response.status, headers: response.headers, text: await response.text()};
}

type Reference = {
	readonly oid: string;
	readonly filename?: string;
	readonly mimeType?: string;
	readonly org?: string;
	readonly key?: string;
};

/** Sends a span whose `dreadnode.artifacts` refer to an oid. */
export async function refer(
	server: TestServer,
	{oid, filename, mimeType, org = scope.org, key = server.owner.key}: Reference,
) {
	const attributes = {'dreadnode.artifacts': [{oid, filename: filename ?? null, mime_type: mimeType ?? null}]};
	const body = toRequest([{id: randomBytes(8).toString('hex'), trace: traceId, attributes}]);
	await server.send(`/api/v1/org/${org}/otel/traces`, {method: 'POST', body, key});
}

type Asked = {readonly query?: string; readonly org?: string; readonly key?: string};

/** Requests the URL of an artifact with an API key. */
export async function resolve(
	server: TestServer,
	oid: string,
	{query = '', org = scope.org, key = server.owner.key}: Asked = {},
) {
	const path = `/api/v1/org/${org}/ws/main/traces/${traceId}/artifacts/${encodeURIComponent(oid)}${query}`;
	return await server.send(path, {key: '', headers: {'x-api-key': key}});
}
