import {expect, test} from 'vitest';
import {forgetProfile, saveProfile} from '../../src/config/profiles.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {bindingWorld} from './binding-world.ts';

const [first, second] = ['http://127.0.0.1:4101', 'http://127.0.0.1:4102'];
const login = (name: string, server: string) => ({name, server, apiKey: secret('sk-0123456789abcdef')}) as never;
const flags = {json: false, exact: false, insecureHttp: false, server: undefined, profile: undefined};
const scope = {org: undefined, workspace: undefined, project: undefined};

/** An app that is connected to the first server, while another process changes the logins. */
async function connected() {
	const world = await bindingWorld();
	await saveProfile(world.config, login('work', first));
	const {program, store} = world.open();
	const context = program.forCommand({
		ui: {live: {}, interact: {}},
		flags: {...flags, ...scope},
		signal: new AbortController().signal,
	} as never);
	expect(store.getState().connection.server).toBe(first);
	return {...world, open: () => context.program.servers.open(), store};
}

test('[6] an app stays with its server while another process logs in to another one', async () => {
	const {config, open} = await connected();
	await saveProfile(config, login('other', second));
	expect((await open()).server).toBe(first);
});

test.each([
	['names another server with its profile', async (config: never) => saveProfile(config, login('work', second))],
	[
		'removes its profile, so that another one is next',
		async (config: never) => {
			await saveProfile(config, login('other', second));
			await forgetProfile(config, 'work');
			await saveProfile(config, login('other', second));
		},
	],
])('[6] an app asks no other server after another process %s', async (_, change) => {
	const {config, open} = await connected();
	await change(config as never);
	await expect(open()).rejects.toMatchObject({code: 'conflict', hint: `Reconnect: \`connect ${second}\``});
});

test('[6] the built-in server is not displaced by a profile of its name', async () => {
	const {config, open, store} = await connected();
	store.getState().setConnection({profile: 'local', server: 'local', state: 'ready'});
	await saveProfile(config, login('local', 'https://elsewhere.example'));
	await expect(open()).rejects.toMatchObject({code: 'conflict'});
});
