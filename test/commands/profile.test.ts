import {expect, test} from 'vitest';
import {unchanged} from '../../src/command/result.ts';
import {saveProfile} from '../../src/config/profiles.ts';
import {openRecents} from '../../src/config/recents.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {openHome} from '../../src/storage/home.ts';
import {dataOf, drawn, testContext} from './context.ts';

/** Creates two logins, the second one active. */
async function twoLogins(answers: readonly (string | undefined)[] = []) {
	const made = testContext({answers});
	const {
		program: {
			local: {config},
		},
	} = made.context;
	await saveProfile(config, {name: 'lab', server: 'http://127.0.0.1:8700', apiKey: secret('k-lab-0123456789')});
	await saveProfile(config, {
		name: 'agents.example.com',
		server: 'https://agents.example.com',
		apiKey: secret('k-agents-0123456'),
		org: 'acme',
		workspace: 'ml',
	});
	return made;
}

test('profiles are listed, the latest login first, the active one marked', async () => {
	const {run} = await twoLogins();
	const result = await run('profile', 'list');
	expect(drawn(result, 80).split('\n')).toEqual([
		'profile                  server                      scope    key    login',
		'agents.example.com  now  https://agents.example.com  acme/ml  …3456  now',
		'lab                      http://127.0.0.1:8700                …6789  now',
	]);
	expect(drawn(result, 120)).toBe(drawn(result, 80));
	expect(dataOf(result)).toEqual([
		{
			name: 'agents.example.com',
			server: 'https://agents.example.com',
			active: true,
			org: 'acme',
			workspace: 'ml',
			project: null,
			logged_in: true,
			saved_at: expect.any(String),
		},
		{
			name: 'lab',
			server: 'http://127.0.0.1:8700',
			active: false,
			org: null,
			workspace: null,
			project: null,
			logged_in: true,
			saved_at: expect.any(String),
		},
	]);
	expect(JSON.stringify(result)).not.toContain('k-lab-');
});

test('the app goes back to its own server by the name it shows, unless a profile has that name', async () => {
	const {run, runInApp, store, context} = await twoLogins();
	await runInApp('profile', 'use', 'lab');
	expect(drawn(await runInApp('profile', 'use', 'local'), 80)).toBe('Back on the built-in local server.');
	expect(store.getState().connection).toMatchObject({profile: 'local', state: 'ready'});
	await expect(run('profile', 'use', 'local')).rejects.toMatchObject({code: 'not-found'});

	const own = {name: 'local', server: 'http://127.0.0.1:8701', apiKey: secret('k-local-0123456')};
	await saveProfile(context.program.local.config, own);
	const used = await runInApp('profile', 'use', 'local');
	expect(drawn(used, 80)).toBe('Profile local is active (http://127.0.0.1:8701).');
});

test('an empty list says how to log in', async () => {
	expect(drawn(await testContext().run('profile', 'list'), 80)).toBe(
		'No profiles yet. Create one: /login --server <url>',
	);
});

test('profile use asks nothing without a login', async () => {
	const {run, asked} = testContext({answers: ['lab']});
	await expect(run('profile', 'use')).rejects.toMatchObject({code: 'not-found', message: 'No profiles yet.'});
	expect(asked).toEqual([]);
});

test('a profile is activated by name, or selected', async () => {
	const {run, context, asked, store} = await twoLogins(['lab', undefined]);
	expect(dataOf(await run('profile', 'use', 'agents.example.com'))).toMatchObject({profile: 'agents.example.com'});
	await run('profile', 'use');
	expect(asked[0]).toMatchObject({title: 'Select a profile', choices: [{id: 'agents.example.com'}, {id: 'lab'}]});
	expect(context.program.local.config.read().activeProfile).toBe('lab');
	expect(store.getState().connection).toMatchObject({profile: 'lab', server: 'http://127.0.0.1:8700'});
	expect(await run('profile', 'use')).toEqual(unchanged);
});

test('an unknown profile is refused with the existing ones', async () => {
	const {run, asked} = await twoLogins();
	const missing = {
		code: 'not-found',
		message: 'Profile not found: “ghost”.',
		hint: 'Choose one of lab, agents.example.com, or log in.',
	};
	await expect(run('profile', 'use', 'ghost')).rejects.toMatchObject(missing);
	await expect(run('profile', 'forget', 'ghost')).rejects.toMatchObject(missing);
	await expect(testContext().run('profile', 'use', 'ghost')).rejects.toMatchObject({
		hint: 'Log in to a server first: `login --server <url>`',
	});
	expect(asked).toEqual([]);
});

test('a profile is removed after confirmation or with --yes', async () => {
	const {run, context, asked} = await twoLogins(['no', 'yes']);
	expect(await run('profile', 'forget', 'lab')).toEqual(unchanged);
	expect(asked).toEqual(['Forget profile lab and its key?']);
	await run('profile', 'forget', 'lab');
	expect(Object.keys(context.program.local.config.read().profiles)).toEqual(['agents.example.com']);
	await run('profile', 'forget', 'agents.example.com', '--yes');
	expect(context.program.local.config.read()).toMatchObject({profiles: {}});
	expect(context.program.local.config.read().activeProfile).toBeUndefined();
});

test('removing a profile removes the ids seen with it', async () => {
	const {run, home} = await twoLogins();
	const recents = openRecents(openHome({SERVICE_HOME: home}).recentsFile);
	recents.remember('lab', [{kind: 'run', id: 'one'}]);
	await recents.settle(300_000);
	await run('profile', 'forget', 'lab', '--yes');
	await expect.poll(() => recents.recall('lab', 'run')).toEqual([]);
});
