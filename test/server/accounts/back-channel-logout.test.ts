import {generateKeyPairSync, randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {text} from 'node:stream/consumers';
import {expect, onTestFinished, test} from 'vitest';
import {createApp} from '../../../src/server/http/app.ts';
import type {App} from '../../../src/server/kit/route.ts';
import {createTestServer, origin, scope} from '../harness.ts';
import {beginLogin, poll, refresh} from '../oauth/oauth.ts';
import {type Browser, createBrowser} from '../pages/browser.ts';
import {claimsOf, startProvider} from './openid-provider.ts';

const path = '/sign-in/oidc/back-channel-logout';
const event = {'http://schemas.openid.net/event/backchannel-logout': {}};

const announce = (app: App, body: URLSearchParams) =>
	app(
		new Request(`${origin}${path}`, {
			method: 'POST',
			headers: {host: new URL(origin).host, 'content-type': 'application/x-www-form-urlencoded'},
			body: body.toString(),
		}),
	);

type Prepared = Awaited<ReturnType<typeof prepare>>;

/** Two servers on one database, of which the provider knows the first, and a user who logged in by the provider. */
async function prepare() {
	const server = await createTestServer();
	let app: App | undefined;
	const listener = createServer(async (request, response) => {
		const answer = await announce(app as App, new URLSearchParams(await text(request)));
		response.writeHead(answer.status).end(await answer.text());
	}).listen(0, '127.0.0.1');
	await once(listener, 'listening');
	onTestFinished(() => {
		listener.closeAllConnections();
		listener.close();
	});
	const uri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${path}`;
	const provider = await startProvider({}, origin, uri);
	app = createApp({services: {...server.services, oidc: provider.oidc}});
	const other = createApp({services: {...server.services, oidc: provider.oidc}});
	const email = 'grace@acme.example';
	const invited = await server.send(`/api/v1/org/${scope.org}/invitations`, {method: 'POST', body: {email}});
	/** What the provider calls its session of each login, in order. */
	const sids: string[] = [];
	provider.state.tamper = answer => {
		sids.push(String(claimsOf(answer['id_token'])['sid']));
		return answer;
	};
	const openBrowser = () => createBrowser(other, origin, '127.0.0.1', provider.visit);
	const grace = openBrowser();
	expect((await grace.open(`/sign-in/oidc?next=${new URL(invited.json.url).pathname}`)).title).toBe(
		'You belong to acme',
	);
	return {server, app, provider, grace, email, sids, openBrowser};
}

test('[30] a logout at the provider ends the sessions of its user on every server at once, and is in the audit log', async () => {
	const {server, provider, grace, email} = await prepare();
	const {json: tokens} = await poll(server, await approveIn(grace, server));
	const asGrace = () => server.send('/api/v1/org', {key: tokens.access_token});
	expect((await asGrace()).status).toBe(200);
	expect((await grace.open('/account')).title).toBe('Your account');

	await provider.announceLogout('u-1');
	expect((await asGrace()).status).toBe(401);
	expect((await grace.open('/account')).title).not.toBe('Your account');
	expect((await server.send('/api/v1/org')).status).toBe(200);
	const entries = await server.database.selectFrom('audit_log').selectAll().where('act', '=', 'user.logout').execute();
	expect(entries.map(({actor, subject, details}) => [actor, subject, JSON.parse(details)])).toEqual([
		[email, email, {issuer: provider.issuer}],
	]);

	// A user whom this server doesn't know has nothing to end.
	await provider.announceLogout('somebody else');
	expect((await grace.open('/sign-in/oidc')).title).toBe('Your account');
});

/** Approves the login of a program in a browser, and returns the code that it collects its tokens with. */
async function approveIn(browser: Browser, server: Prepared['server']): Promise<string> {
	const {deviceCode, userCode} = await beginLogin(server);
	await browser.open(`/device?user_code=${userCode}`);
	await browser.submit('/device', {user_code: userCode});
	await browser.submit('/device/decision', {decision: 'approve'});
	return deviceCode;
}

test('[30] the end of one session at the provider ends the logins that come from it, and no other', async () => {
	const {server, app, provider, grace, email, sids, openBrowser} = await prepare();
	const second = openBrowser();
	expect((await second.open('/sign-in/oidc')).title).toBe('Your account');
	expect(new Set(sids).size).toBe(2);
	const logIn = async (browser: Browser) => (await poll(server, await approveIn(browser, server))).json;
	const [first, doomed] = [await logIn(grace), await logIn(second)];
	const {json: refreshed} = await refresh(server, doomed.refresh_token);
	const uncollected = await approveIn(second, server);
	const statusOf = async (key: string) => (await server.send('/api/v1/org', {key})).status;
	expect([await statusOf(first.access_token), await statusOf(refreshed.access_token)]).toEqual([200, 200]);

	const end = async (sid: string | undefined) => {
		const {sub: _, ...claims} = logoutClaims(provider);
		const token = provider.signed({...claims, sid});
		return (await announce(app, new URLSearchParams({logout_token: token}))).status;
	};
	// A session that this server doesn't know has nothing to end.
	expect(await end('another session')).toBe(200);
	expect(await statusOf(refreshed.access_token)).toBe(200);

	expect(await end(sids[1])).toBe(200);
	expect((await second.open('/account')).title).not.toBe('Your account');
	expect([await statusOf(doomed.access_token), await statusOf(refreshed.access_token)]).toEqual([401, 401]);
	expect((await refresh(server, refreshed.refresh_token)).status).toBe(400);
	server.advance(5000);
	expect((await poll(server, uncollected)).json.error).toBe('access_denied');
	expect((await grace.open('/account')).title).toBe('Your account');
	expect(await statusOf(first.access_token)).toBe(200);
	const entries = await server.database
		.selectFrom('audit_log')
		.select('actor')
		.where('act', '=', 'user.logout')
		.execute();
	expect(entries).toEqual([{actor: email}]);
});

const logoutClaims = ({issuer}: {readonly issuer: string}) => {
	const now = Math.floor(Date.now() / 1000);
	return {iss: issuer, aud: 'service-server', sub: 'u-1', iat: now, exp: now + 120, jti: randomUUID(), events: event};
};

test.each(['sub', 'sid'] as const)(
	'[30] a token that is no logout token of the provider ends nothing (%s)',
	async name => {
		const {app, provider, grace, sids} = await prepare();
		const now = Math.floor(Date.now() / 1000);
		const claims = () => {
			const {sub, ...others} = logoutClaims(provider);
			return {...others, ...(name === 'sub' ? {sub} : {sid: sids.at(-1)})};
		};
		const {privateKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'});
		const {jti: _, ...unnamed} = claims();
		const wrong = [
			'',
			'no token',
			provider.signed({...claims(), events: undefined}),
			provider.signed({...claims(), events: {}}),
			provider.signed({...claims(), events: [event]}),
			provider.signed({...claims(), nonce: 'n'}),
			provider.signed({...claims(), iss: 'https://evil.example'}),
			provider.signed({...claims(), aud: 'another-client'}),
			provider.signed({...claims(), exp: now - 60, iat: now - 120}),
			provider.signed({...claims(), iat: now - 3600}),
			provider.signed(unnamed),
			...[undefined, '', null, 1, {}].map(value => provider.signed({...claims(), [name]: value})),
			provider.signed({...claims(), exp: undefined}),
			provider.signed({...claims(), iat: undefined}),
			provider.signed(claims(), {key: privateKey}),
			provider.signed(claims(), {alg: 'none'}),
		];
		for (const token of wrong) {
			const response = await announce(app, new URLSearchParams({logout_token: token}));
			expect([response.status, response.headers.get('cache-control')], token).toEqual([400, 'no-store']);
			expect(await response.json()).toMatchObject({error: 'invalid_request'});
		}

		expect((await grace.open('/account')).title).toBe('Your account');

		// A right one counts once: whoever sees it later can't end the next session with it.
		const token = new URLSearchParams({logout_token: provider.signed(claims())});
		const other = createApp({services: {...(await createTestServer()).services, oidc: provider.oidc}});
		expect((await announce(other, token)).status).toBe(200);
		expect((await announce(app, token)).status).toBe(200);
		expect((await grace.open('/account')).title).not.toBe('Your account');
		expect((await grace.open('/sign-in/oidc')).title).toBe('Your account');
		expect((await announce(app, token)).status).toBe(400);
		expect((await grace.open('/account')).title).toBe('Your account');
	},
);

test('a provider that cannot be asked for its keys is told to announce the logout again', async () => {
	const {app, provider, grace} = await prepare();
	const fresh = createApp({
		services: {...(await createTestServer()).services, oidc: provider.oidc && {...provider.oidc}},
	});
	provider.state.broken = 503;
	const response = await announce(fresh, new URLSearchParams({logout_token: provider.signed(logoutClaims(provider))}));
	expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
	expect(app).toBeDefined();
	expect((await grace.open('/account')).title).toBe('Your account');
});
