import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {issueTokens} from '../../../src/server/accounts/oauth/tokens.ts';
import {endSessions} from '../../../src/server/accounts/suspension.ts';
import {endLogin} from '../../../src/server/pages/account-pages.ts';
import {createTestServer} from '../harness.ts';
import {refresh} from './oauth.ts';

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
