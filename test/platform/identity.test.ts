import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createSandboxServices} from '../../src/client/sandbox-services.ts';
import {openRecents} from '../../src/config/recents.ts';
import {openSightings} from '../../src/config/sightings.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {createLogins} from '../../src/platform/logins.ts';
import {dataOf, testContext} from '../commands/context.ts';
import {goodKey, platform} from '../commands/platform.ts';
import {temporaryFolder} from '../storage/temporary.ts';

/** Returns the app connected to `a` after another window activated profile `b`. */
async function connectedToA() {
	const [a, b] = [await platform(), await platform()];
	const first = testContext({flags: {server: a.origin, org: 'acme'}});
	await first.run('login', goodKey);
	const app = testContext({like: first});
	await app.runInApp('connect', a.origin);
	await testContext({like: first, flags: {server: b.origin}}).run('login', goodKey);
	return {a, b, app};
}

test('whoami and logout in the app use the connection of that window', async () => {
	const {a, b, app} = await connectedToA();
	expect(dataOf(await app.runInApp('whoami'))).toMatchObject({server: a.origin});
	expect(dataOf(await app.run('whoami'))).toMatchObject({server: b.origin});
	await app.runInApp('logout');
	expect(dataOf(await app.run('whoami'))).toMatchObject({server: b.origin});
	await expect(app.runInApp('whoami')).rejects.toMatchObject({message: `You are not logged in to ${a.origin}.`});
});

test('the embedded server keeps its own key and scope for any active profile', async () => {
	const {app} = await connectedToA();
	app.store.getState().setConnection({profile: 'local', server: 'http://127.0.0.1:1', state: 'ready'});
	expect(dataOf(await app.runInApp('whoami'))).toMatchObject({profile: 'local', credential: 'embedded'});
	await expect(app.runInApp('logout')).rejects.toMatchObject({code: 'auth', message: 'You are not logged in.'});
	const {
		program: {
			local: {config, env},
		},
		flags,
	} = app.context;
	const scope = {org: 'demo', workspace: 'main', project: 'demo'};
	const access = createLogins({
		store: app.store,
		config,
		env,
		recents: openRecents(join(temporaryFolder(), 'recents.json')),
		sightings: openSightings(join(temporaryFolder(), 'sightings.json')),
		services: createSandboxServices(),
		embedded: async () => ({url: 'http://127.0.0.1:1', token: secret('its own'), scope}),
		createTransport: async credential => {
			expect(credential?.secret.reveal()).toBe('its own');
			return () => Promise.reject(new Error('Nothing is to be sent.'));
		},
	});
	const opened = await access.open({...flags, project: 'other'}, 'local', {onWait: () => undefined});
	expect([opened.server, opened.profile, await opened.scope('org', 'workspace'), await opened.project()]).toEqual([
		'http://127.0.0.1:1',
		'local',
		{org: 'demo', workspace: 'main'},
		'other',
	]);
});

test('a wait for the own server, which may take seconds to start, ends at once for its user', async () => {
	const {app} = await connectedToA();
	const {program, flags} = app.context;
	const abort = new AbortController();
	const access = createLogins({
		...program.local,
		store: app.store,
		services: createSandboxServices(),
		embedded: () => new Promise(() => undefined),
		createTransport: () => Promise.reject(new Error('Nothing is to be sent.')),
	});
	const opened = access.open(flags, 'local', {onWait: () => undefined, signal: abort.signal});
	abort.abort(new Error('Esc'));
	await expect(opened).rejects.toThrow('Esc');
});
