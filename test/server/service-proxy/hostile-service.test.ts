import {describe, expect, test} from 'vitest';
import {freePort} from '../../free-port.ts';
import {nginx, startNginx} from '../nginx.ts';
import {eventually} from '../sandboxes/sandbox.ts';
import {ask, open, sendBytes, withServices} from './proxied.ts';

/** The path of an answer with these headers. */
const answerWith = (headers: readonly (readonly [string, string])[], status = 200) =>
	`/answer?with=${encodeURIComponent(JSON.stringify({headers, status}))}`;

test('[27] a service rules neither other paths nor the browser nor a proxy in front', async () => {
	const {ask: askService, base, url, token, port} = await withServices();
	const hostile = [
		['Strict-Transport-Security', 'max-age=1'],
		['Clear-Site-Data', '"*"'],
		['Service-Worker-Allowed', '/'],
		['Alt-Svc', 'h2=":1"'],
		['Refresh', '0; url=/'],
		['WWW-Authenticate', 'Basic realm="log in"'],
		['Access-Control-Allow-Origin', '*'],
		['X-Accel-Redirect', '/internal'],
		['X-Sendfile', '/etc/passwd'],
		['Report-To', '{}'],
		['NEL', '{}'],
		['X-Service-Forward', 'x'],
		['X-Hop', '1'],
		['Connection', 'X-Hop, close'],
		['Keep-Alive', 'timeout=1000'],
		['Proxy-Authenticate', 'Basic'],
		['Set-Cookie', 'a=b; Path=/; Domain=example.com'],
		['Set-Cookie', 'c=d; Path=/deep'],
		['Set-Cookie', 'e=f; Path=/../../api'],
		['Set-Cookie', 'service-8700=stolen; Path=/'],
		['Set-Cookie', '__Host-service=stolen; Path=/; Secure'],
		['Set-Cookie', 'service-sandbox=stolen'],
		['Cache-Control', 'public, max-age=60, s-maxage=60'],
		['Content-Security-Policy', "default-src 'self'"],
		['X-Own', 'kept'],
	] as const;
	const {rawHeaders} = await askService(`${base}${answerWith(hostile)}`);
	const received = Array.from({length: rawHeaders.length / 2}, (_, index) =>
		rawHeaders.slice(2 * index, 2 * index + 2),
	);
	expect(
		received.filter(([name]) => !/^(?:date|transfer-encoding|connection|content-length)$/i.test(name ?? '')),
	).toEqual([
		['Set-Cookie', `a=b; Path=${base}/`],
		['Set-Cookie', `c=d; Path=${base}/deep`],
		['Set-Cookie', `e=f; Path=${base}/`],
		['Cache-Control', 'private, max-age=60'],
		['Content-Security-Policy', "default-src 'self'"],
		['X-Own', 'kept'],
		['content-security-policy', 'sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads'],
		['x-content-type-options', 'nosniff'],
	]);
	expect(received.find(([name]) => name?.toLowerCase() === 'connection')?.[1]).not.toContain('X-Hop');

	// A browser at the shared host keeps none of its cookies.
	const browser = {headers: {cookie: `service-sandbox=${token}`}};
	expect((await ask(url, `${base}${answerWith(hostile)}`, browser)).headers['set-cookie']).toBe(undefined);

	const places: ReadonlyArray<readonly [string, string | undefined]> = [
		['/login', `${base}/login`],
		['next', `${base}/next`],
		[`http://127.0.0.1:${port}/login?x#y`, `${base}/login?x#y`],
		[`${base}/known`, `${base}/known`],
		[`${url}${base}/known`, `${base}/known`],
		['/../../api/v1/org', `${base}/api/v1/org`],
		['/%2e%2e/%2e%2e/api', `${base}/api`],
		['..%2f..%2f..%2fapi', undefined],
		[`${url}/api/v1/user/preferences`, undefined],
		[`${url}${base}/../../../api`, undefined],
		['//evil.example/', undefined],
		['/\\evil.example/', undefined],
		['https://evil.example/', undefined],
		[`http://127.0.0.1:${port}@evil.example/`, undefined],
		[`http://user@127.0.0.1:${port}/`, undefined],
		['javascript:alert(1)', undefined],
		['http://[', undefined],
	];
	for (const [given, expected] of places) {
		const {status, headers} = await askService(`${base}${answerWith([['Location', given]], 302)}`);
		expect([given, status, headers.location]).toEqual([given, 302, expected]);
	}
});

test('[27] nothing that a service breaks reaches the client as another answer', async () => {
	const {raw, url, key, ask: askService} = await withServices({answerTimeoutMs: 2000});
	const broken = async (path: string) => {
		try {
			const {status, body} = await askService(`${raw}${path}`);
			return [status, body.startsWith('{') ? JSON.parse(body).detail : body];
		} catch (error) {
			return [0, (error as NodeJS.ErrnoException).code];
		}
	};
	const invalid = [502, 'The service sent no valid HTTP/1.1 response.'];
	expect(await broken('/length-and-chunks')).toEqual(invalid);
	expect(await broken('/two-lengths')).toEqual(invalid);
	expect(await broken('/bare-line')).toEqual(invalid);
	expect(await broken('/strange-status')).toEqual(invalid);
	expect(await broken('/no-http')).toEqual(invalid);
	expect(await broken('/switches')).toEqual(invalid);
	expect(await broken('/bad-chunk')).toEqual([0, 'ECONNRESET']);
	expect(await broken('/short')).toEqual([0, 'ECONNRESET']);
	expect(await broken('/two-answers')).toEqual([200, 'hello']);
	expect(await broken('/many-hints')).toEqual([200, 'hello']);
	expect(await broken('/endless-headers')).toEqual([502, 'The service sent headers of more than 32 KiB.']);
	expect(await broken('/silent')).toEqual([504, 'The service did not respond in time.']);

	const {host} = new URL(url);
	const asked = (path: string) =>
		`GET ${raw}${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${key.authorization}\r\n`;
	const trailed = await sendBytes(url, `${asked('/trailer')}Connection: close\r\n\r\n`);
	expect(trailed).toContain('hello');
	expect(trailed).not.toMatch(/evil|trailer:/i);
	// The second answer of a connection is that of the second request.
	const both = await sendBytes(url, `${asked('/two-answers')}\r\n${asked('/ok')}Connection: close\r\n\r\n`);
	expect([both.match(/HTTP\/1\.1 200/g)?.length, both.includes('evil'), both.endsWith('0\r\n\r\n')]).toEqual([
		2,
		false,
		false,
	]);
});

test('[27] a service gets no connection that the client takes for another protocol', async () => {
	const {base, url, key} = await withServices();
	const {host} = new URL(url);
	const upgrade = (path: string, changed: Readonly<Record<string, string>> = {}) => {
		const headers = {
			Host: host,
			Authorization: key.authorization,
			Connection: 'Upgrade',
			Upgrade: 'websocket',
			'Sec-WebSocket-Version': '13',
			'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
			...changed,
		};
		const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
		return sendBytes(url, `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
	};
	for (const [path, status, changed] of [
		[`${base}/refuses`, 403, {}],
		[`${base}/wrong-key`, 502, {}],
		[`${base}/other-protocol`, 502, {}],
		[`${base}/socket`, 400, {'Sec-WebSocket-Version': '8'}],
		[`${base}/socket`, 400, {'Sec-WebSocket-Key': 'short'}],
		[`${base}/socket`, 400, {'Content-Length': '5'}],
		[`${base}/socket`, 401, {Authorization: 'none'}],
		[`${base}/socket`, 403, {Origin: 'http://evil.example'}],
		[`${base}/../web/socket`, 400, {}],
	] as const) {
		const received = await upgrade(path, changed);
		expect([path, changed, received.slice(0, 12)]).toEqual([path, changed, `HTTP/1.1 ${status}`]);
		expect(received).not.toContain('HTTP/1.1 200');
		expect(received.toLowerCase()).toContain('connection: close');
	}
});

test('[27] requests that two servers could read differently are refused', async () => {
	const {base, url, key, server} = await withServices();
	const {host} = new URL(url);
	const send = async (lines: readonly string[], body = '') => {
		const head = [`POST ${base}/echo HTTP/1.1`, `Authorization: ${key.authorization}`, 'Connection: close', ...lines];
		return (await sendBytes(url, `${head.join('\r\n')}\r\n\r\n${body}`)).slice(0, 12);
	};
	const chunks = '5\r\nhello\r\n0\r\n\r\n';
	expect(await send([`Host: ${host}`, 'Transfer-Encoding: chunked'], chunks)).toBe('HTTP/1.1 200');
	for (const lines of [
		['Content-Length: 5', 'Transfer-Encoding: chunked'],
		['Transfer-Encoding: chunked', 'Content-Length: 5'],
		['Content-Length: 5', 'Content-Length: 6'],
		['Content-Length: +5'],
		['Transfer-Encoding: gzip, chunked'],
		['Transfer-Encoding: chunked, identity'],
		['Transfer-Encoding : chunked'],
		['Host: evil.example'],
		['X-A: b\nX-B: c'],
		[`X-Large: ${'x'.repeat(20_000)}`],
	]) {
		expect([lines, await send([`Host: ${host}`, ...lines], chunks)]).toEqual([lines, 'HTTP/1.1 400']);
	}

	expect(await send(['Host: evil.example', 'Content-Length: 0'])).toBe('HTTP/1.1 403');
	expect(await send([`Host: ${host}`, 'Service-Worker: script', 'Content-Length: 0'])).toBe('HTTP/1.1 403');
	expect(server.entries.filter(({level}) => level === 'error')).toEqual([]);
});

describe.skipIf(!nginx)('behind nginx', () => {
	test('[27] streams pass, and a service gives nginx no orders', async () => {
		const port = await freePort();
		const publicUrl = `http://127.0.0.1:${port}/agents`;
		const {url, id, key} = await withServices({publicUrl});
		await startNginx(
			`server {
				listen 127.0.0.1:${port};
				location /agents/ {
					proxy_pass ${url}/;
					proxy_http_version 1.1;
					proxy_set_header Host $http_host;
					proxy_set_header Upgrade $http_upgrade;
					proxy_set_header Connection $http_connection;
					proxy_cookie_path off;
				}
				location /internal { internal; return 200 "secrets of the operator"; }
			}`,
			port,
		);
		const at = `http://127.0.0.1:${port}`;
		const base = `/agents/sandboxes/${id}/web`;
		const orders = answerWith([
			['X-Accel-Redirect', '/internal'],
			['Location', '/login'],
		]);
		const {headers, body} = await ask(at, `${base}${orders}`, {headers: key});
		expect([body, headers.location]).toEqual(['answered', `${base}/login`]);
		const events = await open(at, `${base}/events`, {headers: key});
		let streamed = '';
		events.response.setEncoding('utf8').on('data', chunk => {
			streamed += chunk;
		});
		await eventually(() => streamed === 'data: first\n\n');
	});
});
