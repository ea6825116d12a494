import {Secret, TOTP} from 'otpauth';
import {expect, test} from 'vitest';
import {createTestServer, type TestServer} from '../harness.ts';
import {type Browser, createBrowser} from './browser.ts';
import {storePassword} from './stored-password.ts';

const password = 'correct horse battery';
const here = '/account/second-factor';

async function signIn(server: TestServer, browser: Browser) {
	await storePassword(server, server.owner.id, password);
	await browser.open(`/sign-in?next=${here}`);
	await browser.submit('/sign-in', {email: 'owner@acme.example', password});
}

async function prepare() {
	const server = await createTestServer();
	const browser = createBrowser(server.app);
	await signIn(server, browser);
	return {server, browser};
}

const secretIn = (html: string) => /<code>([A-Z2-7 ]{39})<\/code>/.exec(html)?.[1]?.replaceAll(' ', '') ?? '';
const codeOf = ({services}: TestServer, secret: string) =>
	new TOTP({secret: Secret.fromBase32(secret)}).generate({timestamp: services.now().getTime()});

test('the second factor is set up, shows its recovery codes once, and is turned off with a code', async () => {
	const {server, browser} = await prepare();
	const begun = await browser.submit(`${here}/start`);
	const secret = secretIn(begun.html);
	expect(secret).toMatch(/^[A-Z2-7]{32}$/);
	expect(begun.html).toMatch(/<svg role="img" aria-label="QR code of the secret" xmlns="[^"]*" viewBox="[^"]*"><rect/);

	const wrong = await browser.submit(`${here}/verify`, {code: '000000'});
	expect([wrong.status, wrong.problem, secretIn(wrong.html)]).toEqual([
		400,
		expect.stringMatching(/^That code is wrong\./),
		secret,
	]);
	const on = await browser.submit(`${here}/verify`, {code: codeOf(server, secret)});
	const codes = [...on.html.matchAll(/<li><code>([a-z2-9-]{19})<\/code><\/li>/g)].map(([, code]) => code ?? '');
	expect([on.title, codes.length]).toEqual(['The second factor is on', 10]);

	const later = await browser.open(here);
	expect(later.html).toContain('You have 10 unused recovery codes.');
	expect([secret, ...codes].filter(text => later.html.includes(text))).toEqual([]);
	const refused = await browser.submit(`${here}/off`, {code: codeOf(server, secret)});
	expect([refused.status, refused.problem]).toEqual([400, 'That code is wrong or already used.']);
	const off = await browser.submit(`${here}/off`, {code: codes[0] ?? ''});
	expect(off.html).toContain('>Set up<');
	expect(await server.database.selectFrom('recovery_codes').selectAll().execute()).toEqual([]);
});

test('[26] an enrollment is finished in the terminal, and open browser sessions then need the second factor', async () => {
	const {server, browser} = await prepare();
	const thief = createBrowser(server.app);
	await signIn(server, thief);
	const secret = secretIn((await browser.submit(`${here}/start`)).html);
	const verified = {code: codeOf(server, secret)};
	const {status, json} = await server.send('/api/v1/auth/mfa/enroll/verify', {method: 'POST', body: verified});
	expect([status, json.recovery_codes.length]).toEqual([200, 10]);

	expect([(await thief.open(here)).title, (await browser.open(here)).title]).toEqual([
		'Enter your code',
		'Enter your code',
	]);
	server.advance(30_000);
	const shown = await browser.submit('/sign-in/code', {code: codeOf(server, secret)});
	expect(shown.html).toContain('The second factor is on.');
	expect((await thief.open('/account')).title).toBe('Enter your code');
});

test('[26] an active second factor is not replaced without a code, and GET starts nothing', async () => {
	const {server, browser} = await prepare();
	const secret = secretIn((await browser.submit(`${here}/start`)).html);
	const stale = createBrowser(server.app);
	await signIn(server, stale);
	await browser.submit(`${here}/verify`, {code: codeOf(server, secret)});

	// That logged the other browser out, and opening the form's URL does nothing.
	expect((await stale.submit(`${here}/start`)).title).toBe('Log in');
	expect((await browser.open(`${here}/start`)).path).toBe(here);
	const row = await server.database
		.selectFrom('users')
		.select(['totp_secret', 'totp_pending_secret'])
		.where('id', '=', server.owner.id)
		.executeTakeFirst();
	expect(row).toEqual({totp_secret: expect.any(String), totp_pending_secret: null});
	const stillIn = server.services.seal.decrypt(row?.totp_secret ?? '', `totp:${server.owner.id}`);
	expect(stillIn).toBe(secret);
});

test('guessing is limited: 429 with the time to wait', async () => {
	const {browser} = await prepare();
	await browser.submit(`${here}/start`);
	for (let count = 0; count < 6; count += 1) {
		await browser.submit(`${here}/verify`, {code: '000000'});
	}

	const {status, headers, problem} = await browser.submit(`${here}/verify`, {code: '000000'});
	expect([status, headers.get('retry-after'), problem]).toEqual([
		429,
		'900',
		'Too many attempts. Try again in 15 minutes.',
	]);
});

test('[26] an API key alone neither starts nor sees nor ends an enrollment', async () => {
	const {server, browser} = await prepare();
	const thief = createBrowser(server.app);
	await thief.open(`/sign-in/key?next=${here}`);
	const shown = await thief.submit('/sign-in/key', {api_key: server.owner.key});
	expect([shown.title, shown.html]).toEqual(['Second factor', expect.stringMatching(/log in\swith your password\./)]);
	// The form comes from a page that has one; an attacker writes it by hand.
	const forge = (action: string, fields = {}) =>
		thief.submit('/sign-out', {...fields, action}, {target: `${here}/${action}`});
	await forge('start');
	const pending = () =>
		server.database.selectFrom('users').select(['totp_secret', 'totp_pending_secret']).executeTakeFirst();
	expect(await pending()).toEqual({totp_secret: null, totp_pending_secret: null});

	const secret = secretIn((await browser.submit(`${here}/start`)).html);
	expect((await thief.open(here)).html).not.toMatch(/<code>|<svg/);
	await forge('verify', {code: codeOf(server, secret)});
	expect(await pending()).toEqual({totp_secret: null, totp_pending_secret: expect.stringMatching(/^v1\./)});
});
