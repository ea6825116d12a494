import {expect, test} from 'vitest';
import type {CommandContext} from '../../src/command/context.ts';
import {dispatch} from '../../src/command/dispatch.ts';
import {forgetProfile, saveProfile} from '../../src/config/profiles.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import type {TlsInfo} from '../../src/net/tls-info.ts';
import {fastClock, granted, loginServer, refused} from '../client/login-server.ts';
import {dataOf, drawn, testContext} from '../commands/context.ts';
import {goodKey, platform} from '../commands/platform.ts';

const hostOf = (origin: string) => new URL(origin).host;
const loginClock = fastClock();

/** Logs in to `a`, then to `b`. */
async function twoLogins() {
	const [a, b] = [await platform(), await platform()];
	const first = testContext({flags: {server: a.origin}});
	await first.run('login', goodKey);
	await testContext({like: first, flags: {server: b.origin}}).run('login', goodKey);
	return {a, b, first};
}

/** The context with a server that this process can't reach, at which every login succeeds. */
async function farAway({program, ...context}: CommandContext, tls: TlsInfo): Promise<CommandContext> {
	const logins = {
		...(await program.servers.platform.logins()),
		proveLogin: async () => undefined,
		recognize: async () => undefined,
		logIn: async () => undefined,
	};
	const platform = {...program.servers.platform, tlsOf: async () => tls, logins: async () => logins};
	return {...context, program: {...program, servers: {...program.servers, platform}}};
}

test('connect - goes to the previous server, and back again', async () => {
	const {a, b, first} = await twoLogins();
	const {run, context, store} = testContext({like: first});
	expect(dataOf(await run('connect', '-'))).toEqual({profile: hostOf(a.origin), server: a.origin});
	expect(context.program.local.config.read().activeProfile).toBe(hostOf(a.origin));
	expect(store.getState().connection).toEqual({profile: hostOf(a.origin), server: a.origin, state: 'ready'});
	expect(drawn(await run('connect', '-'), 80)).toBe(`Connected to ${b.origin}.`);
});

test('connect - in the app goes to the previous server of that window', async () => {
	const {a, b, first} = await twoLogins();
	const c = await platform();
	const app = testContext({like: first});
	await app.runInApp('connect', b.origin);
	await app.runInApp('connect', a.origin);
	await testContext({like: first, flags: {server: c.origin}}).run('login', goodKey);
	expect(dataOf(await app.runInApp('connect', '-'))).toMatchObject({server: b.origin});
});

test('the own server of the app is left and found again like any other, and kept for its next start', async () => {
	const {a, first} = await twoLogins();
	const app = testContext({like: first});
	const {config} = app.context.program.local;
	await app.runInApp('connect', a.origin);
	for (const words of [
		['connect', 'local'],
		['profile', 'use', 'local'],
	]) {
		expect(drawn(await app.runInApp(...words), 80)).toBe('Back on the built-in local server.');
		expect(config.read()).toMatchObject({previousProfile: hostOf(a.origin)});
		expect(config.read().activeProfile).toBe(undefined);
		expect(dataOf(await app.runInApp('connect', '-'))).toMatchObject({server: a.origin});
	}
});

test('connect - in the app goes to its own server if there is no previous one', async () => {
	expect(drawn(await testContext().runInApp('connect', '-'), 80)).toBe('Back on the built-in local server.');
});

test('connect - fails without a previous server or its profile', async () => {
	await expect(testContext().run('connect', '-')).rejects.toMatchObject({
		code: 'not-found',
		message: 'No previous connection.',
	});
	const {a, first} = await twoLogins();
	await forgetProfile(first.context.program.local.config, hostOf(a.origin));
	await expect(first.run('connect', '-')).rejects.toMatchObject({code: 'not-found'});
});

test('a failed connect - keeps the connection', async () => {
	const {a, b, first} = await twoLogins();
	await saveProfile(first.context.program.local.config, {
		name: hostOf(a.origin),
		server: a.origin,
		apiKey: secret('revoked'),
	});
	const {run, context, store} = testContext({like: first});
	await run('connect', b.origin);
	await expect(run('connect', '-')).rejects.toMatchObject({code: 'auth'});
	expect(context.program.local.config.read().activeProfile).toBe(hostOf(b.origin));
	expect(store.getState().connection).toMatchObject({server: b.origin, state: 'ready'});
});

test('a key from the environment does not replace the login of a profile [6]', async () => {
	const {a, first} = await twoLogins();
	const env = {SERVICE_SERVER: a.origin, SERVICE_API_KEY: 'key-of-the-environment'};
	await testContext({like: first, env}).run('connect', a.origin);
	expect(a.seen.map(({headers}) => headers.authorization)).not.toContain('Bearer key-of-the-environment');
});

test('a server with a device flow is connected through the browser', async () => {
	const {first} = await twoLogins();
	const there = await loginServer({tokens: [granted()], api: () => ({body: '{"models":[]}'})});
	const {run, shown, asked} = testContext({like: first, loginClock});
	expect(dataOf(await run('connect', there.origin))).toEqual({profile: hostOf(there.origin), server: there.origin});
	expect([shown.length, asked]).toEqual([2, []]);
});

test('a denied login keeps the old connection', async () => {
	const {b, first} = await twoLogins();
	const there = await loginServer({tokens: [refused('access_denied')]});
	const {run, context} = testContext({like: first, loginClock});
	await expect(run('connect', there.origin)).rejects.toMatchObject({code: 'auth'});
	expect(context.program.local.config.read().activeProfile).toBe(hostOf(b.origin));
});

test.each([80, 120])('an https connection shows certificate and protocol at %d columns, safely [1]', async width => {
	const {context} = testContext();
	const server = 'https://agents.example.com';
	await saveProfile(context.program.local.config, {name: 'lab', server, apiKey: secret(goodKey)});
	const tls = {protocol: 'TLSv1.3', issuer: 'Trust\u001b[2J, R3'};
	// This process trusts no test certificate; test/net tests TLS itself.
	const result = await dispatch(['connect', server], await farAway(context, tls));
	expect(drawn(result, width).replaceAll(/\s+/g, ' ')).toBe(
		`Connected to ${server} as profile lab: TLSv1.3, certificate from Trust␛[2J, R3.`,
	);
	expect(dataOf(result)).toEqual({profile: 'lab', server, tls});
});

test('the certificate of a new https server is shown before the login', async () => {
	const {context, said} = testContext({answers: [undefined]});
	const far = await farAway(context, {protocol: 'TLSv1.2', issuer: 'R3'});
	await dispatch(['connect', 'agents.example.com'], far);
	expect(said).toEqual(['https://agents.example.com: TLSv1.2, certificate from R3.']);
});

test('connect and whoami name the user and their organizations', async () => {
	const body = '{"models":[],"user_email":"ann@acme.example","organizations":["acme","lab"]}';
	const server = await platform({status: 200, body});
	const first = testContext({flags: {server: server.origin}});
	await first.run('login', goodKey);
	const {run} = testContext({like: first});
	const user = 'ann@acme.example in acme, lab';
	expect(drawn(await run('connect', server.origin), 120)).toBe(`Connected to ${server.origin}. You are ${user}.`);
	expect(dataOf(await run('whoami'))).toMatchObject({user});
});
