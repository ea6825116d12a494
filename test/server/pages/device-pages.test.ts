import {expect, test} from 'vitest';
import {createTestServer, type TestServer} from '../harness.ts';
import {beginLogin, poll} from '../oauth/oauth.ts';
import {createBrowser, formsOf} from './browser.ts';

/** A browser in which the owner or another user is logged in. */
async function signedIn(server: TestServer, key = server.owner.key) {
	const browser = createBrowser(server.app);
	await browser.open('/sign-in/key');
	await browser.submit('/sign-in/key', {api_key: key});
	return browser;
}

test('a user who opens the page from the terminal logs in, sees the request, approves, and the app has access', async () => {
	const server = await createTestServer();
	const {deviceCode, userCode} = await beginLogin(server);
	const browser = createBrowser(server.app);
	await browser.open(`/device?user_code=${userCode}`);
	await browser.open(`/sign-in/key?next=${encodeURIComponent(`/device?user_code=${userCode}`)}`);
	const code = await browser.submit('/sign-in/key', {api_key: server.owner.key});
	expect([code.title, code.path, code.html.includes(`value="${userCode}"`)]).toEqual([
		'Authorize a device',
		`/device?user_code=${userCode}`,
		true,
	]);

	const approval = await browser.submit('/device', {user_code: userCode});
	const facts = approval.html
		.replace(/<\/dt>/g, ':')
		.replace(/<[^>]*>/g, ' ')
		.replace(/\s+/g, ' ');
	expect(approval.title).toBe('Authorize this device?');
	for (const fact of [
		`Code: ${userCode}`,
		'App: service/0.1 (linux)',
		'Requested at: 2026-03-01 12:00:00 UTC',
		'Server: http://127.0.0.1:8700',
		'Signed in as: owner@acme.example',
		'Access: Everything that you can do',
	]) {
		expect(facts).toContain(fact);
	}

	expect((await poll(server, deviceCode)).json.error).toBe('authorization_pending');
	expect((await browser.submit('/device/decision', {decision: 'approve'})).title).toBe('Approved');
	expect((await poll(server, deviceCode)).json).toMatchObject({token_type: 'Bearer'});
});

test('a denied login has ended, and a decision is final', async () => {
	const server = await createTestServer();
	const {deviceCode, userCode} = await beginLogin(server);
	const [first, second] = [await signedIn(server), await signedIn(server)];
	for (const browser of [first, second]) {
		await browser.open('/device');
		await browser.submit('/device', {user_code: userCode.toLowerCase().replace('-', ' ')});
	}

	expect((await first.submit('/device/decision', {decision: 'deny'})).title).toBe('Denied');
	const late = await second.submit('/device/decision', {decision: 'approve'});
	expect([late.status, late.problem]).toEqual([400, expect.stringMatching(/^That code is wrong or has expired\./)]);
	expect((await poll(server, deviceCode)).json.error).toBe('access_denied');
});

test('[26] a login approved with an API key ends with the key, whether or not its tokens were fetched', async () => {
	const server = await createTestServer();
	const {json: made} = await server.send('/api/v1/user/api-keys', {method: 'POST', body: {}});
	const browser = await signedIn(server, made.key);
	const logins = [await beginLogin(server), await beginLogin(server)];
	for (const {userCode} of logins) {
		await browser.open('/device');
		await browser.submit('/device', {user_code: userCode});
		await browser.submit('/device/decision', {decision: 'approve'});
	}

	const [fetched, waiting] = logins;
	const {json: tokens} = await poll(server, fetched?.deviceCode ?? '');
	expect((await server.send('/api/v1/user/preferences', {key: tokens.access_token})).status).toBe(200);
	await server.send(`/api/v1/user/api-keys/${made.id}`, {method: 'DELETE'});
	expect((await server.send('/api/v1/user/preferences', {key: tokens.access_token})).status).toBe(401);
	expect((await poll(server, waiting?.deviceCode ?? '')).json.error).toBe('access_denied');
});

test('only the Approve button approves', async () => {
	const server = await createTestServer();
	const browser = await signedIn(server);
	for (const decision of ['', 'Approve', 'approved', 'deny']) {
		const {userCode} = await beginLogin(server);
		await browser.open('/device');
		await browser.submit('/device', {user_code: userCode});
		expect((await browser.submit('/device/decision', {decision})).title).toBe('Denied');
	}
});

test.each(['', 'BBBB-BBBB', 'nonsense', "' or '1'='1", '%'])('the code “%s” is rejected', async typed => {
	const server = await createTestServer();
	await beginLogin(server);
	const browser = await signedIn(server);
	await browser.open('/device');
	const {status, problem} = await browser.submit('/device', {user_code: typed});
	expect([status, problem]).toEqual([400, expect.stringMatching(/^That code is wrong or has expired\./)]);
});

test('both forms limit how often a code can be tried', async () => {
	const server = await createTestServer();
	const {userCode} = await beginLogin(server);
	const browser = await signedIn(server);
	await browser.open('/device');
	for (let count = 0; count < 29; count += 1) {
		await browser.submit('/device', {user_code: 'BBBB-BBBB'});
	}

	expect((await browser.submit('/device', {user_code: userCode})).title).toBe('Authorize this device?');
	const {status, headers, problem} = await browser.submit('/device/decision', {decision: 'approve'});
	expect([status, headers.get('retry-after'), problem]).toEqual([
		429,
		'900',
		'Too many attempts. Try again in 15 minutes.',
	]);
	expect((await (await signedIn(server, (await server.join('member')).key)).open('/device')).status).toBe(200);
});

test('a URL with a code fills in only the code', async () => {
	const server = await createTestServer();
	const browser = await signedIn(server);
	for (const asked of ['"><script>alert(1)</script>', 'wdjbmjh', 'https://evil.example']) {
		const {html, status} = await browser.open(`/device?user_code=${encodeURIComponent(asked)}`);
		expect([status, /name="user_code"[^>]* value="([^"]*)"/.exec(html)?.[1]]).toEqual([200, '']);
	}

	const {html} = await browser.open('/device?user_code=wdjbmjht');
	expect(formsOf(html).map(({target}) => target)).toEqual(['/sign-out', '/device']);
	expect(html).toContain('value="WDJB-MJHT"');
});
