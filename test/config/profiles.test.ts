import {expect, test} from 'vitest';
import {type Config, openConfig} from '../../src/config/config.ts';
import {
	activateProfile,
	findProfile,
	forgetProfile,
	listProfiles,
	removeCredential,
	saveProfile,
} from '../../src/config/profiles.ts';
import {type ProfileFlags, resolveProfile} from '../../src/config/resolve-profile.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {temporaryHome} from '../storage/temporary.ts';

const a = 'https://a.test';
const b = 'https://b.test';

/** Two logins: a.test with a scope, then b.test, which is active. */
async function twoLogins(): Promise<Config> {
	const config = openConfig(temporaryHome());
	await saveProfile(config, {name: 'a', server: `${a}/`, apiKey: secret('key-of-a'), org: 'o', workspace: 'w'});
	await saveProfile(config, {name: 'b', server: b, apiKey: secret('key-of-b')});
	return config;
}

/** The resolved profile, with its key in clear. */
function resolve(config: Config, env: Record<string, string> = {}, flags: ProfileFlags = {}) {
	const found = resolveProfile({data: config.read(), env, flags});
	return found && {...found, apiKey: found.apiKey?.reveal()};
}

const none = {org: undefined, workspace: undefined, project: undefined};
const ofA = {
	name: 'a',
	server: a,
	apiKey: 'key-of-a',
	keySource: 'file',
	org: 'o',
	workspace: 'w',
	project: undefined,
};
const ofB = {name: 'b', server: b, apiKey: 'key-of-b', keySource: 'file', ...none};

test('the latest login is the active one', async () => {
	const config = await twoLogins();
	expect(resolve(config)).toEqual(ofB);
	expect(listProfiles(config.read()).map(({name, active}) => [name, active])).toEqual([
		['b', true],
		['a', false],
	]);
	expect(resolve(openConfig(temporaryHome()))).toBeUndefined();
});

test('a profile is activated, logged out and forgotten by name', async () => {
	const config = await twoLogins();
	await activateProfile(config, 'a');
	expect(resolve(config)).toEqual(ofA);
	await removeCredential(config, 'a');
	expect(resolve(config)).toEqual({...ofA, apiKey: undefined, keySource: undefined});
	await forgetProfile(config, 'a');
	expect(resolve(config)).toBeUndefined();
	for (const name of ['a', '__proto__', 'constructor']) {
		await expect(activateProfile(config, name)).rejects.toMatchObject({
			code: 'not-found',
			hint: 'Choose one of b, or log in.',
		});
		await expect(forgetProfile(config, name)).rejects.toMatchObject({code: 'not-found'});
	}
});

test('a login to the same server keeps other fields, a login to another server keeps nothing [6]', async () => {
	const config = await twoLogins();
	await saveProfile(config, {name: 'a', server: a, project: 'p'});
	expect(resolve(config)).toEqual({...ofA, project: 'p'});
	await saveProfile(config, {name: 'a', server: 'http://a.test', apiKey: undefined});
	expect(resolve(config)).toEqual({
		name: 'a',
		server: 'http://a.test',
		apiKey: undefined,
		keySource: undefined,
		...none,
	});
	expect(findProfile(config.read(), 'a')).not.toHaveProperty('apiKey');
});

test('a flag wins over the environment, the environment over the active profile', async () => {
	const config = await twoLogins();
	expect(resolve(config, {SERVICE_PROFILE: 'a'})).toEqual(ofA);
	expect(resolve(config, {SERVICE_PROFILE: 'a'}, {profile: 'b'})).toEqual(ofB);
	expect(resolve(config, {SERVICE_SERVER: a})).toEqual(ofA);
	expect(resolve(config, {SERVICE_SERVER: a}, {server: b})).toEqual(ofB);
	expect(resolve(config, {SERVICE_PROFILE: ''}, {server: 'a.test'})).toEqual(ofA);
	expect(
		resolve(config, {SERVICE_WORKSPACE: 'w2', SERVICE_PROJECT: 'p2', SERVICE_PROFILE: 'a'}, {project: 'p3'}),
	).toEqual({
		...ofA,
		workspace: 'w2',
		project: 'p3',
	});
});

test('a server named by its URL never gets the key of a profile of another server [6]', async () => {
	const config = await twoLogins();
	const strange = {
		name: 'evil.test:8443',
		server: 'https://evil.test:8443',
		apiKey: undefined,
		keySource: undefined,
		...none,
	};
	expect(resolve(config, {}, {server: 'https://evil.test:8443/'})).toEqual(strange);
	const below = {...strange, name: 'evil.test:8443/path', server: 'https://evil.test:8443/path'};
	expect(resolve(config, {}, {server: 'https://evil.test:8443/path/'})).toEqual(below);
	expect(resolve(config, {SERVICE_SERVER: 'https://evil.test:8443'})).toEqual(strange);
	for (const server of ['http://b.test', 'https://b.test:444', 'https://b.test.evil.test', `${b}/agents`]) {
		expect(resolve(config, {}, {server})).toMatchObject({apiKey: undefined});
	}
});

test('the key from the environment goes to the server from the environment, or to a named one [6]', async () => {
	const config = await twoLogins();
	const key = {SERVICE_API_KEY: 'env-key'};
	expect(resolve(config, {...key, SERVICE_SERVER: b})).toEqual({...ofB, apiKey: 'env-key', keySource: 'from env'});
	expect(resolve(config, {...key, SERVICE_SERVER: 'http://localhost:8700'})).toEqual({
		name: 'localhost:8700',
		server: 'http://localhost:8700',
		apiKey: 'env-key',
		keySource: 'from env',
		...none,
	});
	expect(resolve(config, key, {server: a})).toMatchObject({apiKey: 'env-key'});
	expect(resolve(config, {...key, SERVICE_PROFILE: 'a'})).toMatchObject({apiKey: 'env-key', org: 'o'});

	const notice = "SERVICE_API_KEY isn't sent to https://b.test. Set SERVICE_SERVER to its server.";
	expect(resolve(config, key)).toEqual({...ofB, notice});
	expect(resolve(config, {...key, SERVICE_SERVER: a}, {server: b})).toEqual({...ofB, notice});
});

test('unknown profiles and invalid URLs are rejected with a sentence', async () => {
	const config = await twoLogins();
	expect(() => resolve(config, {SERVICE_PROFILE: 'c'})).toThrow('Profile not found: “c”.');
	expect(() => resolve(config, {}, {server: 'ftp://a.test'})).toThrow('Invalid URL “ftp://a.test”');
	expect(() => resolve(config, {}, {profile: 'a', server: b})).toThrow(
		'Profile “a” is for https://a.test, not https://b.test.',
	);
	await expect(saveProfile(config, {name: 'x', server: 'https://u:p@a.test'})).rejects.toThrow('user name');
});

test("the key from the environment doesn't go to another server that the app connects to [6]", async () => {
	const config = await twoLogins();
	const connectedTo = (connected: string, env: Record<string, string>) =>
		resolveProfile({data: config.read(), env: {SERVICE_API_KEY: 'env-key', ...env}, flags: {}, connected});
	expect(connectedTo('a', {SERVICE_PROFILE: 'a'})?.apiKey?.reveal()).toBe('env-key');
	expect(connectedTo('b', {SERVICE_PROFILE: 'a'})).toMatchObject({server: b, keySource: 'file'});
	expect(connectedTo('b', {SERVICE_SERVER: a})).toMatchObject({server: b, keySource: 'file'});
	expect(connectedTo('b', {})).toMatchObject({server: b, keySource: 'file'});
	expect(connectedTo('b', {SERVICE_SERVER: b})?.apiKey?.reveal()).toBe('env-key');
});
