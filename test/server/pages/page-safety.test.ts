import {createHash} from 'node:crypto';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {createApp} from '../../../src/server/http/app.ts';
import {readNext} from '../../../src/server/pages/next.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {beginLogin, client, postForm} from '../oauth/oauth.ts';
import {type Browser, createBrowser} from './browser.ts';
import {storePassword} from './stored-password.ts';

const password = 'correct horse battery';

async function signedIn(server: TestServer): Promise<Browser> {
	const browser = createBrowser(server.app);
	await storePassword(server, server.owner.id, password);
	await browser.open('/sign-in');
	const {email} = await server.database.selectFrom('users').select('email').executeTakeFirstOrThrow();
	await browser.submit('/sign-in', {email, password});
	return browser;
}

const open = ['/password', '/sign-in', '/sign-in/key'];
const signed = ['/account', '/account/logins', '/account/password', '/account/second-factor', '/device'];

test.each([...open, ...signed])('the page %s allows only its own style, and is accessible', async path => {
	const server = await createTestServer();
	const browser = open.includes(path) ? createBrowser(server.app) : await signedIn(server);
	const {html, headers, title, status} = await browser.open(path);
	const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? '';
	const hash = createHash('sha256').update(style).digest('base64');
	expect([status, Object.fromEntries(headers)]).toEqual([
		200,
		expect.objectContaining({
			'content-type': 'text/html; charset=utf-8',
			'cache-control': 'no-store',
			'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
			'referrer-policy': 'same-origin',
			'x-content-type-options': 'nosniff',
			'x-frame-options': 'DENY',
		}),
	]);
	expect(html).not.toMatch(
		/<script|<iframe|<img|<link| style=| on[a-z]+=|https?:\/\/(?!127\.0\.0\.1:8700|www\.w3\.org)/,
	);
	expect(html).toMatch(/^<!doctype html>\n<html lang="en">/);
	expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
	expect(html).toContain(`<title>${title} · service</title>`);
	expect(html.match(/<h1>/g)).toHaveLength(1);

	const labels = [...html.matchAll(/<label for="([^"]*)"/g)].map(([, name]) => name);
	const fields = [...html.matchAll(/<input id="([^"]*)"/g)].map(([, name]) => name);
	expect(labels).toEqual(fields);
	expect([...html.matchAll(/<input (?!id=|type="hidden"|type="text" hidden )/g)]).toEqual([]);
});

test('an error is announced and linked to its field', async () => {
	const browser = createBrowser((await createTestServer()).app);
	await browser.open('/sign-in/key');
	const {html} = await browser.submit('/sign-in/key', {api_key: 'svc_no'});
	expect(html).toContain('<title>Error: Log in with an API key · service</title>');
	expect(html).toContain('<p role="alert" id="problem">That API key isn’t valid on this server.</p>');
	expect(html).toMatch(/<input id="api_key"[^>]* aria-invalid="true"\s+aria-describedby="api_key-hint problem"/);
	expect(html).not.toContain('svc_no');
});

test.each<[string, {origin?: string | undefined; formToken?: string}]>([
	['a forged token', {formToken: 'a'.repeat(64)}],
	['no token', {formToken: ''}],
	['no origin', {origin: undefined}],
	['another page’s origin', {origin: 'http://evil.example'}],
	['an origin without a name', {origin: 'null'}],
	['https in the place of http', {origin: 'https://127.0.0.1:8700'}],
	['another port', {origin: 'http://127.0.0.1:8701'}],
])('[25] a form with %s does nothing', async (_, sending) => {
	const server = await createTestServer();
	const browser = await signedIn(server);
	const {userCode} = await beginLogin(server);
	const actions: [string, string, Record<string, string>][] = [
		['/device', '/device', {user_code: userCode}],
		[
			'/account/password',
			'/account/password',
			{current_password: password, password: 'correct horse', repeated: 'correct horse'},
		],
		['/account/second-factor', '/account/second-factor/start', {}],
		['/account', '/sign-out', {}],
	];
	const before = await server.database.selectFrom('users').selectAll().execute();
	for (const [page, action, fields] of actions) {
		await browser.open(page);
		const {status} = await browser.submit(action, fields, sending);
		expect([action, status]).toEqual([action, 403]);
	}

	expect(await server.database.selectFrom('users').selectAll().execute()).toEqual(before);
	expect((await browser.open('/account')).title).toBe('Your account');
});

test('[25] a form token is invalid in another browser, and after login', async () => {
	const server = await createTestServer();
	const [mine, other] = [await signedIn(server), createBrowser(server.app)];
	const foreign = /name="form_token" value="([^"]*)"/.exec((await other.open('/sign-in')).html)?.[1] ?? '';
	await mine.open('/account');
	expect((await mine.submit('/sign-out', {}, {formToken: foreign})).status).toBe(403);

	const before = /name="form_token" value="([^"]*)"/.exec((await other.open('/sign-in/key')).html)?.[1] ?? '';
	await other.submit('/sign-in/key', {api_key: server.owner.key});
	expect((await other.submit('/sign-out', {}, {formToken: before})).status).toBe(403);
});

const injection = `"'><script>alert(1)</script><svg onload=alert(1)>{{7*7}}\u202e&lt;`;

test('[1] every page escapes text that others wrote', async () => {
	const server = await createTestServer();
	await server.database.updateTable('users').set({email: injection}).where('id', '=', server.owner.id).execute();
	const browser = await signedIn(server);
	const pages = [await browser.open('/account'), await browser.open('/account/password')];
	await browser.open('/account/second-factor');
	pages.push(await browser.submit('/account/second-factor/start'));
	const {json} = await postForm(server.app, '/oauth/device_authorization', client, {
		'user-agent': injection.replace('\u202e', ''),
	});
	await browser.open('/device');
	pages.push(await browser.submit('/device', {user_code: injection}));
	pages.push(await browser.submit('/device', {user_code: json.user_code}));
	const stranger = createBrowser(server.app);
	await stranger.open(`/sign-in?next=${encodeURIComponent(injection)}`);
	pages.push(await stranger.submit('/sign-in', {email: injection, password: injection}));
	for (const {html, path} of pages) {
		expect([path, html]).toEqual([path, expect.stringContaining('&quot;&#39;&gt;&lt;script&gt;')]);
		expect(html).not.toMatch(/<script|<svg onload/);
	}
});

test.each([
	'https://evil.example',
	'//evil.example',
	'/\\evil.example',
	'/\t/evil.example',
	'javascript:alert(1)',
	'/sign-out',
	'/device/../..//evil.example',
	'/account@evil.example',
	'/invite/svi_x',
	`/invite/svi_${'a'.repeat(43)}/../..//evil.example`,
	'/device#@evil.example/',
	'',
])('%j is not followed after the login', async next => {
	const server = await createTestServer();
	const browser = createBrowser(server.app);
	await browser.open(`/sign-in/key?next=${encodeURIComponent(next)}`);
	const {path, status} = await browser.submit('/sign-in/key', {api_key: server.owner.key});
	expect([status, ['/account', '/device'].includes(path)]).toEqual([200, true]);
});

test('the next page is always a page of this server', () => {
	const ours =
		/^(?:\/account(?:\/logins|\/password|\/second-factor)?|\/device(?:\?user_code=[B-Z]{4}-[B-Z]{4})?|\/invite\/svi_[\w-]{43})$/;
	const parts = fc.constantFrom(
		'/',
		'\\',
		'//',
		'device',
		'account',
		'invite',
		`svi_${'a'.repeat(43)}`,
		'?user_code=',
		'WDJBMJHT',
		'@',
		':',
		'.',
		'%2f',
		'\n',
		'x',
	);
	fc.assert(
		fc.property(
			fc.oneof(
				fc.string(),
				fc.array(parts).map(list => list.join('')),
			),
			asked => {
				expect(readNext(asked)).toMatch(ours);
			},
		),
	);
});

test('the cookie is sent to this server only, and only over https where it has https', async () => {
	const server = await createTestServer();
	const ask = async (publicUrl: string, names: string[]) => {
		const app = createApp({services: {...server.services, publicUrl: () => publicUrl}, names});
		const {host} = new URL(publicUrl);
		return (await app(new Request(`${publicUrl}/sign-in`, {headers: {host}}))).headers.get('set-cookie');
	};
	expect(await ask('http://127.0.0.1:8700', [])).toMatch(
		/^service-8700=svs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
	);
	expect(await ask('https://agents.example', ['agents.example'])).toMatch(
		/^__Host-service=svs_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
	);
});

test('a form that is too large or malformed is rejected', async () => {
	const server = await createTestServer();
	const browser = await signedIn(server);
	await browser.open('/device');
	expect((await browser.submit('/device', {user_code: 'x'.repeat(70_000)})).status).toBe(403);
	const json = await server.send('/device', {method: 'POST', body: {user_code: 'x'}});
	expect(json.status).toBe(400);
});
