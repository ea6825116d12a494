import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {join} from 'node:path';
import type {Duplex} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {onTestFinished} from 'vitest';
import {createDockerProvider} from '../../../../src/server/sandboxes/docker/docker-provider.ts';
import {createEngineClient} from '../../../../src/server/sandboxes/docker/engine-client.ts';
import {temporaryFolder} from '../sandbox.ts';

/** What a route answers: a status with JSON, or whatever it writes itself. */
export type Route = (request: IncomingMessage, response: ServerResponse) => readonly [number, unknown?] | undefined;

/** An answer of Docker 27.3.1, as recorded. */
export const version = {
	Platform: {Name: 'Docker Engine - Community'},
	Components: [
		{Name: 'Engine', Version: '27.3.1', Details: {ApiVersion: '1.47', MinAPIVersion: '1.24', Os: 'linux'}},
		{Name: 'containerd', Version: '1.7.22', Details: {GitCommit: '7f7fdf5fed64eb6a7caf99b3e12efcf9d60e311c'}},
	],
	...{Version: '27.3.1', ApiVersion: '1.47', MinAPIVersion: '1.24', GitCommit: '41ca978', GoVersion: 'go1.22.7'},
	...{Os: 'linux', Arch: 'amd64', KernelVersion: '6.8.0-45-generic', BuildTime: '2024-09-20T11:41:00.000000000+00:00'},
};

/** The state of a container as Docker says it, with times to the nanosecond. */
export function inspected(id: string, state: Readonly<Record<string, unknown>>) {
	return {
		Id: 'd2f1c7a6e4b34c50b2c6ac3e6f4a4b1de3f8c1de0c3d4b7f9a7b5e6d8c9f0a12',
		Created: '2024-10-04T09:12:31.123456789Z',
		Path: '/bin/sh',
		Args: [],
		State: {
			...{Status: 'running', Running: true, Paused: false, Restarting: false, OOMKilled: false, Dead: false, Pid: 4242},
			...{ExitCode: 0, Error: '', StartedAt: '2024-10-04T09:12:31.987654321Z', FinishedAt: '0001-01-01T00:00:00Z'},
			...state,
		},
		Name: `/service-${id}`,
		Config: {
			Hostname: 'd2f1c7a6e4b3',
			Labels: {'service.sandbox': id, 'service.organization': id, 'service.builds': '0', maintainer: 'someone'},
		},
	};
}

/** Bytes of the output of a program in the frame that Docker puts around it. */
export function frame(text: string, stream = 1): Buffer {
	const content = Buffer.from(text);
	const header = Buffer.alloc(8);
	header[0] = stream;
	header.writeUInt32BE(content.length, 4);
	return Buffer.concat([header, content]);
}

/**
 * Starts an engine on a socket of its own that answers by `METHOD /path` without the version and the query, `*` for the
 * id of a sandbox; anything else is 404 as Docker says it. Returns a provider on it, what was asked, and what ends it.
 */
export async function stubEngine(
	routes: Readonly<Record<string, Route>>,
	{timeoutMs = 60_000, onUpgrade}: {timeoutMs?: number; onUpgrade?: (socket: Duplex) => void} = {},
) {
	const asked: string[] = [];
	const bodies: unknown[] = [];
	const server = createServer(async (request, response) => {
		const url = new URL(request.url ?? '', 'http://docker');
		const path = url.pathname.replace(/^\/v1\.\d+/, '').replace(/service-[\da-f-]{36}/, '*');
		const name = `${request.method} ${path}`;
		asked.push(name);
		const body = await buffer(request);
		bodies.push(request.headers['content-type'] === 'application/json' ? JSON.parse(body.toString()) : body);
		const route = name === 'GET /version' ? (routes[name] ?? (() => [200, version])) : routes[name];
		const answer = route ? route(request, response) : ([404, {message: `No such thing: ${path}`}] as const);
		if (answer) {
			const [status, json] = answer;
			response.writeHead(status, {
				'content-type': 'application/json',
				'api-version': '1.47',
				server: 'Docker/27.3.1 (linux)',
			});
			response.end(json === undefined ? undefined : typeof json === 'string' ? json : JSON.stringify(json));
		}
	});
	server.on('upgrade', (request, socket) => {
		asked.push(`UPGRADE ${request.headers.upgrade}`);
		(onUpgrade ?? (() => socket.destroy()))(socket);
	});
	const path = join(await temporaryFolder(), 'docker.sock');
	await new Promise<void>(resolve => server.listen(path, resolve));
	const client = createEngineClient({address: {kind: 'unix', path}, env: {}, timeoutMs});
	const provider = createDockerProvider({client, image: 'node:22', graceSeconds: 2});
	const end = async () => {
		server.closeAllConnections();
		await new Promise(resolve => server.close(resolve));
	};
	onTestFinished(async () => {
		await provider.close();
		await end();
	});
	return {provider, client, asked, bodies, path, end};
}
