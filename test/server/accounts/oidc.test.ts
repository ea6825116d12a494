import {generateKeyPairSync} from 'node:crypto';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {oidcClient} from '../../../src/server/accounts/oidc/oidc-client.ts';
import {parseOidc} from '../../../src/server/accounts/oidc/oidc-settings.ts';
import {createApp} from '../../../src/server/http/app.ts';
import {selfSigned} from '../../net/certificate.ts';
import {connectProxy, httpsServer} from '../../net/servers.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {createTestServer, origin, scope} from '../harness.ts';
import {beginLogin, poll} from '../oauth/oauth.ts';
import {createBrowser} from '../pages/browser.ts';
import {claimsOf, startProvider} from './openid-provider.ts';

const email = 'grace@acme.example';
const path = '/sign-in/oidc';

async function prepare(settings: Parameters<typeof startProvider>[0] = {}) {
	const [server, provider] = await Promise.all([createTestServer(), startProvider(settings)]);
	const {oidc} = provider;
	const app = createApp({services: {...server.services, oidc}});
	const browser = () => createBrowser(app, origin, '127.0.0.1', provider.visit);
	const invite = async (body: object = {email}) => {
		const {json} = await server.send(`/api/v1/org/${scope.org}/invitations`, {method: 'POST', body});
		return new URL(json.url).pathname;
	};
	/** A user who joined by an invitation, and logged in at the provider for that. */
	const admitted = async () => {
		const page = await browser().open(`${path}?next=${await invite()}`);
		expect(page.title).toBe('You belong to acme');
		return await server.database.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow();
	};
	return {server, provider, app, browser, invite, admitted};
}

const contentsOf = async ({database}: Awaited<ReturnType<typeof createTestServer>>) => ({
	users: await database.selectFrom('users').select('email').execute(),
	identities: await database.selectFrom('identities').selectAll().execute(),
	sessions: await database.selectFrom('browser_sessions').select('id').execute(),
});

test('an invited user gets an account by the login at the provider, and logs in by its subject from then on', async () => {
	const {browser, invite, provider, server} = await prepare();
	const invitation = await browser().open(await invite());
	expect(invitation.html).toContain(`Log in with ${new URL(provider.issuer).host}`);
	const link = /class="button" href="([^"]*)"/.exec(invitation.html)?.[1] ?? '';
	const grace = browser();
	expect((await grace.open(link)).title).toBe('You belong to acme');
	expect(await server.database.selectFrom('identities').selectAll().execute()).toMatchObject([
		{issuer: provider.issuer, subject: 'u-1'},
	]);

	// Another address, and one that isn't verified, is still the same subject.
	provider.state.person = {sub: 'u-1', email: 'g.hopper@acme.example', email_verified: false};
	const later = browser();
	const account = await later.open(path);
	expect([account.title, account.html.includes(email)]).toEqual(['Your account', true]);
	provider.state.person = {sub: 'u-2', email, email_verified: true};
	const other = await browser().open(path);
	expect([other.status, other.problem]).toEqual([
		403,
		`“${email}” has an account. Log in to it first, then connect ${new URL(provider.issuer).host} in your account.`,
	]);
});

test('the login of a terminal is approved after a login at the provider', async () => {
	const {browser, server, admitted} = await prepare();
	await admitted();
	const {deviceCode, userCode} = await beginLogin(server);
	const grace = browser();
	const {html} = await grace.open(`/device?user_code=${userCode}`);
	const link = /class="button" href="([^"]*)"/.exec(html)?.[1] ?? '';
	const asked = await grace.open(link.replaceAll('&amp;', '&'));
	expect([asked.title, asked.html.includes(userCode)]).toEqual(['Authorize a device', true]);
	await grace.submit('/device', {user_code: userCode});
	expect((await grace.submit('/device/decision', {decision: 'approve'})).title).toBe('Approved');
	expect((await poll(server, deviceCode)).json).toMatchObject({token_type: 'Bearer'});
});

test('[26] an address that has an account is connected only by whoever is logged in to it', async () => {
	const {browser, server, provider} = await prepare();
	provider.state.person = {sub: 'u-9', email: 'Owner@acme.example', email_verified: true};
	const before = await contentsOf(server);
	expect((await browser().open(path)).status).toBe(403);
	expect(await contentsOf(server)).toEqual(before);

	const owner = browser();
	await owner.open('/sign-in/key');
	const account = await owner.submit('/sign-in/key', {api_key: server.owner.key});
	expect(account.html).toContain(`Connect ${new URL(provider.issuer).host}`);
	provider.state.person = {sub: 'u-8', email: 'mallory@acme.example', email_verified: true};
	expect((await owner.open(path)).status).toBe(403);
	provider.state.person = {sub: 'u-9', email: 'owner@acme.example', email_verified: true};
	expect((await owner.open(path)).html).not.toContain('Connect ');
	expect((await browser().open(path)).title).toBe('Your account');
	await owner.open(path);
	const entries = await server.database.selectFrom('audit_log').selectAll().where('act', '=', 'user.connect').execute();
	expect(entries.map(({actor, subject, details, address}) => [actor, subject, JSON.parse(details), address])).toEqual([
		['owner@acme.example', 'owner@acme.example', {issuer: provider.issuer, subject: 'u-9'}, '127.0.0.1'],
	]);
});

test('requests to the provider take the proxy of the environment, unless NO_PROXY names it, and trust its certificates', async () => {
	const certificate = selfSigned('sso.test');
	const asked: (string | undefined)[] = [];
	const port = await httpsServer(certificate, ({url}, response) => {
		asked.push(url);
		const metadata = {issuer: 'https://sso.test', authorization_endpoint: 'https://sso.test/authorize'};
		response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata));
	});
	const proxy = await connectProxy(port);
	const SSL_CERT_FILE = join(temporaryFolder(), 'ca.pem');
	writeFileSync(SSL_CERT_FILE, certificate.cert);
	const flags = {oidcIssuer: 'https://sso.test', oidcClientId: 'service', oidcClientSecret: 's'};
	const begin = async (env: Record<string, string>) => {
		const settings = parseOidc(flags, {SSL_CERT_FILE, HTTPS_PROXY: proxy.url, ...env});
		const client = settings && (await oidcClient(settings));
		return await client?.authorizationUrl({state: 's', nonce: 'n', verifier: 'v'}, `${origin}/sign-in/oidc/callback`);
	};
	expect(await begin({})).toMatchObject({origin: 'https://sso.test', pathname: '/authorize'});
	expect(proxy.heads.map(head => head.split('\r\n')[0])).toEqual(['CONNECT sso.test:443 HTTP/1.1']);
	expect(asked).toEqual(['/.well-known/openid-configuration']);
	expect(await begin({NO_PROXY: '.test'})).toMatchObject({kind: 'unreachable'});
	expect(proxy.heads).toHaveLength(1);
});

test('who has no account gets one only in an allowed domain, with the role of the settings', async () => {
	const {browser, provider, server} = await prepare({
		oidcDomains: 'acme.example, example.org',
		oidcOrganization: 'acme',
	});
	provider.state.person = {sub: 'u-3', email: 'ida@evil-acme.example', email_verified: true};
	const stranger = await browser().open(path);
	expect([stranger.status, stranger.problem]).toEqual([
		403,
		'“ida@evil-acme.example” has no account here. Ask an admin of your organization for an invitation.',
	]);
	provider.state.person = {sub: 'u-3', email: 'ida@acme.example'};
	expect((await browser().open(path)).problem).toMatch(/doesn’t say that your e-mail address is verified/);
	provider.state.person = {sub: 'u-3', email: 'Ida@ACME.example', email_verified: true};
	expect((await browser().open(path)).title).toBe('Your account');
	const members = (await server.send(`/api/v1/org/${scope.org}/members`)).json.items;
	expect(members).toContainEqual(expect.objectContaining({email: 'ida@acme.example', role: 'member'}));
	const entry = await server.database
		.selectFrom('audit_log')
		.selectAll()
		.where('act', '=', 'member.add')
		.executeTakeFirst();
	expect(entry).toMatchObject({actor: 'ida@acme.example'});

	await server.send('/api/v1/admin/organizations/acme/suspend', {method: 'POST', body: {}});
	provider.state.person = {sub: 'u-4', email: 'joan@acme.example', email_verified: true};
	expect((await browser().open(path)).status).toBe(403);
});

test('[31] a suspended user isn’t logged in, and a second factor is still asked for', async () => {
	const {browser, server, admitted} = await prepare();
	const {id} = await admitted();
	await server.database.updateTable('users').set({totp_secret: 'sealed'}).where('id', '=', id).execute();
	expect((await browser().open(path)).title).toBe('Enter your code');
	await server.send(`/api/v1/admin/users/${id}/suspend`, {method: 'POST', body: {}});
	expect((await browser().open(path)).problem).toBe('Your account is suspended. Ask your server’s administrator.');
});

test('a provider that is down or refuses is told in a sentence, and logged', async () => {
	const {browser, provider, server, app} = await prepare();
	const host = new URL(provider.issuer).host;
	provider.state.broken = 500;
	const down = await browser().open(path);
	expect([down.status, down.problem]).toEqual([
		502,
		`${host} doesn’t answer as it should. Try again later, or log in another way.`,
	]);
	provider.state.broken = undefined;
	const refusing = createBrowser(app, origin, '127.0.0.1', target => {
		const back = new URL(`${origin}${path}/callback`);
		back.searchParams.set('state', new URL(target).searchParams.get('state') ?? '');
		back.searchParams.set('iss', provider.issuer);
		back.searchParams.set('error', 'access_denied');
		return Promise.resolve(back.href);
	});
	expect((await refusing.open(path)).problem).toBe(`${host} refused the login: access_denied.`);
	expect(server.entries.filter(({message}) => message === 'oidc').map(({kind}) => kind)).toEqual([
		'unreachable',
		'denied',
	]);
});

test('[26] a callback works once, in the browser that began, within ten minutes', async () => {
	const {browser, provider, server, admitted, app} = await prepare();
	await admitted();
	const before = await contentsOf(server);
	let callback = '';
	const keeping = createBrowser(app, origin, '127.0.0.1', async target => {
		callback = await provider.visit(target);
		return '/nothing';
	});
	await keeping.open(path);
	const refused = 'This login was used already, has expired, or began in another browser.';
	// Login CSRF: the callback of an attacker, in the browser of someone else.
	const victim = browser();
	await victim.open('/sign-in');
	expect((await victim.open(callback)).problem).toBe(refused);
	expect((await keeping.open(callback)).title).toBe('Your account');
	expect((await keeping.open(callback)).problem).toBe(refused);
	expect((await browser().open(`${path}/callback?code=x&state=y`)).status).toBe(400);

	// The same code with another login's state: the provider knows it as used, and its challenge is another one.
	const used = new URL(callback).searchParams.get('code') ?? '';
	const replaying = createBrowser(app, origin, '127.0.0.1', async target => {
		const back = new URL(await provider.visit(target));
		back.searchParams.set('code', used);
		return back.href;
	});
	expect((await replaying.open(path)).problem).toMatch(/isn’t valid, or was used already/);
	await keeping.open(path);
	server.advance(10 * 60_000);
	expect((await keeping.open(callback)).problem).toBe(refused);
	const after = await contentsOf(server);
	expect(after.sessions).toHaveLength(before.sessions.length + 1);
	expect(after.identities).toEqual(before.identities);
});

test('[26] an answer of another issuer, and one that was injected, is refused', async () => {
	const {provider, server, admitted, app} = await prepare();
	await admitted();
	const before = await contentsOf(server);
	for (const change of [
		(back: URL) => back.searchParams.set('iss', 'https://evil.example'),
		(back: URL) => back.searchParams.delete('iss'),
		(back: URL) => back.searchParams.set('code', 'injected'),
		(back: URL) => back.searchParams.append('iss', provider.issuer),
	]) {
		const browser = createBrowser(app, origin, '127.0.0.1', async target => {
			const back = new URL(await provider.visit(target));
			change(back);
			return back.href;
		});
		expect((await browser.open(path)).status).toBe(400);
	}

	expect(await contentsOf(server)).toEqual(before);
});

test('[26] an id token that someone else made, or for someone else, logs nobody in', async () => {
	const {provider, server, admitted, browser} = await prepare();
	await admitted();
	const before = await contentsOf(server);
	const now = Math.floor(Date.now() / 1000);
	const foreign = generateKeyPairSync('ec', {namedCurve: 'P-256'}).privateKey;
	const changed = (change: object) => (claims: object) => provider.signed({...claims, ...change});
	const forgeries: Record<string, (claims: Record<string, unknown>) => string> = {
		key: claims => provider.signed(claims, {key: foreign}),
		none: claims => provider.signed(claims, {alg: 'none'}),
		symmetric: claims => provider.signed(claims, {alg: 'HS256'}),
		issuer: changed({iss: 'https://evil.example'}),
		audience: changed({aud: 'another client'}),
		audiences: changed({aud: ['service-server', 'another client'], azp: 'another client'}),
		expired: changed({exp: now - 120, iat: now - 600}),
		future: changed({iat: now + 600, nbf: now + 600}),
		nonce: changed({nonce: 'of another login'}),
		noNonce: changed({nonce: undefined}),
		noSubject: changed({sub: undefined}),
	};
	for (const [name, forge] of Object.entries(forgeries)) {
		provider.state.tamper = answer => ({...answer, id_token: forge(claimsOf(answer['id_token']))});
		expect([name, (await browser().open(path)).status]).toEqual([name, 400]);
	}

	provider.state.tamper = ({id_token: _, ...answer}) => answer;
	expect((await browser().open(path)).status).toBe(400);
	expect(await contentsOf(server)).toEqual(before);
	provider.state.tamper = answer => ({...answer, id_token: provider.signed(claimsOf(answer['id_token']))});
	expect((await browser().open(path)).title).toBe('Your account');
});

test('a login leads to no other server, and the database has nothing that a callback needs', async () => {
	const {browser, server, admitted, app} = await prepare();
	await admitted();
	expect((await browser().open(`${path}?next=${encodeURIComponent('https://evil.example')}`)).path).toBe('/account');
	let target = '';
	await createBrowser(app, origin, '127.0.0.1', url => {
		target = url;
		return Promise.resolve('/nothing');
	}).open(path);
	const {searchParams} = new URL(target);
	expect(Object.fromEntries(searchParams)).toMatchObject({
		response_type: 'code',
		scope: 'openid email',
		code_challenge_method: 'S256',
		redirect_uri: `${origin}${path}/callback`,
	});
	const stored = JSON.stringify(await server.database.selectFrom('oidc_logins').selectAll().execute());
	for (const name of ['state', 'nonce', 'code_challenge']) {
		expect(stored).not.toContain(searchParams.get(name));
	}
});

test('logging out offers the logout of the provider, too', async () => {
	const {browser, admitted, provider, app} = await prepare();
	await admitted();
	const grace = browser();
	await grace.open(path);
	const page = await grace.submit('/sign-out');
	expect([page.title, page.html.includes('href="/sign-out/oidc"')]).toEqual(['You are logged out', true]);
	let target = '';
	await createBrowser(app, origin, '127.0.0.1', url => {
		target = url;
		return Promise.resolve('/nothing');
	}).open('/sign-out/oidc');
	expect(target).toBe(`${provider.issuer}/session/end?client_id=service-server`);
	expect((await grace.open('/account')).path).toBe('/sign-in');
});

test('settings that don’t fit together are named', () => {
	const whole = {oidcIssuer: 'https://sso.acme.example', oidcClientId: 'service', oidcClientSecret: 's'};
	expect(parseOidc({}, {})).toBeUndefined();
	expect(parseOidc(whole, {})).toMatchObject({host: 'sso.acme.example', signUp: undefined});
	for (const [flags, message] of [
		[{oidcClientId: 'x'}, '--oidc-client-id needs --oidc-issuer.'],
		[{...whole, oidcClientId: undefined}, '--oidc-issuer needs --oidc-client-id.'],
		[{...whole, oidcClientSecret: ''}, '--oidc-issuer needs --oidc-client-secret.'],
		[
			{...whole, oidcIssuer: 'http://sso.acme.example'},
			'--oidc-issuer “http://sso.acme.example” must be an https URL.',
		],
		[{...whole, oidcDomains: 'acme.example'}, '--oidc-domains and --oidc-organization need each other.'],
		[{...whole, oidcDomains: 'a b', oidcOrganization: 'acme'}, '--oidc-domains has an invalid domain: “a b”.'],
	] as const) {
		expect(() => parseOidc(flags, {})).toThrow(expect.objectContaining({code: 'usage', message}));
	}

	expect(JSON.stringify(parseOidc(whole, {}))).not.toContain('"s"');
});
