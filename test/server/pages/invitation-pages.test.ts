import {sql} from 'kysely';
import {expect, test} from 'vitest';
import {acceptInvitation} from '../../../src/server/accounts/invitations.ts';
import {createToken} from '../../../src/server/accounts/token.ts';
import {createTestServer, scope, type TestServer} from '../harness.ts';
import {createBrowser} from './browser.ts';
import {storePassword} from './stored-password.ts';

const email = 'grace@acme.example';
const password = 'correct horse battery';
const chosen = {password, repeated: password};
const invitations = `/api/v1/org/${scope.org}/invitations`;
const dayMs = 24 * 60 * 60 * 1000;

async function invite(server: TestServer, body: object = {email}, key = server.owner.key) {
	const {status, json} = await server.send(invitations, {method: 'POST', body, key});
	expect(status, JSON.stringify(json)).toBe(200);
	return {id: String(json.id), path: new URL(json.url).pathname, code: String(json.url).split('/').at(-1) ?? ''};
}

const membersOf = async (server: TestServer) =>
	(await server.send(`/api/v1/org/${scope.org}/members?page_size=200`)).json.items as {email: string; role: string}[];

/** Adds a user of another organization, with a password. */
async function addUser(server: TestServer, organization = 'rival') {
	const {id} = await server.foundAnother(organization);
	await storePassword(server, id, password);
	return {id, email: `owner@${organization}.example`};
}

test('a newcomer creates an account by the link, joins with the role, and sees that after a reload', async () => {
	const server = await createTestServer();
	const {path, code} = await invite(server, {email: ' Grace@ACME.example', role: 'admin'});
	const stored = JSON.stringify(await server.database.selectFrom('invitations').selectAll().execute());
	expect(stored).not.toContain(code);
	const browser = createBrowser(server.app);
	const page = await browser.open(path);
	expect([page.status, page.title]).toEqual([200, 'Join acme?']);
	for (const shown of [email, 'admin', 'owner@acme.example', '2026-03-08 12:00:00 UTC']) {
		expect(page.html).toContain(shown);
	}

	const short = await browser.submit(path, {password: 'short', repeated: 'short'});
	expect([short.status, short.problem]).toEqual([400, 'A password needs 10 to 256 characters; this one has 5.']);
	const joined = await browser.submit(path, chosen);
	expect([joined.status, joined.path, joined.title]).toEqual([200, path, 'You belong to acme']);
	expect((await browser.open(path)).title).toBe('You belong to acme');
	expect(await membersOf(server)).toContainEqual(expect.objectContaining({email, role: 'admin'}));

	const later = createBrowser(server.app);
	const used = await later.open(path);
	expect([used.status, used.title]).toEqual([410, 'This invitation has ended']);
	expect(used.html).toContain('accepted already');
	await later.open('/sign-in');
	expect((await later.submit('/sign-in', {email, password})).title).toBe('Your account');
	expect((await later.open(path)).title).toBe('You belong to acme');

	const entry = await server.database
		.selectFrom('audit_log')
		.selectAll()
		.where('act', '=', 'member.add')
		.executeTakeFirst();
	expect(entry).toMatchObject({actor: email, subject: email, address: '127.0.0.1'});
	expect(entry?.details).toContain('"invited_by":"owner@acme.example"');
});

test('an existing user logs in from the link, is asked, and joins', async () => {
	const server = await createTestServer();
	const user = await addUser(server);
	const {path} = await invite(server, {email: user.email});
	const browser = createBrowser(server.app);
	const {html} = await browser.open(path);
	const logIn = /href="(\/sign-in\?next=[^"]*)"/.exec(html)?.[1] ?? '';
	await browser.open(logIn);
	const asked = await browser.submit('/sign-in', {email: user.email, password});
	expect([asked.path, asked.title]).toEqual([path, 'Join acme?']);
	expect((await membersOf(server)).map(member => member.email)).not.toContain(user.email);
	const joined = await browser.submit(path);
	expect([joined.path, joined.title]).toEqual([path, 'You belong to acme']);
	expect((await membersOf(server)).map(member => member.email)).toContain(user.email);
});

test('someone else is told for whom the link is, and uses nothing up', async () => {
	const server = await createTestServer();
	const user = await addUser(server);
	const {path} = await invite(server);
	const browser = createBrowser(server.app);
	await browser.open(path);
	const stale = createBrowser(server.app);
	await stale.open(path);
	await browser.open('/sign-in');
	await browser.submit('/sign-in', {email: user.email, password});
	const wrong = await browser.open(path);
	expect([wrong.status, wrong.title]).toEqual([403, 'This invitation is for someone else']);
	expect(wrong.html).toContain(email);
	expect((await stale.submit(path, chosen)).title).toBe('You belong to acme');
});

test('[30] nobody sets the password of an account that exists, and the page doesn’t say whether one does', async () => {
	const server = await createTestServer();
	const user = await addUser(server);
	const [known, unknown] = [await invite(server, {email: user.email}), await invite(server)];
	const pages = await Promise.all([known, unknown].map(({path}) => createBrowser(server.app).open(path)));
	const [first, second] = pages.map(({html}) =>
		html
			.replaceAll(known.code, '')
			.replaceAll(unknown.code, '')
			.replaceAll(user.email, '')
			.replaceAll(email, '')
			.replace(/name="form_token" value="[^"]*"/g, ''),
	);
	expect(first).toBe(second);
	const browser = createBrowser(server.app);
	await browser.open(known.path);
	const refused = await browser.submit(known.path, chosen);
	expect([refused.status, refused.problem]).toEqual([
		400,
		'This address can’t get a new account. If it has one, log in to join.',
	]);
	const before = await server.database.selectFrom('members').selectAll().execute();
	await browser.open('/sign-in');
	expect((await browser.submit('/sign-in', {email: user.email, password})).title).toBe('Your account');
	expect(await server.database.selectFrom('members').selectAll().execute()).toEqual(before);
});

test('[26] of two who accept at the same time one joins, and the other is told', async () => {
	const server = await createTestServer();
	const {path} = await invite(server);
	const browsers = [createBrowser(server.app), createBrowser(server.app), createBrowser(server.app)];
	await Promise.all(browsers.map(browser => browser.open(path)));
	const pages = await Promise.all(browsers.map(browser => browser.submit(path, chosen)));
	expect(pages.map(({title}) => title).toSorted()).toEqual([
		'This invitation has ended',
		'This invitation has ended',
		'You belong to acme',
	]);
	expect((await membersOf(server)).filter(member => member.email === email)).toHaveLength(1);
});

test('an invitation ends when it expires, is revoked or replaced, or its inviter may no longer invite', async () => {
	const server = await createTestServer();
	const open = async ({path}: {path: string}) => {
		const page = await createBrowser(server.app).open(path);
		return [page.status, /role="status">([^<]*)</.exec(page.html)?.[1]];
	};
	const revoked = [410, 'It was revoked or replaced. Ask for another one.'];
	const replaced = await invite(server);
	server.advance(1);
	const current = await invite(server, {email, expires_in_days: 1});
	expect(await open(replaced)).toEqual(revoked);
	expect((await createBrowser(server.app).open(current.path)).title).toBe('Join acme?');
	server.advance(dayMs);
	expect(await open(current)).toEqual([410, 'It has expired. Ask for another one.']);

	const withdrawn = await invite(server);
	expect((await server.send(`${invitations}/${withdrawn.id}`, {method: 'DELETE'})).json).toMatchObject({
		state: 'revoked',
	});
	expect(await open(withdrawn)).toEqual(revoked);
	expect((await server.send(`${invitations}/${withdrawn.id}`, {method: 'DELETE'})).status).toBe(200);
	expect((await server.send(invitations)).json.items.map(({state}: {state: string}) => state)).toEqual([
		'revoked',
		'expired',
		'revoked',
	]);

	const admin = await server.join('admin');
	const theirs = await invite(server, {email}, admin.key);
	await server.send(`/api/v1/org/${scope.org}/members/${admin.id}`, {method: 'PATCH', body: {role: 'member'}});
	expect(await open(theirs)).toEqual(revoked);
	await server.send(`/api/v1/org/${scope.org}/members/${admin.id}`, {method: 'PATCH', body: {role: 'admin'}});
	await server.send(`/api/v1/admin/users/${admin.id}/suspend`, {method: 'POST', body: {}});
	expect(await open(theirs)).toEqual(revoked);
});

test('[30] only owners invite owners, nobody invites a member again, and an accepted invitation isn’t revoked', async () => {
	const server = await createTestServer();
	const admin = await server.join('admin');
	const ask = (body: object, key?: string) => server.send(invitations, {method: 'POST', body, ...(key && {key})});
	expect((await ask({email, role: 'owner'}, admin.key)).status).toBe(403);
	expect((await ask({email: 'owner@acme.example'})).json.type).toBe('member_exists_error');
	for (const body of [
		{email: 'nobody'},
		{email, expires_in_days: 0},
		{email, expires_in_days: 31},
		{email, role: 'god'},
	]) {
		expect((await ask(body)).status).toBe(422);
	}

	const owned = await invite(server, {email, role: 'owner'});
	const revoke = (key?: string) => server.send(`${invitations}/${owned.id}`, {method: 'DELETE', ...(key && {key})});
	expect((await revoke(admin.key)).status).toBe(403);
	const browser = createBrowser(server.app);
	await browser.open(owned.path);
	await browser.submit(owned.path, chosen);
	expect((await revoke()).status).toBe(409);
});

test('[31] a suspended organization takes nobody in, and a suspended user joins nothing', async () => {
	const server = await createTestServer();
	const user = await addUser(server);
	const {path, code} = await invite(server, {email: user.email});
	await server.send(`/api/v1/admin/users/${user.id}/suspend`, {method: 'POST', body: {}});
	const browser = createBrowser(server.app);
	await browser.open('/sign-in');
	expect((await browser.submit('/sign-in', {email: user.email, password})).problem).toBe(
		'Wrong e-mail address or password.',
	);
	const origin = {address: undefined, requestId: undefined};
	expect(await acceptInvitation(server.services, {code, invitee: {userId: user.id}, origin})).toEqual({
		kind: 'refused',
	});

	await browser.open(path);
	await server.send('/api/v1/admin/organizations/acme/suspend', {method: 'POST', body: {}});
	const page = await browser.submit(path, chosen);
	expect([page.status, page.html.includes('The organization is suspended.')]).toEqual([403, true]);
});

test('wrong codes of a network are limited, and right ones each by themselves', async () => {
	const server = await createTestServer();
	const {path} = await invite(server);
	const browser = createBrowser(server.app);
	const guess = () => browser.open(`/invite/${createToken('invitation').token.reveal()}`);
	expect([(await guess()).status, (await browser.open('/invite/x')).status]).toEqual([404, 404]);
	for (let count = 2; count < 60; count += 1) {
		await guess();
	}

	const limited = await guess();
	expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '60']);
	const wrong = {password, repeated: 'other'};
	const statuses: number[] = [];
	for (let count = 0; count <= 30; count += 1) {
		await browser.open(path);
		statuses.push((await browser.submit(path, wrong)).status);
	}

	expect([statuses[29], statuses[30]]).toEqual([400, 429]);
});

test('the log of the server has no code of an invitation', async () => {
	const server = await createTestServer();
	const {path, code} = await invite(server);
	await sql`alter table invitations rename to moved`.execute(server.database);
	const {status} = await createBrowser(server.app).open(path);
	// The database serves other tests.
	await sql`alter table moved rename to invitations`.execute(server.database);
	expect(status).toBeGreaterThanOrEqual(500);
	expect(server.entries.map(({message}) => message)).toContain('failed');
	expect(JSON.stringify(server.entries)).not.toContain(code);
});

test('500 are invited and accept at the same time, each once', async () => {
	const server = await createTestServer();
	const invited = await Promise.all(
		Array.from({length: 500}, (_, index) => invite(server, {email: `member-${index}@acme.example`})),
	);
	const accept = async ({code}: {code: string}) => {
		const origin = {address: undefined, requestId: undefined};
		for (;;) {
			try {
				return await acceptInvitation(server.services, {code, invitee: {passwordHash: null}, origin});
			} catch (error) {
				// A busy machine lets the last of them wait for too long.
				expect(error).toMatchObject({status: 429});
			}
		}
	};
	const accepted = await Promise.all([...invited, ...invited.slice(0, 20)].map(accept));
	expect(accepted.filter(({kind}) => kind === 'joined')).toHaveLength(500);
	expect(accepted.filter(({kind}) => kind === 'refused')).toHaveLength(20);
	const {total} = (await server.send(`/api/v1/org/${scope.org}/members`)).json;
	expect(total).toBe(501);
});
