import {randomUUID} from 'node:crypto';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {startServer} from '../../../src/server/run/start.ts';
import {createBrowser} from '../pages/browser.ts';
import {send} from '../serve.ts';

/** Starts a server as `serve` does, and returns it with the port it listens on. */
async function start(options: {readonly publicUrl?: string; readonly host?: string} = {}) {
	const folder = join(tmpdir(), `service-hosts-${randomUUID()}`);
	const server = await startServer({
		location: {engine: 'sqlite', file: ':memory:'},
		folder,
		environment: {},
		...options,
	});
	onTestFinished(async () => {
		await server.close();
		await rm(folder, {recursive: true, force: true});
	});
	return {...server, port: Number(new URL(server.url).port)};
}

/** Replaces `PORT` and `OTHER` in a header by the port of the server and another one. */
function withPort(text: string, port: number): string {
	return text.replace('PORT', String(port)).replace('OTHER', String(port === 65_535 ? 1 : port + 1));
}

test.each<[string, number]>([
	['127.0.0.1:PORT', 200],
	['localhost:PORT', 200],
	['LocalHost:PORT', 200],
	['localhost.:PORT', 200],
	['[::1]:PORT', 200],
	['[0:0:0:0:0:0:0:1]:PORT', 200],
	['127.0.0.1', 403],
	['localhost:', 403],
	['localhost:OTHER', 403],
	['127.0.0.1:OTHER', 403],
	['[::1]:OTHER', 403],
	['[::1]', 403],
	['::1:PORT', 403],
	['localhost..:PORT', 403],
	['.localhost:PORT', 403],
	['localhost:PORT:PORT', 403],
	['localhost:PORT/', 403],
	['localhost:PORT#.evil.example', 403],
	['user@localhost:PORT', 403],
	['localhost:PORT@evil.example', 403],
	['localhost:+PORT', 403],
	['localhost: PORT', 403],
	['localhost,evil.example:PORT', 403],
	['evil.example:PORT', 403],
	['localhost.evil.example:PORT', 403],
	['agents.example', 403],
])('[25] without a proxy, the Host “%s” gets %i', async (host, expected) => {
	const {url, port} = await start();
	const {status} = await send(url, {path: '/healthz', headers: {host: withPort(host, port)}});
	expect(status).toBe(expected);
});

test.each<[string, string, number]>([
	['https://agents.example', 'agents.example', 200],
	['https://agents.example', 'agents.example:443', 200],
	['https://agents.example', 'AGENTS.example', 200],
	['https://agents.example', 'agents.example.', 200],
	['https://agents.example', 'agents.example.:443', 200],
	['https://agents.example', 'agents.example:80', 403],
	['https://agents.example', 'agents.example:PORT', 403],
	['https://agents.example', 'localhost:PORT', 200],
	['https://agents.example:8443', 'agents.example:8443', 200],
	['https://agents.example:8443', 'agents.example', 403],
	['http://agents.example', 'agents.example:80', 200],
	['http://agents.example', 'agents.example:443', 403],
	['https://[2001:db8::1]', '[2001:DB8:0::1]', 200],
	['https://[2001:db8::1]', '[2001:db8::2]', 403],
])('[25] behind a proxy as %s, the Host “%s” gets %i', async (publicUrl, host, expected) => {
	const {url, port} = await start({publicUrl});
	const {status} = await send(url, {path: '/healthz', headers: {host: withPort(host, port)}});
	expect(status).toBe(expected);
});

const proxied = 'https://agents.example';

test.each<[string | undefined, string, string, number]>([
	[undefined, 'localhost:PORT', 'http://localhost:PORT', 200],
	[undefined, 'localhost:PORT', 'https://localhost:PORT', 403],
	[undefined, 'localhost:PORT', 'http://localhost', 403],
	[undefined, 'localhost:PORT', 'http://localhost:OTHER', 403],
	[undefined, 'localhost:PORT', 'http://[::1]:PORT', 403],
	[undefined, 'localhost:PORT', 'null', 403],
	[undefined, 'localhost:PORT', 'http://localhost:PORT.evil.example', 403],
	[undefined, 'localhost:PORT', 'http://localhost:PORT@evil.example', 403],
	[undefined, 'localhost:PORT', 'http://localhost:PORT http://evil.example', 403],
	[undefined, 'localhost:PORT', proxied, 403],
	// A proxy that replaces the Host, as nginx does by default.
	[proxied, 'localhost:PORT', proxied, 200],
	[proxied, 'localhost:PORT', 'https://agents.example:443', 200],
	[proxied, 'localhost:PORT', 'http://localhost:PORT', 200],
	[proxied, 'localhost:PORT', 'https://localhost:PORT', 403],
	// A proxy that passes it on.
	[proxied, 'agents.example', proxied, 200],
	[proxied, 'agents.example', 'HTTPS://AGENTS.EXAMPLE', 200],
	[proxied, 'agents.example.', 'https://agents.example.', 200],
	[proxied, 'agents.example', 'http://agents.example', 403],
	[proxied, 'agents.example', 'https://agents.example:8443', 403],
	[proxied, 'agents.example', 'https://evil.agents.example', 403],
	[proxied, 'agents.example', 'http://localhost:PORT', 403],
	[`${proxied}:8443`, 'agents.example:8443', `${proxied}:8443`, 200],
	[`${proxied}:8443`, 'agents.example:8443', proxied, 403],
])(
	'[25] with the public URL %s, the Host “%s” and the Origin “%s” get %i',
	async (publicUrl, host, origin, expected) => {
		const {url, port} = await start({...(publicUrl && {publicUrl})});
		const headers = {host: withPort(host, port), origin: withPort(origin, port)};
		expect((await send(url, {path: '/healthz', headers})).status).toBe(expected);
	},
);

test('a rejected Host or Origin is told what a proxy needs', async () => {
	const {url} = await start();
	for (const [name, value] of [
		['host', 'agents.example'],
		['origin', proxied],
	] as const) {
		expect((await send(url, {path: '/healthz', headers: {[name]: value}})).text).toContain(
			'start it with --public-url',
		);
	}
});

test.each<[string, string, string]>([
	['https, with a proxy that passes the Host on', proxied, 'agents.example'],
	['https, with a proxy that replaces the Host', proxied, '127.0.0.1:PORT'],
	['http, with a proxy that passes the Host on', 'http://agents.example', 'agents.example'],
	['http, with a proxy that replaces the Host', 'http://agents.example', '127.0.0.1:PORT'],
])('[25] the login form works behind %s', async (_, publicUrl, host) => {
	const {app, port} = await start({publicUrl});
	const browser = createBrowser(
		request =>
			app(new Request(request, {headers: {...Object.fromEntries(request.headers), host: withPort(host, port)}})),
		publicUrl,
	);
	await browser.open('/sign-in/key');
	expect(await browser.submit('/sign-in/key', {api_key: `svc_${'x'.repeat(43)}`})).toMatchObject({
		status: 400,
		problem: 'That API key isn’t valid on this server.',
	});
});

test('[25] the login form works without the proxy, too', async () => {
	const {app, url} = await start({publicUrl: 'http://agents.example'});
	const browser = createBrowser(app, url);
	await browser.open('/sign-in/key');
	expect((await browser.submit('/sign-in/key', {api_key: 'svc_x'})).status).toBe(400);
});
