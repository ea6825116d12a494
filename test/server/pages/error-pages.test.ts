import {expect, test} from 'vitest';
import {createTestServer, send} from '../harness.ts';
import {beginLogin} from '../oauth/oauth.ts';
import {createBrowser} from './browser.ts';

const browserHeaders = {accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8'};

test.each(['/nothing', '/api/v1/org/acme/members', '/api/v1/nothing', '/device/nothing/else', '/%E0%A4%A'])(
	'[26] a browser sees the same page at %s, and a program JSON',
	async path => {
		const {app, owner} = await createTestServer();
		const page = await send(app, path, {headers: browserHeaders});
		expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
		expect(page.text).toContain('This server has no page at this address.');
		expect(page.text).not.toContain(path);
		expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
		for (const accept of ['application/json', '*/*']) {
			expect((await send(app, path, {headers: {accept}})).json.code).toBe(401);
		}

		// A program that names HTML, too, sends its key.
		expect((await send(app, path, {headers: browserHeaders, key: owner.key})).headers.get('content-type')).toBe(
			'application/json',
		);
	},
);

test('browsers get an icon, which nothing can run in', async () => {
	const {app} = await createTestServer();
	const {status, headers, text} = await send(app, '/favicon.ico', {});
	expect([status, headers.get('content-type'), headers.get('content-security-policy')]).toEqual([
		200,
		'image/svg+xml',
		"default-src 'none'",
	]);
	expect(text).toMatch(/^<svg /);
});

test('a decision that is sent again leads to its page, and another decision or another user is refused', async () => {
	const server = await createTestServer();
	const [first, other] = [createBrowser(server.app), createBrowser(server.app)];
	const grace = await server.join('member');
	for (const [browser, api_key] of [
		[first, server.owner.key],
		[other, grace.key],
	] as const) {
		await browser.open('/sign-in/key');
		await browser.submit('/sign-in/key', {api_key});
	}

	const {userCode} = await beginLogin(server);
	const ask = async (browser: typeof first, decision: string) => {
		await browser.open('/device');
		const asked = await browser.submit('/device', {user_code: userCode});
		return asked.title === 'Authorize this device?' ? await browser.submit('/device/decision', {decision}) : asked;
	};
	await first.open('/device');
	await first.submit('/device', {user_code: userCode});
	const again = createBrowser(server.app);
	for (const [name, value] of first.cookies) {
		again.cookies.set(name, value);
	}

	await again.open('/device');
	await again.submit('/device', {user_code: userCode});
	const approved = await first.submit('/device/decision', {decision: 'approve'});
	expect([approved.title, approved.path]).toEqual(['Approved', '/device/approved']);
	expect((await first.open(approved.path)).title).toBe('Approved');
	expect((await again.submit('/device/decision', {decision: 'approve'})).title).toBe('Approved');
	expect((await ask(first, 'approve')).title).toBe('Approved');
	expect((await ask(other, 'approve')).problem).toBe('That code is wrong or has expired. Check your terminal.');
});
