import {expect, test} from 'vitest';
import {AppError} from '../../../src/core/error.ts';
import {initialize} from '../../../src/server/accounts/initialize.ts';
import {emptyDatabase} from '../database/engine.ts';

const beginning = {organization: 'acme', workspace: 'main', project: 'web', email: 'Ada@Example.com'};
const at = '2026-03-01T12:00:00.000Z';

async function prepare() {
	const database = await emptyDatabase();
	return {database, services: {database, now: () => new Date(at)}};
}

/** Returns the code and message of a promise's error. */
async function failure(promise: Promise<unknown>) {
	const error = await promise.catch((thrown: unknown) => thrown);
	return error instanceof AppError ? [error.code, error.message] : ['no error'];
}

test('initializing creates a user, organization, workspace, project and key', async () => {
	const {database, services} = await prepare();
	const made = await initialize(services, beginning);
	expect(made).toEqual({
		apiKey: expect.anything(),
		organization: 'acme',
		workspace: 'main',
		project: 'web',
		userId: expect.any(String),
		isNewUser: true,
	});
	expect(made.apiKey.reveal()).toMatch(/^svc_[\w-]{43}$/);
	const rows = await database
		.selectFrom('members')
		.innerJoin('users', 'users.id', 'members.user_id')
		.innerJoin('organizations', 'organizations.id', 'members.organization_id')
		.innerJoin('workspaces', 'workspaces.organization_id', 'organizations.id')
		.innerJoin('projects', 'projects.workspace_id', 'workspaces.id')
		.select([
			'users.id',
			'email',
			'role',
			'organizations.slug as org',
			'workspaces.slug as ws',
			'projects.slug as project',
		])
		.execute();
	expect(rows).toEqual([
		{id: made.userId, email: 'ada@example.com', role: 'owner', org: 'acme', ws: 'main', project: 'web'},
	]);
});

test('initializing the same organization again is rejected and leaves nothing behind', async () => {
	const {database, services} = await prepare();
	await initialize(services, beginning);
	const again = initialize(services, {...beginning, workspace: 'other', email: 'eve@example.com'});
	expect(await failure(again)).toEqual(['conflict', 'This data already has an organization “acme”.']);
	const counts = await Promise.all(
		(['users', 'organizations', 'workspaces', 'projects', 'api_keys', 'members'] as const).map(
			async table => (await database.selectFrom(table).selectAll().execute()).length,
		),
	);
	expect(counts).toEqual([1, 1, 1, 1, 1, 1]);
});

test('a second organization reuses its user and gets its own key', async () => {
	const {database, services} = await prepare();
	const first = await initialize(services, beginning);
	const second = await initialize(services, {...beginning, organization: 'beta', email: ' ada@example.COM '});
	expect([second.userId, second.isNewUser]).toEqual([first.userId, false]);
	expect(second.apiKey.equals(first.apiKey)).toBe(false);
	expect(await database.selectFrom('users').selectAll().execute()).toHaveLength(1);
});

test('two concurrent processes create one organization', async () => {
	const {services} = await prepare();
	const results = await Promise.allSettled([1, 2].map(() => initialize(services, beginning)));
	expect(results.map(({status}) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test.each([
	['organization', ''],
	['organization', 'Acme'],
	['workspace', '-main'],
	['workspace', 'main-'],
	['project', 'a/b'],
	['project', 'x'.repeat(64)],
	['project', '../web'],
])('%s “%s” cannot be a slug', async (name, slug) => {
	const {services} = await prepare();
	const article = name === 'organization' ? 'an' : 'a';
	expect(await failure(initialize(services, {...beginning, [name]: slug}))).toEqual([
		'usage',
		`“${slug}” cannot name ${article} ${name}.`,
	]);
});

test.each(['', 'ada', '@', 'ada@', 'a b@c', '<ada@example.com>', 'ada@example.com\nbcc@x', `${'x'.repeat(250)}@e.com`])(
	'%j is not an e-mail address',
	async email => {
		const {services} = await prepare();
		expect((await failure(initialize(services, {...beginning, email})))[0]).toBe('usage');
	},
);
