import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {type IncomingMessage, request} from 'node:http';
import {connect} from 'node:net';
import {text} from 'node:stream/consumers';
import {onTestFinished} from 'vitest';
import {createForwarding, type Forwarding} from '../../../src/server/forward/forwarding.ts';
import type {Services} from '../../../src/server/handlers/services.ts';
import {createApp} from '../../../src/server/http/app.ts';
import {listen} from '../../../src/server/http/listen.ts';
import type {CoreServices} from '../../../src/server/kit/services.ts';
import {createMachineLease} from '../../../src/server/sandboxes/machine-lease.ts';
import {createServiceProxy} from '../../../src/server/service-proxy/service-proxy.ts';
import {targetOf} from '../../../src/server/service-proxy/service-target.ts';
import {createTestServer, inWorkspace} from '../harness.ts';
import {eventually} from '../sandboxes/sandbox.ts';
import {addTask} from '../sandboxes/task-folder.ts';

type Options = {
	readonly publicUrl?: string;
	readonly publicServices?: CoreServices['publicServices'];
	readonly maxConnections?: number;
	readonly answerTimeoutMs?: number;
	readonly forwarding?: Forwarding;
};

/** Serves services on a free port with the proxy of sandboxes, until the test ends. */
export async function serveProxied(
	services: Services,
	{publicUrl, publicServices, forwarding, ...limits}: Options = {},
): Promise<{readonly url: string; readonly close: () => Promise<void>}> {
	let url = '';
	const changed = {...services, publicUrl: () => publicUrl ?? url, publicServices, isProxied: publicUrl !== undefined};
	const reachable = {services: changed, names: [], port: () => Number(new URL(url).port), forwarding};
	const proxy = createServiceProxy({...reachable, ...limits});
	const raw = {...proxy, matches: (incoming: IncomingMessage) => targetOf(incoming, changed) !== undefined};
	const listening = await listen(createApp(reachable), {raw, closeTimeoutMs: 200});
	onTestFinished(listening.close);
	url = listening.url;
	return {url, close: listening.close};
}

/** Serves services as `serveProxied` does, as the server that manages its machine and that others find. */
export async function serveMachine(services: Services, options: Options = {}) {
	const {database, now, seal, sandboxes} = services;
	const id = randomUUID();
	const forwarding = createForwarding({database, now, derive: seal.derive, self: id, host: sandboxes.host});
	const served = await serveProxied(services, {...options, forwarding});
	await createMachineLease(services, {id, address: served.url}).renew();
	return {...served, id};
}

const program = readFile(new URL('services.mjs', import.meta.url), 'utf8');

/** A server with an environment whose services are those of `services.mjs`, in the sandbox of this machine. */
export async function withServices(options: Options = {}) {
	const server = await createTestServer();
	const services = {web: {path: '/start?a=b'}, raw: {}, other: {protocol: 'tcp'}};
	await addTask(server, 'hostile', {services}, {'main.mjs': await program});
	const {url, close} = await serveProxied(server.services, options);
	const {json} = await server.send(`${inWorkspace}/environments`, {method: 'POST', body: {task_ref: 'hostile'}});
	const {id} = json;
	await eventually(async () => {
		const address = await server.services.sandboxes.provider.serviceAddress(
			await sandboxOf(),
			json.service_urls.web.port,
		);
		return address !== undefined && (await isOpen(address.port)) && (await isOpen(json.service_urls.raw.port));
	});
	async function sandboxOf() {
		const row = await server.database.selectFrom('environments').select('sandbox_id').executeTakeFirstOrThrow();
		return row.sandbox_id ?? '';
	}

	const key = {authorization: `Bearer ${server.owner.key}`};
	return {
		server,
		url,
		close,
		id,
		token: String(json.execute_token),
		port: Number(json.service_urls.web.port),
		base: `/sandboxes/${id}/web`,
		raw: `/sandboxes/${id}/raw`,
		key,
		/** Asks a service with the owner's key. */
		ask: (path: string, asked: Asked = {}) => ask(url, path, {...asked, headers: {...key, ...asked.headers}}),
	};
}

/** A forwarder accepts before the program does, and then closes at once. */
async function isOpen(port: number): Promise<boolean> {
	try {
		const {response} = await open(`http://127.0.0.1:${port}`, '/', {});
		response.resume();
		return true;
	} catch {
		return false;
	}
}

type Asked = {
	readonly method?: string;
	readonly headers?: Readonly<Record<string, string | readonly string[]>>;
	readonly body?: string | Buffer;
};

/** Sends a request as it is given, and returns the response with its body unread. */
export async function open(url: string, path: string, {method = 'GET', headers = {}, body}: Asked) {
	const raw = Object.entries({host: new URL(url).host, ...headers}).flatMap(([name, values]) =>
		[values].flat().flatMap(value => [name, value]),
	);
	const {hostname, port} = new URL(url);
	const framed = body === undefined ? raw : [...raw, 'content-length', String(Buffer.byteLength(body))];
	const outgoing = request({host: hostname, port, path, method, headers: framed as string[], agent: false});
	onTestFinished(() => void outgoing.destroy());
	outgoing.end(body);
	const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
	return {response, outgoing};
}

export async function ask(url: string, path: string, asked: Asked = {}) {
	const {response} = await open(url, path, asked);
	const body = await text(response);
	return {status: response.statusCode, headers: response.headers, rawHeaders: response.rawHeaders, body};
}

/** Sends bytes on a connection, and returns what comes until `isEnough` or the end. */
export async function sendBytes(url: string, bytes: string, isEnough: (received: string) => boolean = () => false) {
	const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
	onTestFinished(() => void socket.destroy());
	let received = '';
	socket.on('data', chunk => {
		received += chunk;
		if (isEnough(received)) {
			socket.destroy();
		}
	});
	socket.on('error', () => socket.destroy());
	socket.write(bytes, 'latin1');
	await once(socket, 'close');
	return received;
}
