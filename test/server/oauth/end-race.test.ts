import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {issueTokens} from '../../../src/server/accounts/oauth/tokens.ts';
import {endLogin} from '../../../src/server/pages/account-pages.ts';
import {createTestServer} from '../harness.ts';
import {refresh} from './oauth.ts';

test('[26] a login that ends during a refresh has ended', async () => {
	const server = await createTestServer();
	const {services, database, owner} = server;
	const family = {userId: owner.id, clientId: 'service-cli', program: null, apiKeyId: null};
	const ids = Array.from({length: 20}, () => randomUUID());
	const logins = await Promise.all(
		ids.map(async id => ({id, ...(await issueTokens(database, services.now(), {...family, id}))})),
	);
	await Promise.all(
		logins.flatMap(({id, refresh_token}) => [
			refresh(server, refresh_token),
			endLogin(services, {id, userId: owner.id}),
		]),
	);
	const left = await database.selectFrom('tokens').select('kind').where('revoked_at', 'is', null).execute();
	expect(left).toEqual([]);
});
