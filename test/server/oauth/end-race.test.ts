import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {
	type BrowserSession,
	closeOtherSessions,
	closeSession,
	requireSecondFactor,
} from '../../../src/server/accounts/browser-session.ts';
import {issueTokens} from '../../../src/server/accounts/oauth/tokens.ts';
import {endLogins, endSessions} from '../../../src/server/accounts/suspension.ts';
import {endLogin} from '../../../src/server/pages/account-pages.ts';
import {decideLogin, findLogin} from '../../../src/server/pages/device-pages.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {createBrowser} from '../pages/browser.ts';
import {beginLogin, openBrowserSession, poll, refresh} from './oauth.ts';

test.each(['its page', 'its user', 'its session at a provider'])(
	'[26] a login that %s ends during a refresh has ended',
	async by => {
		const server = await createTestServer();
		const {services, database, owner} = server;
		const family = {userId: owner.id, clientId: 'service-cli', program: null, apiKeyId: null, providerSession: 'one'};
		const ids = Array.from({length: 20}, () => randomUUID());
		const logins = await Promise.all(
			ids.map(async id => ({id, ...(await issueTokens(database, services.now(), {...family, id}))})),
		);
		const named =
			by === 'its user'
				? ({column: 'user_id', id: owner.id} as const)
				: ({column: 'provider_session', id: family.providerSession} as const);
		const endAll = () =>
			database.transaction().execute(transaction => endSessions(transaction, named, services.now().toISOString()));
		await Promise.all([
			...logins.slice(0, 10).map(({refresh_token}) => refresh(server, refresh_token)),
			...(by === 'its page' ? ids.map(id => endLogin(services, {id, userId: owner.id})) : [endAll()]),
			...logins.slice(10).map(({refresh_token}) => refresh(server, refresh_token)),
		]);
		const left = await database.selectFrom('tokens').select('kind').where('revoked_at', 'is', null).execute();
		expect(left).toEqual([]);
	},
);

/** Ways in which a browser session ends, or needs a second factor. */
const ends: Readonly<Record<string, (server: TestServer, session: BrowserSession) => Promise<void>>> = {
	'its logout': ({services}, {id}) => closeSession(services, id),
	'a new password': async ({services}, {account}) =>
		closeOtherSessions(services, await openBrowserSession({services, owner: {id: account.id, key: ''}})),
	'a second factor': ({services}, {account}) => requireSecondFactor(services, account.id),
	'a logout at its provider': ({services: {database, now}}, {providerSession}) =>
		database
			.transaction()
			.execute(transaction =>
				endSessions(transaction, {column: 'provider_session', id: providerSession ?? ''}, now().toISOString()),
			),
	'a suspension': ({services: {database, now}}, {account}) =>
		database.transaction().execute(transaction => endLogins(transaction, account.id, now().toISOString())),
	'its age': async server => server.advance(12 * 60 * 60 * 1000),
};

test.each(Object.entries(ends))('[26] after %s a browser session approves no device login', async (_, end) => {
	const server = await createTestServer();
	const session = await openBrowserSession(server, 'one');
	await end(server, session);
	const {deviceCode, userCode} = await beginLogin(server);
	const login = await findLogin(server.services, userCode);
	const decided = await decideLogin(server.services, {id: login?.id ?? ''}, {decision: 'approved', session});
	expect([decided, (await poll(server, deviceCode)).json.error]).toEqual(['logged-out', 'authorization_pending']);
});

test.each(['a suspension', 'a logout at its provider'])(
	'[26] no key comes out of device logins that are approved and collected during %s',
	async by => {
		const server = await createTestServer();
		const {services, database} = server;
		const sessions = await Promise.all(Array.from({length: 8}, () => openBrowserSession(server, 'one')));
		const begun = await Promise.all(Array.from({length: 24}, () => beginLogin(server)));
		const [first] = sessions;
		const approveAndCollect = async ({deviceCode, userCode}: (typeof begun)[number], index: number) => {
			const session = sessions[index % sessions.length];
			const login = await findLogin(services, userCode);
			if (session && login) {
				await decideLogin(services, login, {decision: 'approved', session});
			}

			await poll(server, deviceCode);
		};
		await Promise.all([
			...begun.slice(0, 12).map(approveAndCollect),
			first && ends[by]?.(server, first),
			...begun.slice(12).map(approveAndCollect),
		]);
		const answers = await Promise.all(begun.map(({deviceCode}) => poll(server, deviceCode)));
		expect(answers.filter(({json}) => 'access_token' in json)).toEqual([]);
		const left = await database.selectFrom('tokens').select('id').where('revoked_at', 'is', null).execute();
		expect(left).toEqual([]);
	},
);

test('[26] a user who approves while their browser session ends has approved, or logs in again first', async () => {
	const server = await createTestServer();
	const {services, database, owner} = server;
	for (let round = 0; round < 10; round++) {
		const {deviceCode, userCode} = await beginLogin(server);
		const browser = createBrowser(server.app);
		await browser.open('/sign-in/key');
		await browser.submit('/sign-in/key', {api_key: owner.key});
		await browser.open('/device');
		await browser.submit('/device', {user_code: userCode});
		const session = await database
			.selectFrom('browser_sessions')
			.select('id')
			.where('revoked_at', 'is', null)
			.execute();
		const end = async () => {
			// As many statements as a form is asked before it decides, or fewer.
			for (let count = 0; count < round % 5; count++) {
				await database.selectFrom('users').select('id').execute();
			}

			await Promise.all(session.map(({id}) => closeSession(services, id)));
		};
		const [{title}] = await Promise.all([browser.submit('/device/decision', {decision: 'approve'}), end()]);
		const {json} = await poll(server, deviceCode);
		expect([
			['Approved', true],
			['Log in', true],
			['Log in', false],
		]).toContainEqual([title, 'access_token' in json]);
	}
});
