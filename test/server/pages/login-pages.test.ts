import crypto, {randomUUID} from 'node:crypto';
import {rm} from 'node:fs/promises';
import {syncBuiltinESMExports} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Secret, TOTP} from 'otpauth';
import {expect, onTestFinished, test, vi} from 'vitest';
import {countAttempt} from '../../../src/server/accounts/attempts.ts';
import {setPassword} from '../../../src/server/accounts/browser-login.ts';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import {startEnrollment, verifyEnrollment} from '../../../src/server/accounts/second-factor.ts';
import {startServer} from '../../../src/server/run/start.ts';
import {createTestServer, origin, type TestServer} from '../harness.ts';
import {type Browser, createBrowser} from './browser.ts';
import {storePassword} from './stored-password.ts';

const email = 'owner@acme.example';
const password = 'correct horse battery';
const wrong = 'Wrong e-mail address or password.';

async function withPassword() {
	const server = await createTestServer();
	await storePassword(server, server.owner.id, password);
	return {server, browser: createBrowser(server.app)};
}

const codeOf = ({services}: TestServer, secret: string) =>
	new TOTP({secret: Secret.fromBase32(secret)}).generate({timestamp: services.now().getTime()});

async function enroll(server: TestServer) {
	const secret = await startEnrollment(server.services, server.owner.id);
	const result = await verifyEnrollment(server.services, server.owner.id, codeOf(server, secret));
	server.advance(60_000);
	return {secret, recoveryCodes: result.kind === 'enrolled' ? result.recoveryCodes : []};
}

async function signIn(browser: Browser, path = '/sign-in') {
	await browser.open(path);
	return await browser.submit('/sign-in', {email, password});
}

test('the first login is by API key, and opens only what needs no more', async () => {
	const server = await createTestServer();
	const browser = createBrowser(server.app);
	expect((await browser.open('/')).title).toBe('Log in');
	await browser.open('/sign-in/key');
	expect((await browser.submit('/sign-in/key', {api_key: ` ${server.owner.key} `})).title).toBe('Your account');
	await browser.open('/account');
	expect((await browser.submit('/sign-out')).title).toBe('Log in');
	expect((await browser.open('/account')).title).toBe('Log in');
});

test('[26] a wrong password, an unknown address and a suspended user get one and the same answer', async () => {
	const {server, browser} = await withPassword();
	const member = await server.join('member');
	await server.database
		.updateTable('users')
		.set({email: 'gone@acme.example', suspended_at: server.services.now().toISOString()})
		.where('id', '=', member.id)
		.execute();
	await storePassword(server, member.id, password);
	const token = (await browser.open('/sign-in')).html.match(/[\da-f]{64}/)?.[0] ?? '';
	const answers = [];
	for (const [address, secret] of [
		[email, 'not my password'],
		['nobody@acme.example', password],
		['gone@acme.example', password],
		["' or 1=1 --", password],
	] as const) {
		const {status, html, problem} = await browser.submit('/sign-in', {email: address, password: secret});
		answers.push([status, problem, html.replaceAll(token, '').replace(/value="[^"]*" autocomplete="username"/, '')]);
	}

	expect(answers[0]?.slice(0, 2)).toEqual([400, wrong]);
	expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
});

test('[26] a started server hashes at full cost, and for an unknown address as long as for a known one', async () => {
	const folder = join(tmpdir(), `service-login-${randomUUID()}`);
	onTestFinished(() => rm(folder, {recursive: true, force: true}));
	const location = {engine: 'sqlite', file: ':memory:'} as const;
	const {services, app, close} = await startServer({location, folder, publicUrl: origin, environment: {}});
	onTestFinished(close);
	const {userId} = await initialize(services, {organization: 'acme', workspace: 'main', project: 'web', email});
	await setPassword(services, userId, password);
	const {password_hash} = await services.database.selectFrom('users').select('password_hash').executeTakeFirstOrThrow();
	expect(password_hash).toMatch(/^scrypt\$32768\$8\$3\$/);
	const browser = createBrowser(app);
	await browser.open('/sign-in');
	const hashing = vi.spyOn(crypto, 'scrypt');
	syncBuiltinESMExports();
	onTestFinished(() => {
		hashing.mockRestore();
		syncBuiltinESMExports();
	});
	const costOf = async (address: string) => {
		hashing.mockClear();
		await browser.submit('/sign-in', {email: address, password: 'not mine'});
		return hashing.mock.calls.map(([, , bytes, {N, r, p} = {}]) => ({bytes, N, r, p}));
	};
	const known = await costOf(email);
	expect(known).toEqual([{bytes: 32, N: 32_768, r: 8, p: 3}]);
	expect(await costOf('nobody@acme.example')).toEqual(known);
});

test('after ten guesses the answer is 429, for known and unknown addresses and for the right password', async () => {
	const {server, browser} = await withPassword();
	await browser.open('/sign-in');
	for (const address of [email, 'nobody@acme.example']) {
		// Counted without the ten slow comparisons.
		for (let count = 0; count < 10; count += 1) {
			await countAttempt(server.services, 'sign-in', JSON.stringify([address, '127.0.0.1']));
		}

		const {status, headers, problem} = await browser.submit('/sign-in', {email: address.toUpperCase(), password});
		expect([status, headers.get('retry-after'), problem]).toEqual([
			429,
			'900',
			'Too many attempts. Try again in 15 minutes.',
		]);
	}

	server.advance(900_000);
	expect((await browser.submit('/sign-in', {email, password})).title).toBe('Your account');
});

test("a stranger’s guesses don't lock users out, and guesses from many networks are limited too", async () => {
	const {server} = await withPassword();
	const {services} = server;
	for (let count = 0; count < 10; count += 1) {
		await countAttempt(services, 'sign-in', JSON.stringify([email, '203.0.113.9']));
	}

	const [stranger, user] = ['203.0.113.9', '198.51.100.7'].map(address =>
		createBrowser(server.app, undefined, address),
	);
	expect([await stranger?.open('/sign-in'), await stranger?.submit('/sign-in', {email, password})]).toMatchObject([
		{status: 200},
		{status: 429},
	]);
	await user?.open('/sign-in');
	expect((await user?.submit('/sign-in', {email, password}))?.title).toBe('Your account');

	for (let count = 0; count < 100; count += 1) {
		await countAttempt(services, 'sign-in-anywhere', email);
	}

	const third = createBrowser(server.app, undefined, '192.0.2.1');
	await third.open('/sign-in');
	expect((await third.submit('/sign-in', {email, password: 'a guess'})).status).toBe(429);
});

test("one network can't keep the server busy comparing passwords", async () => {
	const {server} = await withPassword();
	for (let count = 0; count < 60; count += 1) {
		await countAttempt(server.services, 'sign-in-network', '127.0.0.1');
	}

	const browser = createBrowser(server.app);
	await browser.open('/sign-in');
	expect((await browser.submit('/sign-in', {email, password})).headers.get('retry-after')).toBe('60');
});

test('[26] with a second factor nothing opens before its code, which works once', async () => {
	const {server, browser} = await withPassword();
	const {secret, recoveryCodes} = await enroll(server);
	expect((await signIn(browser, '/sign-in?next=%2Fdevice')).title).toBe('Enter your code');
	for (const path of ['/account', '/device', '/account/password', '/account/second-factor']) {
		expect((await browser.open(path)).title).toBe('Enter your code');
	}

	const code = codeOf(server, secret);
	const denied = await browser.submit('/sign-in/code', {code: '000000'});
	expect([denied.status, denied.problem]).toEqual([400, 'That code is wrong or already used. Wait for the next one.']);
	expect((await browser.submit('/sign-in/code', {code})).title).toBe('Second factor');

	const thief = createBrowser(server.app);
	await signIn(thief);
	expect((await thief.submit('/sign-in/code', {code})).status).toBe(400);
	const [recovery = ''] = recoveryCodes;
	expect((await thief.submit('/sign-in/code', {code: recovery})).title).toBe('Your account');

	const late = createBrowser(server.app);
	await late.open('/sign-in/key');
	expect((await late.submit('/sign-in/key', {api_key: server.owner.key})).title).toBe('Enter your code');
	expect((await late.submit('/sign-in/code', {code: recovery})).status).toBe(400);
	server.advance(600_000);
	expect((await late.submit('/sign-in/code', {code: codeOf(server, secret)})).title).toBe('Log in');
});

test("[26] each login step renews the session's secret, and the session ends after twelve hours", async () => {
	const {server, browser} = await withPassword();
	const {secret} = await enroll(server);
	const seen = new Set<string>();
	const note = () => [...browser.cookies.values()].map(value => seen.add(value));
	await browser.open('/sign-in');
	note();
	await browser.submit('/sign-in', {email, password});
	note();
	await browser.submit('/sign-in/code', {code: codeOf(server, secret)});
	note();
	expect(seen.size).toBe(3);
	const stored = JSON.stringify(await server.database.selectFrom('browser_sessions').selectAll().execute());
	expect([...seen].filter(value => stored.includes(value))).toEqual([]);
	server.advance(12 * 3_600_000);
	expect((await browser.open('/account')).title).toBe('Log in');
});

test('[26] revoking the key that a session was opened with, or suspending its user, ends the session', async () => {
	const {server} = await withPassword();
	const [byKey, byPassword] = [createBrowser(server.app), createBrowser(server.app)];
	await byKey.open('/sign-in/key');
	await byKey.submit('/sign-in/key', {api_key: server.owner.key});
	await signIn(byPassword);
	const {json: keys} = await server.send('/api/v1/user/api-keys');
	await server.send(`/api/v1/user/api-keys/${keys[0].id}`, {method: 'DELETE'});
	expect([(await byKey.open('/account')).title, (await byPassword.open('/account')).title]).toEqual([
		'Log in',
		'Your account',
	]);
	await server.database.updateTable('users').set({suspended_at: server.services.now().toISOString()}).execute();
	expect((await byPassword.open('/account')).title).toBe('Log in');
});
