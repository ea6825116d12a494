import {mkdirSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {drawResult} from '../../src/headless/print.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {dataOf, drawn, testContext} from './context.ts';

const scope = {org: 'acme', workspace: 'main', project: 'web'};

/** Runs `serve` in a context until the test ends it. */
async function serve(like = testContext(), ...words: readonly string[]) {
	const abort = new AbortController();
	const {run, said} = testContext({like, signal: abort.signal});
	const result = await run('serve', '--port', '0', ...words);
	if (result.kind !== 'running') {
		throw new Error('It does not run.');
	}

	const end = async () => {
		abort.abort();
		await result.ended;
	};
	onTestFinished(end);
	const {url} = JSON.parse(JSON.stringify(result.data)) as {url: string};
	return {result, url, said, end};
}

test('the key of serve init works on the server with the same data', async () => {
	const home = testContext({flags: scope});
	const made = dataOf(await home.run('serve', 'init', '--email', 'ada@acme.example'));
	expect(made).toEqual({
		api_key: expect.stringMatching(/^svc_[\w-]{43}$/),
		...scope,
		user_id: expect.stringMatching(/^[\da-f-]{36}$/),
	});

	const {url, end} = await serve(home);
	expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
	const key = JSON.parse(JSON.stringify(made)).api_key;
	const client = testContext({flags: {server: url, ...scope}});
	await client.run('login', key);
	expect(dataOf(await client.run('whoami'))).toMatchObject({server: url, org: 'acme'});
	expect(dataOf(await client.run('api-key', 'list'))).toEqual([
		expect.objectContaining({name: 'serve init', prefix: key.slice(0, 10)}),
	]);

	await end();
	await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
});

test.each([80, 120])('at %i columns serve shows its address and next steps', async width => {
	const home = testContext();
	const {result, url} = await serve(home);
	expect(drawn(result, width).replaceAll(home.home, '~').split('\n')).toEqual([
		`Listening on ${url}`,
		'data       ~/server (SQLite)',
		expect.stringMatching(/^sandboxes {2}\S/),
		`log in     service login --server ${url}`,
		'first      No users yet. Create one: service serve init',
		'stop       Ctrl+C',
	]);
});

test.each([80, 120])('at %i columns init shows the key once, and next steps', async width => {
	const output = {isTTY: true, columns: width} as const;
	const lines = drawResult(await testContext().run('serve', 'init'), output, {env: {NO_COLOR: '1'}})
		.trimEnd()
		.split('\n');
	expect(lines.map(line => line.replace(/svc_\S+|[\da-f-]{36}/, 'X'))).toEqual([
		'Created user admin@localhost in organization default.',
		'api key    X',
		'org        default',
		'workspace  main',
		'project    default',
		'user id    X',
		'',
		"Copy this API key now; it won't be shown again.",
		'Start the server:    service serve',
		'Choose a password:   service serve password admin@localhost',
		'Used by default:     --email admin@localhost --org default --workspace main --project default',
		'To choose:           service serve init --org <name> --email <address>',
	]);
});

test('[10] only the user can read the data', async () => {
	const data = join(temporaryFolder(), 'a', 'data');
	const made = await testContext().run('serve', 'init', '--data', data);
	expect(drawn(made, 400)).toMatch(
		new RegExp(`service serve --data ${data}\n.* service serve password \\S+ --data ${data}\n`),
	);
	const modes = readdirSync(data).map(name => statSync(join(data, name)).mode & 0o777);
	expect([statSync(data).mode & 0o777, ...new Set(modes)]).toEqual([0o700, 0o600]);
});

test('a folder with other files is refused and unchanged', async () => {
	const data = temporaryFolder();
	writeFileSync(join(data, 'letter.txt'), 'mine');
	mkdirSync(join(data, 'shared'), {mode: 0o755});
	await expect(testContext().run('serve', 'init', '--data', data)).rejects.toMatchObject({
		code: 'usage',
		message: `${data} already contains other files.`,
	});
	expect(readdirSync(data)).toEqual(['letter.txt', 'shared']);
});

test('an organization name that exists is a conflict', async () => {
	const {run} = testContext();
	await run('serve', 'init');
	await expect(run('serve', 'init')).rejects.toMatchObject({
		code: 'conflict',
		message: 'Organization default (owner admin@localhost) already exists. Nothing was changed.',
		hint: 'Create another API key: `$ serve key admin@localhost`. Create another organization: `$ serve init --org <name>`',
	});
});

test('a member added while the server runs can log in at once, and a removed one has no access', async () => {
	const home = testContext();
	await home.run('serve', 'init');
	const {url} = await serve(home);
	const added = dataOf(await home.run('serve', 'member', 'grace@acme.example', '--role', 'admin'));
	expect(added).toEqual({user_id: expect.any(String), role: 'admin', api_key: expect.stringMatching(/^svc_/)});
	const again = await home.run('serve', 'member', 'grace@acme.example');
	expect([drawn(again, 80), dataOf(again)]).toEqual([
		'grace@acme.example is an admin of default.',
		{user_id: expect.any(String), role: 'admin'},
	]);
	const lost = JSON.parse(JSON.stringify(dataOf(await home.run('serve', 'key', 'Grace@acme.example')))).api_key;
	const headers = {authorization: `Bearer ${lost}`};
	const answer = await fetch(`${url}/api/v1/org/default/credits/auto-refill`, {headers});
	expect(answer.status).toBe(200);

	const removed = await home.run('serve', 'member', 'grace@acme.example', '--remove');
	expect(dataOf(removed)).toEqual({user_id: expect.any(String), removed: true, sandboxes: 0});
	const refused = await fetch(`${url}/api/v1/org/default/credits/auto-refill`, {headers});
	expect(refused.status).toBe(404);
});

test('a password code works while the server runs, and can turn off a lost second factor', async () => {
	const home = testContext();
	await home.run('serve', 'init');
	const {url} = await serve(home);
	const made = await home.run('serve', 'password', 'Admin@localhost', '--drop-second-factor');
	const code = JSON.parse(JSON.stringify(dataOf(made))).password_code;
	expect(drawn(made, 300)).toBe(
		`One-time password code for Admin@localhost (valid 3 days). Enter it at <server>/password: ${code}`,
	);
	const {headers} = await fetch(`${url}/password`);
	const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
	const page = await (await fetch(`${url}/password`, {headers: {cookie}})).text();
	const form_token = /name="form_token" value="([^"]*)"/.exec(page)?.[1] ?? '';
	const words = 'correct horse battery';
	const saved = await fetch(`${url}/password`, {
		method: 'POST',
		headers: {cookie, origin: url},
		body: new URLSearchParams({form_token, code, password: words, repeated: words}),
	});
	expect([saved.status, await saved.text()]).toEqual([200, expect.stringContaining('Your password is saved')]);
});

test.each([
	[['credits', '--limit', '1'], undefined, 'usage'],
	[['credits', '--grant', '-1'], undefined, 'usage'],
	[['credits'], 'none', 'not-found'],
	[['credits', '--member', 'nobody@b.example', '--limit', '1'], undefined, 'not-found'],
	[['limits'], 'none', 'not-found'],
	[['limits', '--max', '-1'], undefined, 'usage'],
	[['member', 'nobody'], undefined, 'usage'],
	[['member', 'a@b.example'], 'none', 'not-found'],
	[['member', 'admin@localhost', '--role', 'member'], undefined, 'conflict'],
	[['member', 'admin@localhost', '--remove'], undefined, 'conflict'],
	[['member', 'admin@localhost', '--remove', '--role', 'member'], undefined, 'usage'],
	[['key', 'nobody@b.example'], undefined, 'not-found'],
	[['password', 'nobody@b.example'], undefined, 'not-found'],
])('serve %j in the organization %s fails with %s', async (words, org, code) => {
	const home = testContext();
	await home.run('serve', 'init');
	const {run} = testContext({like: home, flags: org ? {org} : {}});
	await expect(run('serve', ...words)).rejects.toMatchObject({code});
});

test.each([['credits'], ['limits'], ['member', 'grace@acme.example']])(
	'serve %s without --org uses the only organization, and lists several',
	async (...words) => {
		const home = testContext();
		await expect(home.run('serve', ...words)).rejects.toMatchObject({
			code: 'not-found',
			message: 'This server has no organization yet.',
		});
		await testContext({like: home, flags: {org: 'acme'}}).run('serve', 'init', '--email', 'ada@acme.example');
		expect(drawn(await home.run('serve', ...words), 80)).toContain('acme');
		await testContext({like: home, flags: {org: 'beta'}}).run('serve', 'init', '--email', 'ada@acme.example');
		await expect(home.run('serve', ...words)).rejects.toMatchObject({
			code: 'usage',
			hint: 'Choose one with --org: acme, beta.',
		});
	},
);

test.each([
	['--port', '65536'],
	['--port', 'x'],
	['--port', '-1'],
	['--host', 'not a host'],
	['--database', 'mysql://a'],
	['--artifacts', 's3://a'],
	['--public-url', 'ftp://a'],
	['--log-level', 'all'],
	['--min-client', 'new'],
])('%s %s is refused before anything is opened', async (flag, value) => {
	await expect(testContext().run('serve', flag, value)).rejects.toMatchObject({code: 'usage'});
});

test('a port in use is an error', async () => {
	const {url} = await serve();
	await expect(testContext().run('serve', '--port', new URL(url).port)).rejects.toMatchObject({
		code: 'failed',
		hint: 'Choose another --port, or a --host of this machine.',
	});
});

test('[25] a public address is warned about, and unknown host names are refused', async () => {
	const {url, said} = await serve(testContext(), '--host', '0.0.0.0', '--public-url', 'https://agents.example');
	const port = new URL(url).port;
	expect(said).toEqual(['Anyone on the network can reach 0.0.0.0 and read plain HTTP. Put a proxy with TLS in front.']);
	expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});

test('an outdated client is told to update and exits with 9', async () => {
	const home = testContext({flags: scope});
	const {api_key: key} = JSON.parse(JSON.stringify(dataOf(await home.run('serve', 'init'))));
	const {url} = await serve(home, '--min-client', '99.1');
	const client = testContext({env: {SERVICE_SERVER: url, SERVICE_API_KEY: key}, flags: scope});
	await expect(client.run('credits', 'show')).rejects.toMatchObject({
		code: 'upgrade',
		message: expect.stringContaining('This server needs service 99.1 or newer, and this is 0.0.0'),
	});
	expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('serve works in a shell only', async () => {
	await expect(testContext().runInApp('serve')).rejects.toMatchObject({code: 'usage'});
});

test('serve and its verbs read variables, a file and secrets from files', async () => {
	const folder = temporaryFolder();
	const path = join(folder, 'serve.yaml');
	writeFileSync(path, `data: ${join(folder, 'data')}\nport: 1\n`);
	writeFileSync(join(folder, 'key'), `${Buffer.alloc(32, 7).toString('base64url')}\n`);
	const env = {SERVICE_SERVE_CONFIG: path, SERVICE_SEAL_KEY_FILE: join(folder, 'key')};
	const home = testContext({env, flags: scope});
	await home.run('serve', 'init');
	expect(statSync(join(folder, 'data', 'service.db')).size).toBeGreaterThan(0);
	// The port of the file could not be used: the flag of the line wins.
	const {url} = await serve(home);
	expect((await fetch(`${url}/readyz`)).status).toBe(200);
	expect(readdirSync(join(folder, 'data'))).not.toContain('seal.key');
});

test('a flag twice, and a wrong key of the configuration, are errors of usage', async () => {
	const path = join(temporaryFolder(), 'serve.yaml');
	writeFileSync(path, 'prot: 1\n');
	await expect(testContext().run('serve', '--port', '0', '--port', '1')).rejects.toMatchObject({
		code: 'usage',
		message: '--port is given 2 times.',
	});
	await expect(testContext().run('serve', 'limits', '--config', path)).rejects.toMatchObject({
		code: 'usage',
		message: `${path}, line 1: Unknown key “prot”. Did you mean “port”?`,
	});
});

test('a password in the arguments is warned about, and not printed', async () => {
	const {run, said} = testContext();
	const url = 'postgres://user:hunter2@127.0.0.1:1/name';
	await expect(run('serve', 'limits', '--database', url)).rejects.toMatchObject({code: 'network'});
	expect(said).toEqual([
		'Every user of this machine could see the password in --database. Use SERVICE_SERVE_DATABASE_FILE.',
	]);
});
