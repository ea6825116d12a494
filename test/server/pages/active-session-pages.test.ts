import {expect, test} from 'vitest';
import {createTestServer} from '../harness.ts';
import {logIn, refresh} from '../oauth/oauth.ts';
import {createBrowser, formsOf} from './browser.ts';

const here = '/account/logins';

test('a user sees their sessions and ends one; the other stays active', async () => {
	const server = await createTestServer();
	const browser = createBrowser(server.app);
	await browser.open(`/sign-in/key?next=${here}`);
	expect((await browser.submit('/sign-in/key', {api_key: server.owner.key})).html).toContain('No active sessions.');

	const lost = await logIn(server);
	server.advance(60_000);
	const kept = await logIn(server);
	server.advance(60_000);
	await refresh(server, lost.refresh);
	const {html} = await browser.open(here);
	const items = [...html.matchAll(/<li[^>]*>([\s\S]*?)<form/g)].map(([, text = '']) =>
		text.replace(/<[^>]*>/g, '').trim(),
	);
	expect(items).toEqual([
		'service/0.1 (linux), since 2026-03-01 12:00:00 UTC, last renewed 2026-03-01 12:02:00 UTC',
		'service/0.1 (linux), since 2026-03-01 12:01:00 UTC, last renewed 2026-03-01 12:01:00 UTC',
	]);

	const after = await browser.submit(`${here}/end`);
	expect([after.path, formsOf(after.html).length]).toEqual([here, 2]);
	const statuses = [lost, kept].map(
		async ({access}) => (await server.send('/api/v1/user/preferences', {key: access})).status,
	);
	expect(await Promise.all(statuses)).toEqual([401, 200]);
});

test("[26] no user sees or ends another user's logins", async () => {
	const server = await createTestServer();
	const {access} = await logIn(server);
	const {family_id: id} = await server.database.selectFrom('tokens').select('family_id').executeTakeFirstOrThrow();
	const member = await server.join('member');
	await logIn(server, {userId: member.id});
	const browser = createBrowser(server.app);
	await browser.open(`/sign-in/key?next=${here}`);
	const {html} = await browser.submit('/sign-in/key', {api_key: member.key});
	expect([html.includes(id), formsOf(html).length]).toEqual([false, 2]);
	await browser.submit(`${here}/end`, {login: id});
	expect((await server.send('/api/v1/user/preferences', {key: access})).status).toBe(200);
});
