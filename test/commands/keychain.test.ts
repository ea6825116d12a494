import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {fastClock, granted, loginServer} from '../client/login-server.ts';
import {memoryKeychain} from '../config/memory-keychain.ts';
import {dataOf, drawn, testContext} from './context.ts';
import {goodKey, platform} from './platform.ts';

const fileOf = ({home}: {readonly home: string}) => readFileSync(join(home, 'config.json'), 'utf8');

test('a login says that its key is in the keychain, and the next process works with it', async () => {
	const server = await platform();
	const {keychain, calls} = memoryKeychain();
	const first = testContext({flags: {server: server.origin, profile: 'lab'}, keychain});
	expect(drawn(await first.run('login', goodKey), 120)).toBe(
		`Logged in to ${server.origin} as profile lab. Saved to the keychain.`,
	);
	expect(fileOf(first)).not.toContain(goodKey);

	const {run} = testContext({like: first, keychain});
	expect(calls).toEqual(['set']);
	expect(dataOf(await run('whoami'))).toMatchObject({
		credential: {kind: 'api-key', source: 'keychain', last4: 'abcd'},
	});
	expect(calls).toEqual(['set', 'get']);
});

test('keys are stored in the keychain, listed without reading it, and removed from it [8]', async () => {
	const {keychain, entries, calls} = memoryKeychain();
	const first = testContext({keychain});
	expect(drawn(await first.run('keys', 'set', 'openai', 'sk-0123456789abcdef'), 120)).toContain(
		'Stored the key of OpenAI (…cdef). Saved to the keychain.',
	);
	const {run} = testContext({like: first, keychain});
	expect(dataOf(await run('keys', 'list'))).toEqual([
		{provider: 'openai', last4: 'cdef', source: 'keychain', base_url: 'https://api.openai.com/v1'},
	]);
	expect(dataOf(await run('whoami', '--wire'))).toMatchObject([{secret: 'key of openai (keychain)', last4: 'cdef'}]);
	expect(calls).toEqual(['set']);
	await run('keys', 'remove', 'openai');
	expect(entries.size).toBe(0);
});

test('without a keychain the notice names the file and the reason', async () => {
	const {keychain, state} = memoryKeychain();
	state.fault = 'No system keychain found.';
	const {run, home} = testContext({keychain});
	expect(drawn(await run('keys', 'set', 'openai', 'sk-0123456789abcdef'), 400)).toContain(
		`Stored the key of OpenAI (…cdef). Saved to ${join(home, 'config.json')} (no system keychain found).`,
	);
	expect(dataOf(await run('keys', 'list'))).toMatchObject([{provider: 'openai', source: 'file'}]);
});

test('connect says where it stored a new login', async () => {
	const server = await platform();
	const {keychain} = memoryKeychain();
	const {run} = testContext({answers: [goodKey], keychain});
	expect(drawn(await run('connect', server.origin), 120)).toBe(`Connected to ${server.origin}. Saved to the keychain.`);
});

test('a login lost by the keychain is an error that says how to log in again', async () => {
	const server = await platform();
	const {keychain, entries} = memoryKeychain();
	const first = testContext({flags: {server: server.origin}, keychain});
	await first.run('login', goodKey);
	entries.clear();
	await expect(testContext({like: first, keychain}).run('whoami')).rejects.toMatchObject({
		code: 'auth',
		message: `The keychain no longer has your login to ${server.origin}.`,
		hint: `Log in again: \`login --server ${server.origin}\``,
		logInTo: server.origin,
	});
});

test('removing a profile or key says what stays in a locked keychain', async () => {
	const server = await platform();
	const {keychain, state} = memoryKeychain();
	const {run} = testContext({flags: {server: server.origin, profile: 'lab'}, keychain});
	await run('login', goodKey);
	await run('keys', 'set', 'openai', 'sk-0123456789abcdef');
	state.fault = "The keychain didn't answer within 3 seconds.";
	expect(await run('keys', 'remove', 'openai')).toMatchObject({
		text: `Removed the API key of OpenAI. The keychain still has it. ${state.fault}`,
	});
	expect(await run('profile', 'forget', 'lab', '--yes')).toMatchObject({
		text: `Forgot profile lab. The keychain still has its key. ${state.fault}`,
	});
});

test('renewed tokens replace the old ones in the keychain', async () => {
	const server = await loginServer({
		tokens: [granted(1), granted(2)],
		api: ({headers}) =>
			isRevoked && headers.authorization !== 'Bearer access-2-0123456789'
				? {status: 401, body: '{"detail":"Expired"}'}
				: {body: '{"models":[]}'},
	});
	let isRevoked = false;
	const {keychain, entries} = memoryKeychain();
	const first = testContext({flags: {server: server.origin}, loginClock: fastClock(), keychain});
	await first.run('login');
	isRevoked = true;
	const {run} = testContext({like: first, keychain});
	expect(dataOf(await run('whoami'))).toMatchObject({credential: {kind: 'access-token', source: 'keychain'}});
	expect([...entries.values()]).toEqual(['access-2-0123456789', 'refresh-2-0123456789']);
	expect(server.polls.map(form => form.get('refresh_token'))).toEqual([null, 'refresh-1-0123456789']);
	expect(fileOf(first)).not.toMatch(/access-\d|refresh-\d/);
});
