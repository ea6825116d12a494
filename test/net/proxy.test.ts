import {execFile} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {connect} from 'node:net';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {build} from 'esbuild';
import {expect, test} from 'vitest';
import {reportError} from '../../src/core/error.ts';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {readText} from '../../src/net/read-body.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {selfSigned} from './certificate.ts';
import {atEnd, connectProxy, httpServer, httpsServer, type Seen, socketServer} from './servers.ts';

const key = 'sk-0123456789abcdef';

function transport(origin: string, env: Record<string, string>, connectTimeoutMs = 5000) {
	const credential = {origin: originOf(origin), kind: 'bearer', secret: secret(key)} as const;
	const made = createTransport({userAgent: 'service/test', insecureHttp: true, credential, env, connectTimeoutMs});
	atEnd(() => void made.close());
	return made;
}

test('a proxy gets a CONNECT and its own password, never the credential of the origin [6]', async () => {
	const certificate = selfSigned('far.test');
	const seen: Seen[] = [];
	const port = await httpsServer(certificate, ({method, url, headers}, response) => {
		seen.push({method, url, headers});
		response.end('far');
	});
	const proxy = await connectProxy(port);
	const SSL_CERT_FILE = join(temporaryFolder(), 'ca.pem');
	writeFileSync(SSL_CERT_FILE, certificate.cert);
	const send = transport('https://far.test', {SSL_CERT_FILE, HTTPS_PROXY: proxy.url.replace('://', '://user:pass@')});
	expect(await readText(await send({method: 'GET', url: 'https://far.test/x'}))).toBe('far');
	expect(seen).toMatchObject([{url: '/x', headers: {authorization: `Bearer ${key}`}}]);
	const [head = ''] = proxy.heads;
	expect(head).toMatch(/^CONNECT far\.test:443 HTTP\/1\.1\r\n/);
	expect(head.toLowerCase()).toContain(`proxy-authorization: basic ${btoa('user:pass').toLowerCase()}`);
	expect(head).not.toContain(key);
	expect(JSON.stringify(seen)).not.toContain('proxy-authorization');
});

test('a proxy gets plain http in absolute form, with the host and its own password', async () => {
	const proxy = await httpServer((_, response) => response.end('far'));
	const send = transport('http://far.test', {HTTP_PROXY: proxy.origin.replace('://', '://user:pass@')});
	for (const path of ['/x?y=1', '/']) {
		expect(await readText(await send({method: 'POST', url: `http://far.test:8080${path}`, body: '{}'}))).toBe('far');
	}

	const headers = {host: 'far.test:8080', 'proxy-authorization': `Basic ${btoa('user:pass')}`};
	expect(proxy.seen).toMatchObject([
		{method: 'POST', url: 'http://far.test:8080/x?y=1', headers},
		{method: 'POST', url: 'http://far.test:8080/', headers},
	]);
});

test('a proxy that needs another user for plain http, or is gone, is named', async () => {
	const asking = await httpServer((_, response) => response.writeHead(407).end());
	const sent = (proxy: string) =>
		transport('http://far.test', {HTTP_PROXY: proxy})({method: 'GET', url: 'http://far.test'});
	await expect(sent(asking.origin)).rejects.toMatchObject({
		message: 'The proxy needs another user name or password (407).',
	});
	await expect(sent('127.0.0.1:9')).rejects.toMatchObject({
		message: "Can't connect through the proxy. Nothing is listening on http://127.0.0.1:9.",
	});
});

test('an https proxy, with a certificate of the user’s own, carries both kinds', async () => {
	const far = selfSigned('far.test');
	const own = selfSigned('localhost');
	const farPort = await httpsServer(far, (_, response) => response.end('tunnelled'));
	const proxyPort = await httpsServer(
		own,
		(request, response) => response.end(`forwarded ${request.url}`),
		socket => {
			const onward = connect(farPort, '127.0.0.1', () => {
				socket.write('HTTP/1.1 200 OK\r\n\r\n');
				onward.pipe(socket).pipe(onward);
			});
			atEnd(() => onward.destroy());
		},
	);
	const SSL_CERT_DIR = temporaryFolder();
	writeFileSync(join(SSL_CERT_DIR, 'far.pem'), far.cert);
	writeFileSync(join(SSL_CERT_DIR, 'proxy.crt'), own.cert);
	const send = transport('https://far.test', {SSL_CERT_DIR, ALL_PROXY: `https://localhost:${proxyPort}`});
	expect(await readText(await send({method: 'GET', url: 'https://far.test/'}))).toBe('tunnelled');
	expect(await readText(await send({method: 'GET', url: 'http://far.test/'}))).toBe('forwarded http://far.test/');
});

test('requests to this machine and to NO_PROXY bypass the proxy', async () => {
	const near = await httpServer((_, response) => response.end('near'));
	const proxy = await connectProxy(near.port);
	const env = {https_proxy: proxy.url, http_proxy: proxy.url, no_proxy: 'other.test,.invalid'};
	expect(await readText(await transport(near.origin, env)({method: 'GET', url: near.origin}))).toBe('near');
	const direct = transport('http://far.invalid', env)({method: 'GET', url: 'http://far.invalid'});
	await expect(direct).rejects.toMatchObject({code: 'network'});
	expect(proxy.heads).toEqual([]);
});

test('an error of the proxy names the proxy, and its refusal is final unless it may pass [23]', async () => {
	const refusing = await connectProxy(1, 407);
	const unavailable = await connectProxy(1, 503);
	const silent = await socketServer(() => undefined);
	const sent = (proxy: string) =>
		transport('https://far.test', {HTTPS_PROXY: proxy}, 60)({method: 'GET', url: 'https://far.test'});
	const hint = 'Check the proxy in HTTPS_PROXY or HTTP_PROXY.';
	const noWay = "Can't connect through the proxy.";
	await expect(sent(refusing.url)).rejects.toMatchObject({
		code: 'network',
		message: 'The proxy needs another user name or password (407).',
		hint: 'Set them in HTTPS_PROXY, as http://user:password@host:port.',
		permanent: true,
	});
	await expect(sent(unavailable.url)).rejects.toMatchObject({
		message: 'The proxy refused to connect to https://far.test (status 503).',
		permanent: false,
	});
	await expect(sent(silent)).rejects.toMatchObject({
		code: 'network',
		message: `${noWay} Timed out waiting for ${new URL(silent).origin}.`,
		hint,
	});
	await expect(sent('user:pass@127.0.0.1:9')).rejects.toMatchObject({
		code: 'network',
		message: `${noWay} Nothing is listening on http://127.0.0.1:9.`,
		hint,
	});
});

test('an invalid proxy address is reported without its password', async () => {
	const sent = transport('https://far.test', {HTTPS_PROXY: 'ftp://user:pass@x'})({
		method: 'GET',
		url: 'https://far.test',
	});
	await expect(sent).rejects.toMatchObject({
		code: 'usage',
		message: 'Invalid HTTPS_PROXY: not an http or https URL.',
		hint: 'Correct HTTPS_PROXY, or unset it.',
	});
});

test.each([
	'http://corp\\user:pass@proxy.test:8080',
	'http://user:1#pass@proxy.test:8080',
	'http://user:1/pass@proxy.test',
])('[8] a password that a proxy address has unencoded is no host to connect to: %s', async address => {
	const sent = transport('https://far.test', {HTTPS_PROXY: address})({method: 'GET', url: 'https://far.test'});
	await expect(sent).rejects.toMatchObject({
		code: 'usage',
		message: 'Invalid HTTPS_PROXY: its user or password has special characters.',
	});
});

test('ALL_PROXY counts where no proxy of the scheme is set, and an empty one of the scheme means none', async () => {
	const proxy = await httpServer((_, response) => response.end('far'));
	const env = {ALL_PROXY: proxy.origin.replace('://', '://user:pass@')};
	expect(await readText(await transport('http://far.test', env)({method: 'GET', url: 'http://far.test'}))).toBe('far');
	const others: readonly Readonly<Record<string, string>>[] = [
		{HTTP_PROXY: ''},
		{ALL_PROXY: 'socks5://127.0.0.1:1080'},
		{NO_PROXY: 'far.invalid'},
	];
	for (const other of others) {
		const direct = transport('http://far.invalid', {...env, ...other});
		await expect(direct({method: 'GET', url: 'http://far.invalid'})).rejects.toMatchObject({code: 'network'});
	}

	expect(proxy.seen).toHaveLength(1);
	const invalid = transport('http://far.test', {ALL_PROXY: 'http://'});
	await expect(invalid({method: 'GET', url: 'http://far.test'})).rejects.toMatchObject({
		code: 'usage',
		message: 'Invalid ALL_PROXY: not an http or https URL.',
	});
});

test.each([
	['user:p%40ss', 'user:p@ss'],
	['user:100%', 'user:100%'],
	['user:50%-%2F', 'user:50%-/'],
	['token', 'token:'],
	[':secret', ':secret'],
])('the user %s of a proxy is sent as %s', async (written, sent) => {
	const proxy = await httpServer((_, response) => response.end('far'));
	const send = transport('http://far.test', {HTTP_PROXY: proxy.origin.replace('://', `://${written}@`)});
	await readText(await send({method: 'GET', url: 'http://far.test'}));
	expect(proxy.seen[0]?.headers['proxy-authorization']).toBe(`Basic ${btoa(sent)}`);
});

test('[8] no error of a proxy has its password, whatever the proxy does', async () => {
	const closing = await socketServer(socket => socket.once('data', () => socket.destroy()));
	const cutting = await socketServer(socket => {
		socket.once('data', () =>
			socket.write('HTTP/1.1 200 OK\r\n\r\n', () => socket.once('data', () => socket.destroy())),
		);
	});
	const asking = await connectProxy(1, 407);
	const talking = await socketServer(socket => void socket.once('data', () => socket.end('HELO user:hunter2\r\n\r\n')));
	for (const proxy of [closing, cutting, asking.url, talking, 'http://127.0.0.1:1']) {
		const env = {HTTPS_PROXY: proxy.replace('://', '://user:hunter2@')};
		const error: unknown = await transport(
			'https://far.test',
			env,
			500,
		)({method: 'GET', url: 'https://far.test'}).catch(thrown => thrown);
		expect(error).toMatchObject({code: 'network', hint: expect.any(String)});
		const report = reportError(error);
		expect(`${report.message} ${report.hint}`).not.toMatch(/hunter2|dXNlcjpodW50ZXIy/);
	}
});

test('an untrusted certificate, or one of another host, is always an error [9]', async () => {
	const port = await httpsServer(selfSigned('far.test'), (_, response) => response.end());
	const proxy = await connectProxy(port);
	const send = transport('https://far.test', {HTTPS_PROXY: proxy.url});
	await expect(send({method: 'GET', url: 'https://far.test'})).rejects.toMatchObject({
		code: 'network',
		message: expect.stringMatching(/^The certificate of https:\/\/far\.test isn't trusted on this machine/),
		hint: expect.stringContaining('set NODE_EXTRA_CA_CERTS'),
	});
	const direct = transport(`https://localhost:${port}`, {});
	await expect(direct({method: 'GET', url: `https://localhost:${port}`})).rejects.toMatchObject({code: 'network'});
});

test('the bundled transport connects, trusts NODE_EXTRA_CA_CERTS, and tunnels https through the proxy [6]', async () => {
	const folder = temporaryFolder();
	const certificate = selfSigned('far.test');
	const seen: unknown[] = [];
	const port = await httpsServer(certificate, (request, response) => {
		seen.push(request.headers.authorization);
		response.end('Hello.');
	});
	const proxy = await connectProxy(port);
	writeFileSync(join(folder, 'ca.pem'), certificate.cert);
	await build({
		entryPoints: [join(import.meta.dirname, 'fetch-worker.ts')],
		outdir: folder,
		outExtension: {'.js': '.mjs'},
		bundle: true,
		splitting: true,
		platform: 'node',
		format: 'esm',
		banner: {js: "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"},
	});
	const {stdout} = await promisify(execFile)(
		process.execPath,
		[join(folder, 'fetch-worker.mjs'), 'https://far.test', 'https://far.test/path'],
		{env: {HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'), KEY: key}},
	);
	expect([stdout, seen]).toEqual(['200 Hello.', [`Bearer ${key}`]]);
	expect(proxy.heads.join('')).not.toContain(key);
});
