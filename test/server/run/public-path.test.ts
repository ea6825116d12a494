import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {createServer, request as httpRequest} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {findAuthorizationServer} from '../../../src/client/authorization-server.ts';
import {createClient} from '../../../src/client/client.ts';
import {awaitTokens, requestDeviceCode} from '../../../src/client/device-flow.ts';
import {refreshTokens} from '../../../src/client/tokens.ts';
import {originOf} from '../../../src/core/origin.ts';
import {secret} from '../../../src/core/secrets/secret.ts';
import {createTransport} from '../../../src/net/undici-transport.ts';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import {startServer} from '../../../src/server/run/start.ts';
import {fastClock, plainTransport} from '../../client/login-server.ts';
import {dataOf, testContext} from '../../commands/context.ts';
import {freePort} from '../../free-port.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {oidOf, traceId} from '../artifacts/artifacts.ts';
import {toRequest} from '../ingest/push.ts';
import {nginx, startNginx} from '../nginx.ts';
import {createBrowser} from '../pages/browser.ts';

const base = '/agents';

/** How a proxy passes a request on. */
type Passing = {
	/** Takes the path of the server away. */
	readonly strips: boolean;
	/** Passes the Host on instead of naming the address of the server. */
	readonly keepsHost: boolean;
};

type Front = {
	readonly url: string;
	/** What another program at the same host got: path and credentials. */
	readonly elsewhere: readonly {readonly path: string; readonly credentials: readonly (string | undefined)[]}[];
	/** Starts what needs the port of the server. */
	readonly ready?: () => Promise<void>;
};

/** Starts a reverse proxy on loopback: it has the server at `/agents`, and another program everywhere else. */
async function nodeProxy(target: () => number, {strips, keepsHost}: Passing): Promise<Front> {
	const elsewhere: {path: string; credentials: (string | undefined)[]}[] = [];
	const proxy = createServer((incoming, outgoing) => {
		const {url: path = '/', headers} = incoming;
		if (path === `${base}/leave`) {
			outgoing.writeHead(302, {location: '/other/place'}).end();
			return;
		}

		if (path !== base && !path.startsWith(`${base}/`)) {
			elsewhere.push({
				path,
				credentials: [headers.authorization, headers['x-api-key'] as string | undefined, headers.cookie],
			});
			outgoing.writeHead(404, {'content-type': 'text/html'}).end('<h1>Another program</h1>');
			return;
		}

		const passed = httpRequest(
			{
				port: target(),
				method: incoming.method,
				path: strips ? path.slice(base.length) || '/' : path,
				headers: {...headers, host: keepsHost ? headers.host : `127.0.0.1:${target()}`},
			},
			response => {
				outgoing.writeHead(response.statusCode ?? 502, response.headers);
				response.pipe(outgoing);
			},
		);
		passed.on('error', () => outgoing.destroy());
		incoming.pipe(passed);
	});
	proxy.listen(0, '127.0.0.1');
	await once(proxy, 'listening');
	onTestFinished(() => {
		proxy.close();
		proxy.closeAllConnections();
	});
	return {url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, elsewhere};
}

if (!nginx) {
	console.warn('nginx is not installed (Debian: nginx-light): the server is tested behind a proxy of Node alone.');
	test.skip('[6] behind nginx, which is not installed (Debian: nginx-light)', () => undefined);
}

/** Starts nginx as its manual says, with the server at `/agents`; another program is everywhere else. */
async function nginxProxy(target: () => number, {strips, keepsHost}: Passing): Promise<Front> {
	const other = await nodeProxy(target, {strips, keepsHost});
	const port = await freePort();
	return {
		url: `http://127.0.0.1:${port}`,
		elsewhere: other.elsewhere,
		ready: () =>
			startNginx(
				`server {
					listen 127.0.0.1:${port};
					proxy_set_header Host ${keepsHost ? '$http_host' : '$proxy_host'};
					proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
					location = ${base}/leave { absolute_redirect off; return 302 /other/place; }
					location ${base}/ { proxy_pass http://127.0.0.1:${target()}${strips ? '/' : ''}; }
					location / { proxy_pass ${other.url}; }
				}`,
				port,
			),
	};
}

async function start(openFront: (target: () => number) => Promise<Front>) {
	let port = 0;
	const front = await openFront(() => port);
	const publicUrl = `${front.url}${base}`;
	const server = await startServer({
		location: {engine: 'sqlite', file: ':memory:'},
		folder: temporaryFolder(),
		environment: {},
		publicUrl,
		demo: {speed: Number.POSITIVE_INFINITY},
	});
	onTestFinished(() => server.close());
	port = Number(new URL(server.url).port);
	await front.ready?.();
	const scope = {organization: 'acme', workspace: 'main', project: 'web', email: 'ada@acme.example'};
	const {apiKey} = await initialize(server.services, scope);
	return {...server, publicUrl, front, key: apiKey.reveal()};
}

/** A browser that uses the proxy. */
function browserOf({front}: {readonly front: Front}) {
	return createBrowser(
		async request =>
			fetch(request.url, {
				method: request.method,
				headers: request.headers,
				redirect: 'manual',
				...(request.method === 'POST' && {body: await request.text()}),
			}),
		front.url,
	);
}

function transportOf(publicUrl: string, kind: 'bearer' | 'x-api-key', key: string) {
	const credential = {origin: originOf(publicUrl), kind, secret: secret(key)};
	const transport = createTransport({credential, userAgent: 'service/test'});
	onTestFinished(() => transport.close());
	return transport;
}

type Fronts = readonly (readonly [string, (target: () => number) => Promise<Front>])[];

const fronts: Fronts = [
	['takes the path away and replaces the Host', target => nodeProxy(target, {strips: true, keepsHost: false})],
	['takes the path away and passes the Host on', target => nodeProxy(target, {strips: true, keepsHost: true})],
	['keeps the path and replaces the Host', target => nodeProxy(target, {strips: false, keepsHost: false})],
	['keeps the path and passes the Host on', target => nodeProxy(target, {strips: false, keepsHost: true})],
	...(nginx
		? ([
				['is nginx and takes the path away', target => nginxProxy(target, {strips: true, keepsHost: false})],
				['is nginx and keeps the path', target => nginxProxy(target, {strips: false, keepsHost: true})],
			] satisfies Fronts)
		: []),
];

describe.each(fronts)('[6] behind a proxy that %s', (_, openFront) => {
	test('pages, their links, forms and cookies stay below the path', async () => {
		const server = await start(openFront);
		const first = await fetch(`${server.publicUrl}/sign-in`);
		expect(first.headers.get('set-cookie')).toContain(`Path=${base};`);
		const html = await first.text();
		expect([...html.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, path]) => path)).not.toEqual([]);
		const browser = browserOf(server);
		await browser.open(`${base}/account`);
		for (const {html: page} of [
			await browser.open(`${base}/sign-in/key?next=/device`),
			await browser.submit(`${base}/sign-in/key`, {api_key: server.key}),
			await browser.open(`${base}/account`),
			await browser.open(`${base}/account/second-factor`),
		]) {
			const paths = [...page.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, path = '']) => path);
			expect(paths.filter(path => !path.startsWith(`${base}/`) && !path.startsWith('otpauth:'))).toEqual([]);
		}

		expect((await browser.open(`${base}/account`)).title).toBe('Your account');
		expect((await browser.submit(`${base}/sign-out`)).title).toBe('Log in');
		expect(server.front.elsewhere).toEqual([]);
	});

	test('the public URL leads to the pages below it, with a slash at its end and without', async () => {
		const {publicUrl, front} = await start(openFront);
		for (const url of [publicUrl, `${publicUrl}/`]) {
			expect((await fetch(url)).url).toBe(`${publicUrl}/sign-in`);
		}

		expect(front.elsewhere).toEqual([]);
	});

	test('a program logs in through a browser, is renewed, and calls the API', async () => {
		const server = await start(openFront);
		const clock = fastClock(50);
		const options = {transport: plainTransport(), clock, now: clock.now, signal: new AbortController().signal};
		const found = await findAuthorizationServer(originOf(server.publicUrl), options.transport, options.signal);
		expect(found).toMatchObject({server: server.publicUrl, tokenEndpoint: `${server.publicUrl}/oauth/token`});
		if (!found) {
			return;
		}

		const code = await requestDeviceCode(found, options);
		expect([code.page, code.pageWithCode]).toEqual([
			`${server.publicUrl}/device`,
			`${server.publicUrl}/device?user_code=${code.userCode}`,
		]);
		const browser = browserOf(server);
		await browser.open(`${base}/sign-in/key?next=/device`);
		await browser.submit(`${base}/sign-in/key`, {api_key: server.key});
		await browser.submit(`${base}/device`, {user_code: code.userCode});
		await browser.submit(`${base}/device/decision`, {decision: 'approve'});
		const tokens = await awaitTokens(found, code, options);
		const next = await refreshTokens(found, tokens.refreshToken ?? secret(''), options);
		const bearer = transportOf(server.publicUrl, 'bearer', next?.accessToken.reveal() ?? '');
		const client = createClient({server: server.publicUrl, transports: {bearer}});
		expect(await client.getUserPreferences()).toBeDefined();
		expect(server.front.elsewhere).toEqual([]);
	});

	test('a login with a key is stored for the path, and artifacts are saved', async () => {
		const server = await start(openFront);
		const bytes = Buffer.from('a,b\n1,2\n');
		const oid = oidOf(bytes);
		const authorization = `Bearer ${server.key}`;
		const api = `${server.publicUrl}/api/v1/org/acme`;
		await fetch(`${api}/ws/main/artifacts/${oid}`, {method: 'PUT', headers: {authorization}, body: bytes});
		const attributes = {'dreadnode.artifacts': [{oid, filename: 'table.csv', mime_type: 'text/csv'}]};
		await fetch(`${api}/otel/traces`, {
			method: 'POST',
			headers: {authorization, 'content-type': 'application/json'},
			body: JSON.stringify(toRequest([{id: '1', trace: traceId, attributes}])),
		});
		const client = testContext({flags: {server: `${server.publicUrl}/`, org: 'acme', workspace: 'main'}});
		const name = `${new URL(server.publicUrl).host}${base}`;
		expect(dataOf(await client.run('login', server.key))).toEqual({profile: name, server: server.publicUrl});
		const saved = join(temporaryFolder(), 'saved.csv');
		await client.run('trace', 'artifact', traceId, oid, saved, '--download');
		expect(readFileSync(saved)).toEqual(bytes);
		expect(server.front.elsewhere).toEqual([]);
	});

	test('a load balancer asks below the path whether it lives and is ready', async () => {
		const server = await start(openFront);
		const answers = await Promise.all(['/healthz', '/readyz'].map(path => fetch(`${server.publicUrl}${path}`)));
		expect(await Promise.all(answers.map(async answer => [answer.status, await answer.text()]))).toEqual([
			[200, '{"status":"ok"}'],
			[200, '{"status":"ok","database":"ok","engine":"ok"}'],
		]);
	});

	test('a stream of events comes piece by piece', async () => {
		const server = await start(openFront);
		const response = await fetch(`${server.publicUrl}/v1/chat/completions`, {
			method: 'POST',
			headers: {authorization: `Bearer ${server.key}`, 'content-type': 'application/json'},
			body: JSON.stringify({model: 'demo', stream: true, messages: [{role: 'user', content: 'Hello'}]}),
		});
		expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
		expect((await response.text()).trimEnd()).toMatch(/data: \[DONE\]$/);
	});

	test('no credential leaves the path: by another address, a redirect, or a login at the host', async () => {
		const server = await start(openFront);
		for (const kind of ['bearer', 'x-api-key'] as const) {
			const transport = transportOf(server.publicUrl, kind, server.key);
			for (const path of ['/', '/other', '/agents-evil', '/agents/../other', '/agents/leave']) {
				const {body} = await transport({method: 'GET', url: `${server.front.url}${path}`});
				for await (const _ of body) {
					// Only the request counts.
				}
			}
		}

		expect(server.front.elsewhere.map(({path}) => path)).toEqual(
			Array.from({length: 2}, () => ['/', '/other', '/agents-evil', '/other', '/other/place']).flat(),
		);
		expect(new Set(server.front.elsewhere.flatMap(({credentials}) => credentials))).toEqual(new Set([undefined]));
		const client = testContext({flags: {server: server.front.url}});
		await expect(client.run('login', server.key)).rejects.toThrow();
		expect(new Set(server.front.elsewhere.flatMap(({credentials}) => credentials))).toEqual(new Set([undefined]));
	});
});

test('metadata is found where RFC 8414 puts it, too', async () => {
	const server = await start(target => nodeProxy(target, {strips: false, keepsHost: true}));
	const {port} = new URL(server.url);
	const response = await fetch(`http://127.0.0.1:${port}/.well-known/oauth-authorization-server${base}`);
	expect(await response.json()).toMatchObject({
		issuer: server.publicUrl,
		token_endpoint: `${server.publicUrl}/oauth/token`,
	});
});

test('a public URL with the path of a page is refused', async () => {
	const options = {location: {engine: 'sqlite', file: ':memory:'}, folder: temporaryFolder(), environment: {}} as const;
	await expect(startServer({...options, publicUrl: 'https://host.example/account'})).rejects.toMatchObject({
		code: 'usage',
		message: 'The server has pages of its own at /account.',
	});
});
