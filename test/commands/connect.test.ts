import {expect, test} from 'vitest';
import {dataOf, testContext} from './context.ts';
import {faults, goodKey, platform} from './platform.ts';

const hostOf = (origin: string) => new URL(origin).host;

/** Returns a login to one server, and a second server. */
async function loggedIn() {
	const here = await platform();
	const first = testContext({flags: {server: here.origin}});
	await first.run('login', goodKey);
	return {here, first};
}

test('a server with a stored login is connected without a question', async () => {
	const {here, first} = await loggedIn();
	const there = await platform();
	await testContext({like: first, flags: {server: there.origin}}).run('login', goodKey);

	const {run, asked, context, store} = testContext({like: first});
	expect(dataOf(await run('connect', here.origin))).toEqual({profile: hostOf(here.origin), server: here.origin});
	expect(asked).toEqual([]);
	expect(context.program.local.config.read().activeProfile).toBe(hostOf(here.origin));
	expect(store.getState().connection).toEqual({profile: hostOf(here.origin), server: here.origin, state: 'ready'});
});

test('a server without a stored login asks for an API key, masked, and stores it [6]', async () => {
	const {first} = await loggedIn();
	const there = await platform();
	const {run, asked, context} = testContext({like: first, answers: [goodKey]});
	await run('connect', hostOf(there.origin));
	expect(asked).toEqual([{label: `API key for ${hostOf(there.origin)} (typing is hidden):`, masked: true}]);
	expect(context.program.local.config.read().activeProfile).toBe(hostOf(there.origin));
	expect(Object.keys(context.program.local.config.read().profiles)).toHaveLength(2);
});

test.each(faults)('the old connection stays if the new server responds with %j', async (fault, code) => {
	const {here, first} = await loggedIn();
	const bad = await platform(fault);
	const {run, context, store} = testContext({like: first, answers: [goodKey]});
	store.getState().setConnection({profile: 'old', server: here.origin, state: 'ready'});
	await expect(run('connect', bad.origin)).rejects.toMatchObject({code});
	expect(context.program.local.config.read().activeProfile).toBe(hostOf(here.origin));
	expect(store.getState().connection.profile).toBe('old');
});

test('a key of one server is never sent to another [6]', async () => {
	const {first} = await loggedIn();
	const there = await platform();
	const {run} = testContext({like: first, answers: [undefined]});
	expect(await run('connect', there.origin)).toEqual({
		kind: 'text',
		leavesNothing: true,
		text: 'Login cancelled. Nothing changed.',
		hint: `With an API key: \`login --with-token --server ${there.origin}\``,
	});
	// The check for a server with a browser login carries no credential.
	expect(there.seen.map(({url, headers}) => [url, headers.authorization])).toEqual([
		['/.well-known/oauth-authorization-server', undefined],
		['/api/v1/user/preferences', undefined],
	]);
});

test('a profile is never pointed at another server [6]', async () => {
	const {here, first} = await loggedIn();
	const there = await platform();
	const {run, context} = testContext({like: first, flags: {profile: hostOf(here.origin)}, answers: [goodKey]});
	await expect(run('connect', there.origin)).rejects.toMatchObject({code: 'usage'});
	expect(context.program.local.config.read().profiles[hostOf(here.origin)]?.server).toBe(here.origin);
	expect(there.seen).toEqual([]);
});

test.each([
	['ftp://a.test', 'usage'],
	['http://127.0.0.1:1', 'network'],
	['http://service.test', 'usage'],
])('%s cannot be connected', async (url, code) => {
	await expect(testContext({answers: [goodKey]}).run('connect', url)).rejects.toMatchObject({code});
});

test.each([
	['a web page', 200, '<!doctype html><title>Hotel</title>'],
	['a web page that wants a password', 401, '<html>Log in</html>'],
	['a page that is not there', 404, '<html>Not found</html>'],
	['another API', 200, '["hello"]'],
])('no key is requested or sent if %s answers [6]', async (_, status, body) => {
	const bad = await platform({status, body});
	const asking = testContext({answers: [goodKey]});
	const message = expect.stringMatching(/doesn't look like a service server \(.*\)\.$/);
	await expect(asking.run('connect', bad.origin)).rejects.toMatchObject({code: 'network', message});
	expect(asking.asked).toEqual([]);
	const given = testContext({flags: {server: bad.origin}});
	await expect(given.run('login', goodKey)).rejects.toMatchObject({code: 'network', message});
	expect(bad.seen.filter(({headers}) => headers.authorization)).toEqual([]);
});
