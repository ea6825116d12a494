import {expect, onTestFinished, test} from 'vitest';
import {findAuthorizationServer} from '../../../src/client/authorization-server.ts';
import {awaitTokens, requestDeviceCode} from '../../../src/client/device-flow.ts';
import {refreshTokens} from '../../../src/client/tokens.ts';
import {originOf} from '../../../src/core/origin.ts';
import {createApp} from '../../../src/server/app.ts';
import {listen} from '../../../src/server/listen.ts';
import {fastClock, plainTransport} from '../../client/login-server.ts';
import {createTestServer} from '../harness.ts';
import {createBrowser} from '../pages/browser.ts';

/** A server on a port, whose time and the client's pass alike, faster than on the wall. */
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

test('our own client logs in through the pages, refreshes, and is out when the key is revoked', async () => {
	const {url, app, clock, owner, database} = await serve();
	const transport = plainTransport();
	const {signal} = new AbortController();
	const found = await findAuthorizationServer(originOf(url), transport, signal);
	if (!found) {
		throw new Error('There is no device flow.');
	}

	const code = await requestDeviceCode(found, {transport, clock, signal});
	expect([code.page, code.pageWithCode]).toEqual([`${url}/device`, `${url}/device?user_code=${code.userCode}`]);
	const waiting = awaitTokens(found, code, {transport, clock, signal});

	const browser = createBrowser(app, url);
	await browser.open('/sign-in/key?next=/device');
	await browser.submit('/sign-in/key', {api_key: owner.key});
	await browser.submit('/device', {user_code: code.userCode});
	expect((await browser.submit('/device/decision', {decision: 'approve'})).title).toBe('Approved');

	const tokens = await waiting;
	const preferences = async (key: string) =>
		(await fetch(`${url}/api/v1/user/preferences`, {headers: {authorization: `Bearer ${key}`}})).status;
	expect(await preferences(tokens.accessToken.reveal())).toBe(200);
	expect(Date.parse(tokens.expiresAt ?? '') - clock.now()).toBeGreaterThan(3_000_000);

	if (!tokens.refreshToken) {
		throw new Error('There is no refresh token.');
	}

	const next = await refreshTokens(found, tokens.refreshToken, {transport, now: clock.now, signal});
	expect(await preferences(next?.accessToken.reveal() ?? '')).toBe(200);

	const {id} = await database.selectFrom('api_keys').select('id').executeTakeFirstOrThrow();
	await fetch(`${url}/api/v1/user/api-keys/${id}`, {method: 'DELETE', headers: {authorization: `Bearer ${owner.key}`}});
	expect(await preferences(next?.accessToken.reveal() ?? '')).toBe(401);
	expect(
		await refreshTokens(found, next?.refreshToken ?? tokens.refreshToken, {transport, now: clock.now, signal}),
	).toBe(undefined);
});

test('our own client is told of a denial', async () => {
	const {url, app, clock, owner} = await serve();
	const transport = plainTransport();
	const {signal} = new AbortController();
	const found = await findAuthorizationServer(originOf(url), transport, signal);
	if (!found) {
		throw new Error('There is no device flow.');
	}

	const code = await requestDeviceCode(found, {transport, clock, signal});
	const browser = createBrowser(app, url);
	await browser.open('/sign-in/key?next=/device');
	await browser.submit('/sign-in/key', {api_key: owner.key});
	await browser.submit('/device', {user_code: code.userCode});
	await browser.submit('/device/decision', {decision: 'deny'});
	await expect(awaitTokens(found, code, {transport, clock, signal})).rejects.toMatchObject({
		code: 'auth',
		message: `The login was denied at ${url}.`,
	});
});
