import {readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {Keychain} from '../../src/config/keychain.ts';
import {AppError} from '../../src/core/error.ts';
import {runInProcess} from '../e2e/in-process.ts';
import {httpServer} from '../net/servers.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {dataOf, drawn, testContext} from './context.ts';
import {goodKey, platform} from './platform.ts';

type Found = {ok: boolean; checks: {name: string; state: string; finding: string; fix: string | null}[]};

const inHome = {HOME: '/home/ada', SERVICE_KEYCHAIN: 'off'};
const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';

const check = (found: Found, name: string) => found.checks.find(one => one.name === name);

async function diagnosed(options: Parameters<typeof testContext>[0]): Promise<Found> {
	return dataOf(await testContext(options).run('doctor')) as Found;
}

test('doctor names what the program stands on, each with a sign, and counts the faults', async () => {
	const context = testContext({env: {LANG: 'C', SERVICE_KEYCHAIN: 'off', HTTPS_PROXY: '', HTTP_PROXY: ''}});
	const lines = drawn(await context.run('doctor'), 80).split('\n');
	const names = lines.flatMap(line => /^[✓·✗] (\w+(?: \w+)?) {2}/.exec(line)?.[1] ?? []);
	expect(names).toEqual([
		...['Program', 'Terminal', 'Text', 'Clipboard', 'State folder', 'Models', 'Keychain', 'Sandbox'],
		...['Proxy', 'Certificates', 'Server'],
	]);
	expect(lines).toContain("✗ Text          LANG=C isn't UTF-8: signs are drawn in ASCII.");
	expect(lines).toContain('                → Set LANG=C.UTF-8.');
	expect(lines.at(-1)).toBe('1 fault.');
});

test('doctor names the commands that fix something as they are typed here', async () => {
	const context = testContext({env: {SERVICE_KEYCHAIN: 'off'}});
	const inShell = drawn(await context.run('doctor'), 100);
	expect(inShell).toContain('→ Run service keys set <provider>, or service login to a server.');
	const inApp = drawn(await context.runInApp('doctor'), 100);
	expect(inApp).toContain('→ Run /keys set <provider>, or /login to a server.');
});

test('doctor names a setting that is left out because its value is invalid', async () => {
	const context = testContext({env: {SERVICE_KEYCHAIN: 'off'}});
	writeFileSync(join(context.home, 'settings.json'), '{"theme": 5}');
	const found = dataOf(await context.run('doctor')) as Found;
	expect(check(found, 'Settings')).toEqual({
		...{name: 'Settings', state: 'fault', fix: expect.stringContaining('config unset')},
		finding: expect.stringMatching(/^theme in .+settings\.json must be one of terminal, auto, /),
	});
});

test('doctor asks the server without a login, and compares clocks', async () => {
	const server = await httpServer((_, response) => {
		response.setHeader('date', new Date(Date.now() - 3_545_000).toUTCString());
		response.end('ok');
	});
	const found = await diagnosed({flags: {server: server.origin}, env: {SERVICE_API_KEY: goodKey}});
	expect(server.seen).toMatchObject([{method: 'GET', url: '/healthz'}]);
	expect(server.seen[0]?.headers.authorization).toBeUndefined();
	expect(check(found, 'Server')).toMatchObject({state: 'good', finding: expect.stringContaining(server.origin)});
	expect(check(found, 'Clock')).toMatchObject({
		state: 'fault',
		finding: expect.stringMatching(/ 59 m \d+ s apart/),
	});
	expect(found.ok).toBe(false);
});

test('a server that is gone, and a proxy that is none, are faults with a fix', async () => {
	const gone = await diagnosed({flags: {server: 'http://127.0.0.1:9'}});
	expect(check(gone, 'Server')).toMatchObject({state: 'fault', fix: expect.stringMatching(/./)});
	const unknown = await diagnosed({env: {SERVICE_PROFILE: 'nowhere'}});
	expect(check(unknown, 'Server')).toMatchObject({state: 'fault', finding: 'Profile not found: “nowhere”.'});
	const wrong = await diagnosed({env: {HTTPS_PROXY: 'ftp://me:hunter22@proxy'}});
	expect(wrong.checks.filter(({state}) => state === 'fault')).toMatchObject([
		{name: 'Network', finding: 'Invalid HTTPS_PROXY: not an http or https URL.'},
	]);
	expect(JSON.stringify([gone, wrong])).not.toContain('hunter22');
});

test('a keychain that fails is a fault only if it holds secrets', async () => {
	let isLocked = false;
	const entries = new Map<string, string>();
	const keychain: Keychain = {
		async get(entry) {
			if (isLocked) {
				throw new AppError('failed', 'The keychain refused access: locked.', {hint: 'Unlock it.'});
			}

			return entries.get(entry);
		},
		set: async (entry, text) => void entries.set(entry, text),
		remove: async entry => void entries.delete(entry),
	};
	const server = await platform();
	const first = testContext({keychain, flags: {server: server.origin}});
	expect(check(dataOf(await first.run('doctor')) as Found, 'Keychain')?.state).toBe('good');
	isLocked = true;
	expect(check(dataOf(await first.run('doctor')) as Found, 'Keychain')?.state).toBe('note');
	isLocked = false;
	await first.run('login', goodKey);
	isLocked = true;
	expect(check(dataOf(await first.run('doctor')) as Found, 'Keychain')).toMatchObject({
		state: 'fault',
		finding: 'The keychain refused access: locked. It holds 1 of your secrets.',
		fix: 'Unlock it.',
	});
});

const proxies = {HTTPS_PROXY: 'http://ada:hunter22@proxy.acme.invalid:3128', NO_PROXY: 'intern.acme.example'};

test('a bundle for a bug report has checks, settings and the debug log, and no names or keys [8]', async () => {
	const context = testContext({
		env: {
			...inHome,
			SERVICE_DEBUG: 'debug.jsonl',
			OPENAI_API_KEY: key,
			TMUX: '/tmp/tmux-1000/ada',
			LANG: 'C.UTF-8',
			...proxies,
		},
		flags: {server: 'https://agents.acme.example', org: 'acme-secret-project'},
	});
	const lines = Array.from({length: 300}, (_, index) => `{"kind":"request","n":${index}}`);
	lines[298] =
		'{"kind":"request","url":"https://agents.acme.example/api/v1/org/acme/ws/acme-red/projects/acme-7/items/schemas?page=2"}';
	writeFileSync(join(context.folder, 'debug.jsonl'), `${lines.join('\n')}\n{"torn ${key}`);
	await context.run('config', 'set', 'compact_at', '70');
	const result = await context.run('doctor', '--bundle', 'report.json');
	expect(context.said[0]).toMatch(
		/^The bundle has the checks of doctor, .*the last 200 lines of the debug log\. Keys, /,
	);
	expect(drawn(result, 200)).toContain('report.json. Read it before you share it.');

	const file = join(context.folder, 'report.json');
	const text = readFileSync(file, 'utf8');
	expect(statSync(file).mode & 0o777).toBe(0o600);
	expect(text).not.toMatch(/abcdefghijklmnop|acme|hunter22|tmux-1000|\/home\/ada/);
	const bundle = JSON.parse(text);
	expect(bundle.doctor.checks.length).toBeGreaterThan(8);
	expect(bundle.settings).toContainEqual({key: 'compact_at', source: 'user file', value: 70});
	expect(bundle.settings).toContainEqual({key: 'org', source: 'flag', value: 'set'});
	expect(bundle.terminal).toMatchObject({TMUX: 'set', LANG: 'C.UTF-8'});
	expect(bundle.debug_log).toHaveLength(200);
	expect(bundle.debug_log[197].url).toBe('https://***/api/v1/org/***/ws/***/projects/***/items/schemas?page=2');
	expect(bundle.debug_log[198]).toEqual({kind: 'request', n: 299});
	await expect(context.run('doctor', '--bundle', 'report.json')).rejects.toMatchObject({code: 'conflict'});
});

test('a bundle is written without a debug log, and says why there is none', async () => {
	const context = testContext({env: {...inHome, SERVICE_DEBUG: 'nowhere.jsonl'}});
	await context.run('doctor', '--bundle', 'report.json');
	expect(context.said[0]).toContain('no debug log (');
	const plain = testContext({env: inHome});
	await plain.run('doctor', '--bundle', 'report.json');
	expect(plain.said[0]).toContain('no debug log (SERVICE_DEBUG names none)');
});

test('a bundle leaves out the name of a server that nobody can resolve [8]', async () => {
	const env = {...inHome, HTTPS_PROXY: '', HTTP_PROXY: ''};
	const context = testContext({env, flags: {server: 'https://agents.acme.invalid:8443/base'}});
	await context.run('doctor', '--bundle', 'report.json');
	const text = readFileSync(join(context.folder, 'report.json'), 'utf8');
	expect(text).toContain('***');
	expect(text).not.toContain('acme');
});

test.each([
	['a file in its way', (folder: string) => join(folder, 'file'), 'is not a folder'],
	['a file in place of a parent', (folder: string) => join(folder, 'file', 'home'), 'part of the path is not a folder'],
	['no parent that could have it', () => '/proc/none/home', 'Cannot create /proc/none/home'],
	['a link', (folder: string) => join(folder, 'link'), 'is a symbolic link'],
])('with %s instead of a state folder, doctor runs, and names the fix', async (_, homeIn, reason) => {
	const folder = temporaryFolder();
	writeFileSync(join(folder, 'file'), '');
	symlinkSync(folder, join(folder, 'link'));
	const place = {home: homeIn(folder), folder};
	const {status, stdout} = await runInProcess(['doctor', '--json'], place);
	const found: Found = JSON.parse(stdout);
	expect([status, found.ok, found.checks.length]).toEqual([0, false, 11]);
	const state = check(found, 'State folder');
	expect(state).toMatchObject({state: 'fault', fix: expect.stringMatching(/set SERVICE_HOME to/i)});
	expect(state?.finding).toContain(reason);
	expect(found.checks.filter(({state: each}) => each === 'fault')).toEqual([state]);

	const bundle = await runInProcess(['doctor', '--bundle', 'report.json'], place);
	expect([bundle.status, bundle.stdout]).toEqual([0, expect.stringContaining('report.json')]);
	const report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
	expect(check(report.doctor, 'State folder')?.state).toBe('fault');
	expect((await runInProcess(['keys', 'list'], place)).status).toBe(1);
});
