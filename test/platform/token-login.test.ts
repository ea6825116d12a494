import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {build} from 'esbuild';
import {expect, test} from 'vitest';
import {openConfig} from '../../src/config/config.ts';
import {replaceTokens, saveProfile} from '../../src/config/profiles.ts';
import {AppError} from '../../src/core/error.ts';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {refreshOf} from '../../src/platform/token-login.ts';
import {openHome} from '../../src/storage/home.ts';
import {granted, loginServer, plainTransport, refused} from '../client/login-server.ts';
import type {Reply} from '../client/server.ts';
import {temporaryFolder} from '../storage/temporary.ts';

const stale = 'access-1-0123456789';
const fresh = 'access-2-0123456789';

/** Stores a login to a server that accepts each refresh token once, and only the new access token. */
async function staleLogin(tokens?: () => Reply) {
	const spent: (string | null)[] = [];
	const server = await loginServer({
		tokens: form => {
			const token = form.get('refresh_token');
			const isReused = spent.includes(token);
			spent.push(token);
			return tokens?.() ?? (isReused ? refused('invalid_grant') : granted(2));
		},
		api: ({headers}) => ({status: headers.authorization === `Bearer ${fresh}` ? 200 : 401, body: '{}'}),
	});
	const home = temporaryFolder();
	const config = openConfig(openHome({SERVICE_HOME: home}));
	await saveProfile(config, {
		name: 'lab',
		server: server.origin,
		accessToken: secret(stale),
		refreshToken: secret('refresh-1-0123456789'),
	});
	const login = {profile: 'lab', server: originOf(server.origin), accessToken: secret(stale), insecureHttp: false};
	const renew = refreshOf({config, createTransport: async () => plainTransport()}, login);
	const stored = () => config.read().profiles['lab'];
	return {server, home, spent, renew, stored, config};
}

test('processes that renew a login together send one refresh, and all continue [18]', async () => {
	const {server, home, spent, stored} = await staleLogin();
	const worker = join(temporaryFolder(), 'worker.mjs');
	await build({
		entryPoints: [join(import.meta.dirname, 'refresh-worker.ts')],
		outfile: worker,
		bundle: true,
		platform: 'node',
		format: 'esm',
		banner: {js: "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"},
		logLevel: 'error',
	});
	await Promise.all(
		['a', 'b', 'c'].map(async () => {
			const child = spawn(process.execPath, [worker, home, server.origin, 'lab', stale], {stdio: 'inherit'});
			expect(await once(child, 'exit')).toEqual([0, null]);
		}),
	);
	expect(spent).toEqual(['refresh-1-0123456789']);
	expect(stored()?.accessToken?.reveal()).toBe(fresh);
	expect(stored()?.refreshToken?.reveal()).toBe('refresh-2-0123456789');
});

test('a login renewed by another process is used without a request', async () => {
	const {server, config, renew} = await staleLogin();
	await saveProfile(config, {name: 'lab', server: server.origin, accessToken: secret(fresh)});
	expect(await renew()).toBeTypeOf('function');
	expect(server.asked).toEqual([]);
});

test('a missing login, one without a refresh token and one of another server are not renewed [6]', async () => {
	const {server, config, renew} = await staleLogin();
	await saveProfile(config, {name: 'lab', server: server.origin, accessToken: secret(stale)});
	expect(await renew()).toBe(undefined);
	await saveProfile(config, {name: 'lab', server: 'https://other.test', accessToken: secret('other-token')});
	expect(await renew()).toBe(undefined);
	await saveProfile(config, {name: 'lab', server: server.origin, apiKey: secret('key')});
	expect(await renew()).toBe(undefined);
	expect(server.asked).toEqual([]);
});

test('tokens of an old login do not replace a newer login', async () => {
	const {server, config, stored} = await staleLogin();
	const late = {accessToken: secret('late'), refreshToken: secret('late')};
	await replaceTokens(config, 'lab', secret('refresh-0-0123456789'), late);
	expect(stored()?.accessToken?.reveal()).toBe(stale);
	await saveProfile(config, {name: 'lab', server: server.origin, apiKey: secret('new-key')});
	await replaceTokens(config, 'lab', secret('refresh-1-0123456789'), late);
	expect(stored()).toMatchObject({apiKey: expect.anything()});
	expect(stored()).not.toHaveProperty('accessToken');
});

test('[19] a full disk costs no login: nothing is exchanged that cannot be stored', async () => {
	const {server, config, spent, stored} = await staleLogin();
	const full = new AppError('failed', 'Cannot write config.json: disk full.');
	const parts = {
		config: {...config, update: () => Promise.reject(full)},
		createTransport: async () => plainTransport(),
	};
	const login = {profile: 'lab', server: originOf(server.origin), accessToken: secret(stale), insecureHttp: false};
	const renew = refreshOf(parts, login);
	await expect(renew()).rejects.toBe(full);
	expect([spent, stored()?.accessToken?.reveal()]).toEqual([[], stale]);
});

test.each([
	[{status: 503, body: 'busy'}, 'network'],
	[{body: '<html>proxy</html>'}, 'network'],
	[{status: 400, body: '{"error":"invalid_grant"}'}, 'auth'],
	[{status: 400, body: '{"error":"unauthorized_client"}'}, 'auth'],
] as const)('a refresh that is answered with %j keeps the login unless it has ended', async (reply, code) => {
	const {renew, stored} = await staleLogin(() => reply);
	await expect(renew()).rejects.toMatchObject({code});
	expect(stored()?.accessToken?.reveal()).toBe(reply.body.includes('invalid_grant') ? undefined : stale);
});
