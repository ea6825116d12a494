import {expect, test} from 'vitest';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import type {Credential} from '../../src/net/credential.ts';
import {readText} from '../../src/net/read-body.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {atEnd, httpServer} from './servers.ts';

const key = 'sk-0123456789abcdef';
const bearer = (origin: string): Credential => ({origin: originOf(origin), kind: 'bearer', secret: secret(key)});

function transport(options: Partial<Parameters<typeof createTransport>[0]> = {}) {
	const made = createTransport({userAgent: 'service/test', ...options});
	atEnd(() => void made.close());
	return made;
}

test('a request is sent as given, with the credential of its origin [6]', async () => {
	const server = await httpServer((request, response) => {
		response.writeHead(201, {'X-Mixed': 'Case', 'set-cookie': ['a=1', 'b=2']});
		request.pipe(response);
	});
	const send = transport({credential: bearer(server.origin)});
	const url = `${server.origin}/path?query=1#fragment`;
	const answer = await send({method: 'POST', url, headers: {'Content-Type': 'application/json'}, body: '{"ä":1}'});
	expect(answer.status).toBe(201);
	expect(answer.headers).toMatchObject({'x-mixed': 'Case', 'set-cookie': 'a=1, b=2'});
	expect(await readText(answer)).toBe('{"ä":1}');
	expect(server.seen).toEqual([
		{
			method: 'POST',
			url: '/path?query=1',
			headers: {
				host: `127.0.0.1:${server.port}`,
				connection: 'keep-alive',
				'content-length': '8',
				'user-agent': 'service/test',
				'accept-encoding': 'gzip, br',
				'content-type': 'application/json',
				authorization: `Bearer ${key}`,
			},
		},
	]);
});

test.each([
	['bearer', 'authorization', `Bearer ${key}`],
	['x-api-key', 'x-api-key', key],
	['x-goog-api-key', 'x-goog-api-key', key],
] as const)('a credential of kind %s is the header %s', async (kind, header, value) => {
	const server = await httpServer((_, response) => response.end());
	const send = transport({credential: {...bearer(server.origin), kind}});
	await readText(await send({method: 'GET', url: server.origin}));
	expect(server.seen[0]?.headers[header]).toBe(value);
});

test.each(['two\nlines', 'k\u00e9y', 'k\u4e2d', 'a b', ''])(
	'the key %j, which no header can carry, is a mistake of usage, and nothing is sent [8]',
	async text => {
		const server = await httpServer((_, response) => response.end());
		const send = transport({credential: {...bearer(server.origin), secret: secret(text)}});
		await expect(send({method: 'GET', url: server.origin})).rejects.toMatchObject({
			code: 'usage',
			message: `Invalid API key for ${server.origin}: it has spaces or other characters that keys can't have.`,
		});
		expect(server.seen).toEqual([]);
	},
);

test('a request to another origin has no credential, even if only the port or name differs [6]', async () => {
	const server = await httpServer((_, response) => response.end());
	const send = transport({credential: bearer('http://127.0.0.1:1')});
	await readText(await send({method: 'GET', url: server.origin}));
	const named = transport({credential: bearer(`http://localhost:${server.port}`)});
	await readText(await named({method: 'GET', url: server.origin}));
	expect(JSON.stringify(server.seen)).not.toContain(key);
	expect(server.seen).toHaveLength(2);
});

test.each(['x-api-key', 'x-goog-api-key', 'bearer'] as const)(
	'a %s never follows a redirect to another origin [6] [7]',
	async kind => {
		const thief = await httpServer((_, response) => response.end());
		for (const status of [301, 302, 303, 307, 308]) {
			const location = `${thief.origin}/steal?token=1`;
			const server = await httpServer((_, response) => response.writeHead(status, {location}).end());
			const send = transport({credential: {...bearer(server.origin), kind}});
			await expect(send({method: 'GET', url: server.origin})).rejects.toMatchObject({
				code: 'network',
				message: `Not following the redirect of ${server.origin} to ${thief.origin}/steal: another server.`,
				hint: 'Check the address. If you trust the new one, use it instead.',
			});
		}

		expect(thief.seen).toEqual([]);
	},
);

test('a GET follows three redirects to the same origin, with its credential, and no more [7]', async () => {
	const server = await httpServer((request, response) => {
		const left = Number(request.url?.slice(1));
		response.writeHead(left > 0 ? 302 : 200, left > 0 ? {location: `/${left - 1}`} : {}).end('there');
	});
	const send = transport({credential: bearer(server.origin)});
	expect(await readText(await send({method: 'GET', url: `${server.origin}/3`}))).toBe('there');
	expect(server.seen.map(({url, headers}) => [url, headers.authorization])).toEqual(
		['/3', '/2', '/1', '/0'].map(url => [url, `Bearer ${key}`]),
	);
	await expect(send({method: 'GET', url: `${server.origin}/4`})).rejects.toThrow('more than 3 redirects in a row');
});

test('a POST is never sent twice, and an invalid redirect is not followed [7]', async () => {
	const server = await httpServer((request, response) => {
		response.writeHead(308, {location: request.url === '/bad' ? 'http://[' : '/next'}).end();
	});
	const send = transport();
	await expect(send({method: 'POST', url: server.origin, body: '{}'})).rejects.toThrow(
		'a POST request is never sent twice',
	);
	await expect(send({method: 'GET', url: `${server.origin}/bad`})).rejects.toThrow('to an invalid address');
	expect(server.seen).toHaveLength(2);
});

test.each(['Authorization', 'x-api-key', 'X-Goog-Api-Key', 'Proxy-Authorization', 'Cookie'])(
	'a caller that sets %s has a bug, and nothing is sent [6]',
	async name => {
		const server = await httpServer((_, response) => response.end());
		const sent = transport()({method: 'GET', url: server.origin, headers: {[name]: key}});
		await expect(sent).rejects.toThrow(new Error(`Only the transport may set the header ${name}.`));
		expect(server.seen).toEqual([]);
	},
);

test('plain HTTP to another machine must be allowed [9]', async () => {
	await expect(transport()({method: 'GET', url: 'http://far.test/x'})).rejects.toMatchObject({
		code: 'usage',
		message: 'Refusing plain HTTP to http://far.test (anyone on the network could read it).',
		hint: 'Use https, or pass --insecure-http.',
	});
	await expect(transport({insecureHttp: true})({method: 'GET', url: 'http://far.invalid/x'})).rejects.toMatchObject({
		code: 'network',
	});
});

test('addresses with a password or another scheme are rejected', async () => {
	for (const url of ['file:///etc/passwd', 'http://user:password@127.0.0.1/']) {
		await expect(transport()({method: 'GET', url})).rejects.toMatchObject({code: 'usage'});
	}
});

test('responses of every status are returned as they are', async () => {
	const server = await httpServer((request, response) => response.writeHead(Number(request.url?.slice(1))).end('x'));
	const send = transport();
	for (const status of [200, 304, 400, 401, 404, 429, 500, 529]) {
		const answer = await send({method: 'GET', url: `${server.origin}/${status}`});
		expect(answer.status).toBe(status);
		await readText(answer);
	}
});
