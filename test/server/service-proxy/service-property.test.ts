import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createToken} from '../../../src/server/accounts/token.ts';
import {readServiceTarget} from '../../../src/server/service-proxy/service-target.ts';
import {sendBytes, withServices} from './proxied.ts';

const runs = {numRuns: 50};

/** What paths are made of that somebody reads differently. */
const pieces = fc.constantFrom(
	...[
		'/',
		'//',
		'.',
		'..',
		'...',
		'%2e',
		'%2E%2e',
		'%252e%252e',
		'%2f',
		'%5c',
		'\\',
		';',
		';x',
		'@',
		':',
		'#',
		'?',
		'&',
		'=',
	],
	...['a', 'web', 'api', 'v1', 'sandboxes', 'execute_token', '%00', '%0d%0a', ' ', '~', '%', '%zz', 'é', '\t'],
);
const paths = fc.array(pieces, {maxLength: 12}).map(parts => parts.join(''));

test('[27] no reading of an accepted path leads out of the service', () => {
	const place = {publicUrl: 'http://127.0.0.1:8700/agents', domain: undefined};
	const id = '00000000-0000-4000-8000-000000000000';
	fc.assert(
		fc.property(paths, path => {
			const target = readServiceTarget({url: `/agents/sandboxes/${id}/web/${path}`, host: '127.0.0.1'}, place);
			if (target === undefined || target === 'invalid') {
				expect(target).toBe('invalid');
				return;
			}

			expect(target).toMatchObject({environmentId: id, service: 'web', base: `/agents/sandboxes/${id}/web`});
			expect(target.path).toMatch(/^\/[!-"$-[\]-~]*$/);
			const [start = ''] = target.path.split('?');
			for (let decoded = `/outside/service${start}`, times = 0; times < 4; times++) {
				const {pathname} = new URL(`http://host${decoded.replaceAll('\\', '/').replace(/\/+/g, '/')}`);
				expect(`${pathname}/`).toMatch(/^\/outside\/service\//);
				decoded = decoded.replace(/%(?:25|2e|2f|5c)/gi, decodeURIComponent);
			}
		}),
		{numRuns: 2000},
	);
});

test('[27] whatever a client sends, no credential and no cookie of ours reaches the service', async () => {
	const {server, url, base, token, id} = await withServices();
	const {host} = new URL(url);
	const ours = [
		server.owner.key,
		token,
		...(['access', 'session', 'refresh'] as const).map(kind => createToken(kind).token.reveal()),
	];
	const secret = fc.constantFrom(...ours);
	const value = fc.oneof(
		secret,
		secret.map(each => `Bearer ${each}`),
		secret.map(each => `a=b; service-8700=${each}; c=${each}; d=e`),
		secret.map(each => `${url}${base}/?execute_token=${each}`),
		fc.constantFrom('127.0.0.1', 'for=127.0.0.1', 'close, X-Api-Key', 'plain', 'service-sandbox=x; own=1'),
	);
	const name = fc.constantFrom(
		...[
			'Authorization',
			'X-API-Key',
			'Cookie',
			'cookie',
			'Referer',
			'X-Forwarded-For',
			'X-Forwarded-Host',
			'Forwarded',
		],
		...[
			'X-Real-IP',
			'X-Service-Client-Address',
			'Proxy-Authorization',
			'X-Custom',
			'Via',
			'TE',
			'Keep-Alive',
			'X-AUTH',
		],
	);
	const query = fc.array(
		fc.oneof(
			secret.map(each => `execute_token=${each}`),
			secret.map(each => `execute%5ftoken=${each}`),
			fc.constantFrom('x=1', 'y', '='),
		),
		{maxLength: 3},
	);
	let reached = 0;
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.tuple(name, value), {maxLength: 8}),
			query,
			fc.boolean(),
			async (headers, pairs, isKnown) => {
				const known = isKnown ? [['authorization', `Bearer ${server.owner.key}`] as const] : [];
				const lines = [...known, ...headers].map(([each, text]) => `${each}: ${text}\r\n`).join('');
				const received = await sendBytes(
					url,
					`GET ${base}/echo${pairs.length > 0 ? `?${pairs.join('&')}` : ''} HTTP/1.1\r\nHost: ${host}\r\n${lines}Connection: close\r\n\r\n`,
				);
				if (!received.startsWith('HTTP/1.1 200')) {
					expect(received).toMatch(/^HTTP\/1\.1 40[0-4]/);
					return;
				}

				reached++;
				const asked = /\{"method".*\}/.exec(received)?.[0] ?? '{}';
				const {rawHeaders, url: path} = JSON.parse(asked) as {rawHeaders: string[]; url: string};
				expect(asked).not.toMatch(/sv[acdiprsx]_/);
				expect(path).toMatch(/^\/echo(?:\?.*)?$/);
				const names = rawHeaders.filter((_, index) => index % 2 === 0).map(each => each.toLowerCase());
				const cookies = rawHeaders.filter(
					(_, index) => /^cookie$/i.test(rawHeaders[index - 1] ?? '') && index % 2 === 1,
				);
				expect(cookies.join()).not.toMatch(/service-/);
				const forbidden = /^(?:x-api-key|x-forwarded-for|forwarded|x-real-ip|x-service-.*|proxy-.*|via|te|keep-alive)$/;
				expect(names.filter(each => forbidden.test(each))).toEqual([]);
				expect(rawHeaders[names.indexOf('x-forwarded-prefix') * 2 + 1]).toBe(`/sandboxes/${id}/web`);
			},
		),
		runs,
	);
	expect(reached).toBeGreaterThan(0);
});
