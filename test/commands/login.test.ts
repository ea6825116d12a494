import {expect, test} from 'vitest';
import {dataOf, drawn, testContext} from './context.ts';
import {faults, goodKey, platform} from './platform.ts';

const hostOf = (origin: string) => new URL(origin).host;

test('a valid key is stored, and its profile becomes active', async () => {
	const server = await platform();
	const {run, context, store} = testContext({flags: {server: server.origin, org: 'acme'}});
	const result = await run('login', goodKey);
	expect(dataOf(result)).toEqual({profile: hostOf(server.origin), server: server.origin});
	expect(drawn(result, 80)).toBe(`Logged in to ${server.origin}.`);
	const [recognized, ...proved] = server.seen.map(({method, headers}) => [method, headers.authorization]);
	expect(recognized).toEqual(['GET', undefined]);
	expect(proved).toEqual(proved.map(() => ['GET', `Bearer ${goodKey}`]));
	expect(store.getState().connection).toMatchObject({profile: hostOf(server.origin), state: 'ready'});

	const {activeProfile, profiles} = context.program.local.config.read();
	expect(activeProfile).toBe(hostOf(server.origin));
	expect(profiles[hostOf(server.origin)]).toMatchObject({server: server.origin, org: 'acme'});
	expect(profiles[hostOf(server.origin)]?.apiKey?.reveal()).toBe(goodKey);
});

test('an omitted key is asked for, masked [11]', async () => {
	const server = await platform();
	const {run, asked, said} = testContext({flags: {server: server.origin}, answers: [` ${goodKey}\n`]});
	await run('login');
	expect(asked).toEqual([{label: `API key for ${hostOf(server.origin)} (typing is hidden):`, masked: true}]);
	expect(said).toEqual([]);
});

test('the app asks for the server as well', async () => {
	const server = await platform();
	const {runInApp, asked} = testContext({answers: [server.origin, goodKey]});
	await runInApp('login');
	expect(asked).toEqual([
		{label: 'Server, such as https://agents.example.com:', masked: false},
		{label: `API key for ${hostOf(server.origin)} (typing is hidden):`, masked: true},
	]);
});

test.each(faults)('nothing is stored if the server responds with %j', async (fault, code, message) => {
	const good = await platform();
	const bad = await platform(fault);
	const first = testContext({flags: {server: good.origin}});
	await first.run('login', goodKey);
	const before = first.context.program.local.config.read();

	const {run, context} = testContext({like: first, flags: {server: bad.origin}});
	await expect(run('login', goodKey)).rejects.toMatchObject({code, message: expect.stringMatching(message)});
	expect(JSON.stringify(context.program.local.config.read())).toBe(JSON.stringify(before));
});

test('a rejected key does not replace the stored one', async () => {
	const server = await platform();
	const {run, context} = testContext({flags: {server: server.origin}});
	await run('login', goodKey);
	await expect(run('login', 'key-wrong')).rejects.toMatchObject({code: 'auth'});
	expect(context.program.local.config.read().profiles[hostOf(server.origin)]?.apiKey?.reveal()).toBe(goodKey);
});

test('the latest login becomes active, and SERVICE_PROFILE selects another', async () => {
	const [a, b] = [await platform(), await platform()];
	const first = testContext({flags: {server: a.origin}});
	await first.run('login', goodKey);
	await testContext({like: first, flags: {server: b.origin}}).run('login', goodKey);

	const server = async (env: Record<string, string>) => dataOf(await testContext({like: first, env}).run('whoami'));
	expect(await server({})).toMatchObject({server: b.origin});
	expect(await server({SERVICE_PROFILE: hostOf(a.origin)})).toMatchObject({server: a.origin});
});

test('--profile names a new profile, and a later login keeps the name', async () => {
	const server = await platform();
	const first = testContext({flags: {server: server.origin, profile: 'lab'}});
	const result = await first.run('login', goodKey);
	expect(drawn(result, 80)).toBe(`Logged in to ${server.origin} as profile lab.`);
	for (const options of [{flags: {profile: 'lab'}}, {env: {SERVICE_PROFILE: 'lab'}}, {}]) {
		expect(dataOf(await testContext({like: first, ...options}).run('login', goodKey))).toEqual({
			profile: 'lab',
			server: server.origin,
		});
	}

	expect(Object.keys(first.context.program.local.config.read().profiles)).toEqual(['lab']);
});

test('SERVICE_PROFILE can name a profile that the login creates', async () => {
	const server = await platform();
	const {run} = testContext({env: {SERVICE_PROFILE: 'new', SERVICE_SERVER: server.origin}});
	expect(dataOf(await run('login', goodKey))).toEqual({profile: 'new', server: server.origin});
});

test('a profile is never pointed to another server [6]', async () => {
	const [a, b] = [await platform(), await platform()];
	const first = testContext({flags: {server: a.origin, profile: 'lab'}});
	await first.run('login', goodKey);
	const {run} = testContext({like: first, flags: {server: b.origin, profile: 'lab'}});
	await expect(run('login', goodKey)).rejects.toMatchObject({
		code: 'usage',
		message: `Profile “lab” belongs to ${a.origin}, not ${b.origin}.`,
		hint: 'Use another --profile, or remove that one: profile forget lab',
	});
	expect(b.seen).toEqual([]);
});

test('plain http beyond this machine is refused before anything is sent, and allowed with a warning [9]', async () => {
	const {run} = testContext({flags: {server: 'http://service.test'}});
	await expect(run('login', goodKey)).rejects.toMatchObject({
		code: 'usage',
		hint: expect.stringMatching('--insecure-http'),
	});

	const {run: insecure, said} = testContext({flags: {server: 'http://service.invalid', insecureHttp: true}});
	await expect(insecure('login', goodKey)).rejects.toMatchObject({code: 'network'});
	expect(said).toContain('Using plain HTTP: anyone on the network can read keys and messages.');
});

test('Esc at the question for the server cancels, without an error', async () => {
	expect(drawn(await testContext({answers: [undefined]}).runInApp('login'), 80)).toBe('Nothing changed.');
});

test('a missing server and a missing or invalid key are one-sentence errors', async () => {
	const {run} = testContext();
	await expect(run('login', goodKey)).rejects.toMatchObject({code: 'usage', message: 'No server given.'});

	const server = await platform();
	const options = {flags: {server: server.origin}};
	await expect(testContext({...options, answers: [' ']}).run('login')).rejects.toMatchObject({
		code: 'usage',
		message: 'No API key given.',
	});
	await expect(testContext(options).run('login', 'two words')).rejects.toMatchObject({
		code: 'usage',
		message: 'Invalid API key: it contains spaces or other characters.',
	});
	expect(await testContext({...options, answers: [undefined]}).run('login')).toEqual({
		kind: 'text',
		leavesNothing: true,
		text: 'Login cancelled. Nothing changed.',
		hint: `With an API key: \`login --with-token --server ${server.origin}\``,
	});
	expect(server.seen.filter(({headers}) => headers.authorization !== undefined)).toEqual([]);
});

test('an empty key, as an unset variable leaves it, is refused, and nothing is asked', async () => {
	const server = await platform();
	const {run, asked} = testContext({flags: {server: server.origin}, answers: [goodKey]});
	await expect(run('login', '')).rejects.toMatchObject({code: 'usage', message: '<api-key> is empty.'});
	expect([server.seen, asked]).toEqual([[], []]);
});

test('an interrupted login stores nothing [21]', async () => {
	const abort = new AbortController();
	const server = await platform();
	const {run, context} = testContext({flags: {server: server.origin}, signal: abort.signal});
	abort.abort();
	await expect(run('login', goodKey)).rejects.toMatchObject({name: 'AbortError'});
	expect(context.program.local.config.read().profiles).toEqual({});
});
