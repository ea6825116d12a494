import {expect, test} from 'vitest';
import {choosePassword, createPasswordCode, findPasswordCode} from '../../../src/server/accounts/password-code.ts';
import {createTestServer} from '../harness.ts';
import {type Browser, createBrowser} from './browser.ts';
import {storePassword} from './stored-password.ts';

const email = 'owner@acme.example';
const password = 'correct horse battery';
const chosen = {password, repeated: password};
const refused = 'That code is wrong, already used, or older than 3 days.';

async function prepare() {
	const server = await createTestServer();
	const makeCode = async () => (await createPasswordCode(server.services, server.owner.id)).reveal();
	return {server, makeCode, browser: createBrowser(server.app)};
}

async function signIn(browser: Browser, secret = password) {
	await browser.open('/sign-in');
	return await browser.submit('/sign-in', {email, password: secret});
}

async function logInWithKey(browser: Browser, key: string) {
	await browser.open('/sign-in/key');
	return await browser.submit('/sign-in/key', {api_key: key});
}

test('a code sets a password once, and the user logs in with it from then on', async () => {
	const {makeCode, browser} = await prepare();
	const code = await makeCode();
	await browser.open('/password');
	const short = await browser.submit('/password', {code: ` ${code} `, password: 'short', repeated: 'short'});
	expect([short.status, short.problem]).toEqual([400, 'A password needs 10 to 256 characters; this one has 5.']);
	const differ = await browser.submit('/password', {code, password, repeated: `${password}!`});
	expect(differ.problem).toBe('The passwords don’t match.');
	expect(differ.html.match(/<input id="\w+"[^>]* autofocus aria-invalid="true"/g)).toEqual([
		expect.stringContaining('id="repeated"'),
	]);
	expect(differ.html).toContain(`value="${code}"`);
	const own = await browser.submit('/password', {code, password: email, repeated: email});
	expect(own.problem).toBe('The password must differ from your e-mail address.');
	const saved = await browser.submit('/password', {code, ...chosen});
	expect([saved.status, saved.title]).toEqual([200, 'Your password is saved']);
	expect(saved.html).toContain(email);

	await browser.open('/password');
	const again = await browser.submit('/password', {code, ...chosen});
	expect([again.status, again.problem]).toEqual([400, refused]);
	expect(again.html).not.toContain(code);
	expect((await signIn(browser)).title).toBe('Your account');
});

test('[26] an API key alone sets no password, and its sessions end when the user sets one', async () => {
	const {server, makeCode, browser} = await prepare();
	const thief = createBrowser(server.app);
	const account = await logInWithKey(thief, server.owner.key);
	expect(account.html).toContain('<a href="/password">Choose a password</a>');
	expect((await thief.open('/account/password')).path).toBe('/password');
	expect((await thief.submit('/password', {code: server.owner.key, ...chosen})).problem).toBe(refused);
	await thief.open('/account');
	const forged = await thief.submit('/sign-out', chosen, {target: '/account/password'});
	expect(forged.path).toBe('/password');
	const {password_hash} = await server.database.selectFrom('users').select('password_hash').executeTakeFirstOrThrow();
	expect(password_hash).toBeNull();

	await browser.open('/password');
	await browser.submit('/password', {code: await makeCode(), ...chosen});
	expect((await thief.open('/account')).title).toBe('Log in');
	// The key is still an API key, and still not enough.
	await logInWithKey(thief, server.owner.key);
	await thief.open('/account/password');
	const next = {current_password: '', password: 'another horse battery', repeated: 'another horse battery'};
	expect((await thief.submit('/account/password', next)).problem).toBe('The current password is wrong.');
});

test('a code replaces a forgotten password; a newer code, three days or a suspension end it', async () => {
	const {server, makeCode, browser} = await prepare();
	await storePassword(server, server.owner.id, 'a forgotten horse');
	const earlier = await makeCode();
	const later = await makeCode();
	const find = (code: string) => findPasswordCode(server.services, code);
	expect([await find(earlier), (await find(later))?.email]).toEqual([undefined, email]);
	await server.database.updateTable('users').set({suspended_at: server.services.now().toISOString()}).execute();
	expect(await find(later)).toBeUndefined();
	await server.database.updateTable('users').set({suspended_at: null}).execute();
	server.advance(3 * 24 * 3_600_000 - 1);
	expect(await find(later)).toBeDefined();
	server.advance(1);
	await browser.open('/password');
	expect((await browser.submit('/password', {code: later, ...chosen})).problem).toBe(refused);

	await browser.submit('/password', {code: await makeCode(), ...chosen});
	expect((await signIn(browser, 'a forgotten horse')).status).toBe(400);
});

test('[26] two requests use a code at once: the first succeeds, and no code is stored', async () => {
	const {services, owner, database} = await createTestServer();
	const code = (await createPasswordCode(services, owner.id)).reveal();
	expect(JSON.stringify(await database.selectFrom('password_codes').selectAll().execute())).not.toContain(code);
	const found = await findPasswordCode(services, code);
	if (!found) {
		throw new Error('The code is not found.');
	}

	const both = await Promise.all(
		['one horse battery', 'two horse battery'].map(it => choosePassword(services, found, it)),
	);
	expect(both.sort()).toEqual([false, true]);
});

test('[26] a new password needs the current one, logs other browsers out, and ends an open code', async () => {
	const {server, makeCode, browser} = await prepare();
	await storePassword(server, server.owner.id, password);
	const code = await makeCode();
	const other = createBrowser(server.app);
	await signIn(other);
	await logInWithKey(browser, server.owner.key);
	await browser.open('/account/password');
	const next = {password: 'another horse battery', repeated: 'another horse battery'};
	const refused = await browser.submit('/account/password', {...next, current_password: 'a guess of mine'});
	expect([refused.status, refused.problem]).toEqual([400, 'The current password is wrong.']);
	expect((await other.open('/account')).title).toBe('Your account');

	await browser.submit('/account/password', {...next, current_password: password});
	expect((await other.open('/account')).title).toBe('Log in');
	expect((await browser.open('/account')).title).toBe('Your account');
	expect(await findPasswordCode(server.services, code)).toBeUndefined();
});
