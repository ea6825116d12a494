import {expect, onTestFinished, test} from 'vitest';
import {findAuthorizationServer} from '../../../src/client/authorization-server.ts';
import {awaitTokens, requestDeviceCode} from '../../../src/client/device-flow.ts';
import {refreshTokens, revokeTokens} from '../../../src/client/tokens.ts';
import {originOf} from '../../../src/core/origin.ts';
import {type Secret, secret} from '../../../src/core/secrets/secret.ts';
import {createApp} from '../../../src/server/http/app.ts';
import {listen} from '../../../src/server/http/listen.ts';
import {fastClock, plainTransport} from '../../client/login-server.ts';
import {createTestServer} from '../harness.ts';
import {createBrowser} from '../pages/browser.ts';

/** A server on a port with a client; time passes for both alike, faster than real time. */
async function serve() {
	const server = await createTestServer();
	const clock = fastClock(50);
	let url = '';
	const services = {...server.services, now: () => new Date(clock.now()), publicUrl: () => url};
	const app = createApp({services});
	const listening = await listen(app);
	onTestFinished(() => listening.close());
	url = listening.url;
	return {...server, app, url, clock};
}

/** Starts a login with our client, and decides it in a browser. */
async function decide({url, app, clock, owner}: Awaited<ReturnType<typeof serve>>, decision: 'approve' | 'deny') {
	const options = {transport: plainTransport(), clock, now: clock.now, signal: new AbortController().signal};
	const found = await findAuthorizationServer(originOf(url), options.transport, options.signal);
	if (!found) {
		throw new Error('There is no device flow.');
	}

	const code = await requestDeviceCode(found, options);
	expect([code.page, code.pageWithCode]).toEqual([`${url}/device`, `${url}/device?user_code=${code.userCode}`]);
	const browser = createBrowser(app, url);
	await browser.open('/sign-in/key?next=/device');
	await browser.submit('/sign-in/key', {api_key: owner.key});
	const approval = await browser.submit('/device', {user_code: code.userCode});
	expect(approval.html).toContain('<dt>Requested from</dt><dd>this machine (127.0.0.1)</dd>');
	await browser.submit('/device/decision', {decision});
	return {found, code, options};
}

const statusOf = async (url: string, key: Secret | undefined) => {
	const headers = {authorization: `Bearer ${key?.reveal()}`};
	return (await fetch(`${url}/api/v1/user/preferences`, {headers})).status;
};

test('our own client logs in through the pages, refreshes, and loses access when the key is revoked', async () => {
	const server = await serve();
	const {url, clock, database} = server;
	const {found, code, options} = await decide(server, 'approve');
	const {accessToken, refreshToken, expiresAt} = await awaitTokens(found, code, options);
	expect(await statusOf(url, accessToken)).toBe(200);
	expect(Date.parse(expiresAt ?? '') - clock.now()).toBeGreaterThan(3_000_000);

	const next = await refreshTokens(found, refreshToken ?? secret(''), options);
	expect(await statusOf(url, next?.accessToken)).toBe(200);
	const {id} = await database.selectFrom('api_keys').select('id').executeTakeFirstOrThrow();
	await server.send(`/api/v1/user/api-keys/${id}`, {method: 'DELETE'});
	expect(await statusOf(url, next?.accessToken)).toBe(401);
	expect(await refreshTokens(found, next?.refreshToken ?? secret(''), options)).toBeUndefined();
});

test('our own client logs out, and its tokens are invalid', async () => {
	const server = await serve();
	const {found, code, options} = await decide(server, 'approve');
	const tokens = await awaitTokens(found, code, options);
	await revokeTokens(found, tokens, options);
	expect(await statusOf(server.url, tokens.accessToken)).toBe(401);
	expect(await refreshTokens(found, tokens.refreshToken ?? secret(''), options)).toBeUndefined();
});

test('our own client sees a denial', async () => {
	const server = await serve();
	const {found, code, options} = await decide(server, 'deny');
	await expect(awaitTokens(found, code, options)).rejects.toMatchObject({
		code: 'auth',
		message: `The login was denied on ${server.url}.`,
	});
});
