import {expect, test} from 'vitest';
import {openDatabase} from '../../src/server/database/open.ts';
import {openDataFolder} from '../../src/server/run/serve.ts';
import {dataOf, drawn, testContext} from './context.ts';

const scope = {org: 'acme', workspace: 'main', project: 'web'};

test('init says whether the user is new, and which defaults it used', async () => {
	const home = testContext({flags: scope});
	const first = drawn(await home.run('serve', 'init', '--email', 'ada@acme.example'), 120);
	expect(first).toMatch(/^Created user ada@acme\.example in organization acme\.\n/);
	expect(first).not.toContain('Used by default');
	const {run} = testContext({like: home, flags: {org: 'beta'}});
	const second = drawn(await run('serve', 'init', '--email', 'ada@acme.example'), 120);
	expect(second).toMatch(/^Created organization beta for ada@acme\.example, an existing user\.\n/);
	expect(second).toContain('Used by default:     --workspace main --project default\n');
});

test('limits are shown with their source, set and reset', async () => {
	const home = testContext();
	await home.run('serve', 'init');
	expect(drawn(await home.run('serve', 'limits'), 80).split('\n')).toEqual([
		'Limits of default',
		'longest run  24 h 00 m (platform)',
		'default run  1 h 00 m (platform)',
		'at once      10 (platform)',
		'storage      that of the server',
		'stored       0 B',
	]);
	const set = await home.run(
		'serve',
		'limits',
		'--max',
		'7200',
		'--default',
		'1800',
		'--capacity',
		'2',
		'--storage',
		'0.5',
	);
	expect(drawn(set, 80).split('\n').slice(1)).toEqual([
		'longest run  2 h 00 m',
		'default run  30 m 00 s',
		'at once      2',
		'storage      500 MB',
		'stored       0 B',
	]);
	await expect(home.run('serve', 'limits', '--default', '7201')).rejects.toMatchObject({code: 'usage'});
	expect(dataOf(await home.run('serve', 'limits', '--max', '0'))).toEqual({
		max_seconds: null,
		default_seconds: 1800,
		capacity: 2,
		storage_bytes: 500_000_000,
		stored_bytes: 0,
		effective: {max_seconds: 86_400, default_seconds: 1800, capacity: 2},
	});
});

test('credits are granted, refilled and limited', async () => {
	const home = testContext();
	await home.run('serve', 'init');
	const none = await home.run('serve', 'credits');
	expect(drawn(none, 80).split('\n')).toEqual([
		'Credits of default',
		'balance    0',
		'refill     none',
		'threshold  none',
		'cap        none',
	]);
	const set = ['--grant', '5000', '--refill', '1000', '--threshold', '500', '--cap', '3'];
	expect(dataOf(await home.run('serve', 'credits', ...set))).toEqual({
		balance: 5000,
		refill: 1000,
		threshold: 500,
		cap: 3,
	});
	const limited = await home.run('serve', 'credits', '--member', 'Admin@localhost', '--limit', '10');
	const member = ['member         admin@localhost', 'monthly limit  10', 'used this month  0'];
	expect(
		drawn(limited, 80)
			.split('\n')
			.slice(-3)
			.map(line => line.replace(/ +/g, ' ')),
	).toEqual(member.map(line => line.replace(/ +/g, ' ')));
	expect(dataOf(await home.run('serve', 'credits', '--member', 'admin@localhost'))).toMatchObject({
		member: {email: 'admin@localhost', monthly_limit: 10, month_used: 0},
	});
	expect(dataOf(await home.run('serve', 'credits', '--refill', '0'))).toMatchObject({
		balance: 5000,
		refill: null,
		cap: 3,
	});
});

test('machines are listed, and a lost one is forgotten by the beginning of its id', async () => {
	const home = testContext();
	await home.run('serve', 'init');
	expect(drawn(await home.run('serve', 'machine', 'list'), 80)).toContain('No machines yet. Start a server: ');
	const id = '4f2a91c0-0000-4000-8000-000000000001';
	const {location} = openDataFolder(home.context.program.local.env, {});
	const database = await openDatabase(location);
	const row = {id, host: 'a.example', seen_at: '2026-03-01T12:00:00.000Z'};
	await database.insertInto('machines').values(row).execute();
	await database.destroy();
	expect(dataOf(await home.run('serve', 'machine', 'list'))).toEqual([{...row, sandboxes: 0}]);
	expect(drawn(await home.run('serve', 'machine', 'list'), 80)).toContain(`${id}  a.example  0`);
	await expect(home.run('serve', 'machine', 'forget')).rejects.toMatchObject({code: 'usage'});
	await expect(home.run('serve', 'machine', 'list', id)).rejects.toMatchObject({code: 'usage'});
	expect(drawn(await home.run('serve', 'machine', 'forget', '4f2a91c0'), 120)).toBe(
		`Forgot machine ${id} (a.example). Sandboxes ended: 0.`,
	);
	expect(dataOf(await home.run('serve', 'machine', 'list'))).toEqual([]);
});

test('migrate says what an upgrade would change, changes it, and others refuse until then', async () => {
	const home = testContext();
	await home.run('serve', 'init');
	expect(drawn(await home.run('serve', 'migrate', '--dry-run'), 80)).toContain('The database is up to date.');
	const {location} = openDataFolder(home.context.program.local.env, {});
	const database = await openDatabase(location);
	await database
		.withTables<{migrations: {name: string}}>()
		.deleteFrom('migrations')
		.where('name', '=', '008-signing-keys')
		.execute();
	await database.destroy();
	await expect(home.run('serve', 'credits')).rejects.toMatchObject({
		code: 'upgrade',
		hint: 'Upgrade it first: `$ serve migrate`',
	});
	expect(dataOf(await home.run('serve', 'migrate', '--dry-run'))).toEqual([
		{name: '008-signing-keys', tables: [{name: 'signing_keys', rows: 0}]},
	]);
	expect(drawn(await home.run('serve', 'migrate'), 80)).toBe('The database is up to date now.');
	expect(drawn(await home.run('serve', 'migrate'), 80)).toBe('The database was up to date already.');
	await home.run('serve', 'credits');
});

test('a user becomes an administrator of the server, and an ordinary user again', async () => {
	const home = testContext();
	await home.run('serve', 'init');
	await home.run('serve', 'member', 'grace@acme.example');
	expect(drawn(await home.run('serve', 'admin', 'grace@acme.example'), 80)).toBe(
		'grace@acme.example is now an administrator of this server.',
	);
	expect(dataOf(await home.run('serve', 'admin', 'grace@acme.example', '--remove'))).toMatchObject({
		is_administrator: false,
	});
	await expect(home.run('serve', 'admin', 'nobody@acme.example')).rejects.toMatchObject({code: 'not-found'});
});
