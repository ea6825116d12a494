import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {setKey} from '../../src/config/provider-keys.ts';
import {saveSettings} from '../../src/config/settings/saved-settings.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {refuseElsewhere} from '../../src/session/resume-session.ts';
import type {Answer} from '../e2e/model-host.ts';
import {bindingWorld, chatsOf, firstKey} from './binding-world.ts';

type World = Awaited<ReturnType<typeof bindingWorld>>;
type Opened = ReturnType<World['open']>;

const says = ({say, finish}: Answer) => {
	say('Hello.');
	finish();
};

/** An answer that calls a tool once something has happened. */
const callsAfter =
	(change: () => Promise<unknown>, name: string, args: object) =>
	async ({call, finish}: Answer) => {
		await change();
		call(name, args);
		finish();
	};

const closed = ({program}: Opened) => program.close();

/** A session with one message that was answered by the host that it began with. */
async function begun(world: World, options: Parameters<World['open']>[0] = {}) {
	const opened = world.open(options);
	await opened.conversation.send('One.');
	return opened;
}

/** The last session, resumed by a user who agrees to nothing, and sent another message. */
async function resumedAndRefused(world: World, options: Parameters<World['open']>[0] = {}) {
	const opened = world.open({model: undefined, ...options});
	opened.answerWith(() => false);
	await opened.program.session.resume('latest', refuseElsewhere);
	await opened.conversation.send('Two.');
	return opened;
}

const readList = ['list_files', {}] as const;

/**
 * Ways in which a request could reach a host that the user didn't agree to. The program asks, and is answered with no, or has
 * nobody to ask.
 */
const forms: readonly (readonly [name: string, act: (world: World) => Promise<unknown>])[] = [
	[
		'the next message of the user',
		async world => {
			const opened = await begun(world);
			opened.answerWith(() => false);
			await world.moveTo(world.other);
			await opened.conversation.send('Two.');
			expect(opened.questions).toHaveLength(1);
		},
	],
	[
		'the first message of a session that had shown another host',
		async world => {
			const opened = world.open();
			opened.answerWith(() => false);
			await world.moveTo(world.other);
			await opened.conversation.send('One.');
			expect(opened.questions).toHaveLength(1);
		},
	],
	[
		'a message of a watch, although the user would say yes',
		async world => {
			const opened = await begun(world);
			opened.answerWith(() => true);
			await world.moveTo(world.other);
			await expect(opened.conversation.send('A line matches.', 'watch')).rejects.toThrow('Nothing was sent.');
			expect(opened.questions).toEqual([]);
		},
	],
	[
		'a later turn of a watch',
		async world => {
			const opened = await begun(world);
			opened.answerWith(() => true);
			world.own.answerWith(callsAfter(() => world.moveTo(world.other), ...readList));
			await opened.conversation.send('A line matches.', 'watch');
			expect(opened.questions).toEqual([]);
		},
	],
	[
		'a message of a watch that joins a run of the user',
		async world => {
			const opened = await begun(world);
			opened.answerWith(() => true);
			let joined: Promise<void> | undefined;
			world.own.answerWith(async ({say, finish}) => {
				joined = opened.conversation.send('A line matches.', 'watch');
				await world.moveTo(world.other);
				say('Done.');
				finish();
			});
			await opened.conversation.send('Two.');
			await joined;
			expect(opened.questions).toEqual([]);
		},
	],
	[
		'a later turn of a run without a user',
		async world => {
			const opened = world.open();
			world.own.answerWith(callsAfter(() => world.moveTo(world.other), ...readList));
			await opened.conversation.send('One.');
		},
	],
	[
		'a queued message',
		async world => {
			const opened = world.open();
			opened.answerWith(() => false);
			let joined: Promise<void> | undefined;
			world.own.answerWith(async ({say, finish}) => {
				joined = opened.conversation.send('Two.');
				await world.moveTo(world.other);
				say('One.');
				finish();
			});
			await opened.conversation.send('One.');
			await joined;
		},
	],
	[
		'another attempt of a request',
		async world => {
			const opened = world.open();
			world.own.answerWith(async ({refuse}) => {
				await world.moveTo(world.other);
				refuse(503, 'application/json', '{}');
			});
			await opened.conversation.send('One.');
		},
	],
	[
		'a run that went to the background',
		async world => {
			const opened = world.open();
			opened.answerWith(() => true);
			world.own.answerWith(
				callsAfter(
					async () => {
						opened.program.forCommand(inApp).program.session.background.send();
						await world.moveTo(world.other);
					},
					...readList,
				),
			);
			await opened.conversation.send('One.');
			expect(opened.questions).toEqual([]);
		},
	],
	[
		'a run of the background, after the user agreed to the host in the session in front',
		async world => {
			const opened = world.open();
			opened.answerWith(() => true);
			world.own.answerWith(
				callsAfter(
					async () => {
						opened.program.forCommand(inApp).program.session.background.send();
						await world.moveTo(world.other);
						opened.store.getState().setModel('custom/alpha');
					},
					...readList,
				),
			);
			await opened.conversation.send('One.');
		},
	],
	[
		'a session that comes back from the background',
		async world => {
			const opened = world.open();
			opened.answerWith(() => false);
			const {session} = opened.store.getState().transcript;
			world.own.answerWith(async ({say, finish}) => {
				opened.program.forCommand(inApp).program.session.background.send();
				say('Done.');
				finish();
			});
			await opened.conversation.send('One.');
			await world.moveTo(world.other);
			opened.store.getState().setModel('custom/alpha');
			await opened.program.session.resume(session, refuseElsewhere);
			await opened.conversation.send('Two.');
			expect(opened.questions).toHaveLength(1);
		},
	],
	[
		'a sub-agent',
		async world => {
			const opened = world.open();
			opened.answerWith(() => false);
			world.own.answerWith(
				callsAfter(() => world.moveTo(world.other), 'task', {prompt: 'Look.', description: 'Look'}),
				says,
			);
			await opened.conversation.send('One.');
		},
	],
	[
		'a sub-agent that names a model of another provider',
		async world => {
			const env = {...world.env, OPENAI_API_KEY: 'sk-0123456789abcd', OPENAI_BASE_URL: world.other.baseUrl};
			const opened = world.open({env});
			opened.answerWith(() => false);
			const named = {prompt: 'Look.', description: 'Look', model: 'openai/gpt-x'};
			world.own.answerWith(
				callsAfter(async () => undefined, 'task', named),
				says,
			);
			await opened.conversation.send('One.');
			expect(opened.questions).toHaveLength(1);
		},
	],
	[
		'a later request of a sub-agent',
		async world => {
			const opened = world.open();
			world.own.answerWith(
				callsAfter(async () => undefined, 'task', {prompt: 'Look.', description: 'Look'}),
				callsAfter(() => world.moveTo(world.other), ...readList),
				says,
			);
			await opened.conversation.send('One.');
		},
	],
	[
		'a compaction',
		async world => {
			const opened = await begun(world);
			opened.answerWith(() => false);
			await world.moveTo(world.other);
			await opened.conversation.compact('Keep it.');
		},
	],
	[
		'a fork',
		async world => {
			const opened = await begun(world);
			opened.answerWith(() => false);
			await world.moveTo(world.other);
			await opened.conversation.fork();
			await opened.conversation.send('Two.');
			expect(opened.questions).toHaveLength(1);
		},
	],
	[
		'a session that was rewound',
		async world => {
			const opened = await begun(world);
			opened.answerWith(() => false);
			await opened.conversation.send('Two.');
			await world.moveTo(world.other);
			const last = opened.events.findLast(({type}) => type === 'user-message');
			await opened.conversation.fork(last?.type === 'user-message' ? last.id : '');
			await opened.conversation.send('Three.');
			expect(opened.questions).toHaveLength(1);
		},
	],
	[
		'a fork after a key was rotated, with the other key',
		async world => {
			const opened = await begun(world);
			opened.answerWith(() => false);
			await world.moveTo(world.own, secret('sk-other-0123456789'));
			await opened.conversation.fork();
			await opened.conversation.send('Two.');
			expect(opened.questions).toHaveLength(1);
			expect(JSON.stringify(world.own.received)).not.toContain('sk-other');
		},
	],
	[
		'a session that is resumed in another process',
		async world => {
			await closed(await begun(world));
			await world.moveTo(world.other);
			const opened = world.open({model: undefined});
			await saveSettings(world.config, {model: 'custom/alpha'});
			opened.answerWith(() => false);
			opened.store.setState({model: 'custom/alpha'});
			await opened.program.session.resume('latest', refuseElsewhere);
			await opened.conversation.send('Two.');
			expect(opened.questions).toHaveLength(1);
		},
	],
	[
		'a session that is resumed where nobody can be asked',
		async world => {
			await closed(await begun(world));
			await world.moveTo(world.other);
			await saveSettings(world.config, {model: 'custom/alpha'});
			const opened = world.open({model: undefined});
			await opened.program.session.resume('latest', refuseElsewhere);
			await opened.conversation.send('Two.');
			expect(opened.ends().at(-1)?.error).toMatchObject({
				message: expect.stringContaining(`This session uses ${world.own.baseUrl}`),
				hint: expect.stringContaining('--model custom/alpha'),
			});
		},
	],
	[
		'a session of another provider that is resumed, because the usual model changed',
		async world => {
			await closed(await begun(world));
			const env = {...world.env, OPENAI_API_KEY: 'sk-0123456789abcd', OPENAI_BASE_URL: world.other.baseUrl};
			await saveSettings(world.config, {model: 'openai/gpt-x'});
			const opened = await resumedAndRefused(world, {env});
			expect(opened.questions).toHaveLength(1);
		},
	],
	[
		'a session of the demo model that is resumed with a model of another provider',
		async world => {
			await world.forget();
			await closed(await begun(world, {model: 'demo/demo'}));
			await world.moveTo(world.other);
			await saveSettings(world.config, {model: 'custom/alpha'});
			const opened = await resumedAndRefused(world);
			expect(opened.questions).toEqual([`Send this conversation to ${world.other.baseUrl}?`]);
		},
	],
	[
		'a session of an older version, with the older name of the demo model',
		async world => {
			await world.forget();
			await closed(await begun(world, {model: 'demo/demo'}));
			changeJournal(world, text =>
				text.replaceAll('demo/demo', 'custom/demo').replaceAll(/,"endpoint":\{[^}]*\}/g, ''),
			);
			await world.moveTo(world.other);
			await saveSettings(world.config, {model: 'custom/demo'});
			const opened = await resumedAndRefused(world);
			expect(opened.questions).toHaveLength(1);
		},
	],
	[
		'the demo model, while another process sets up a custom host',
		async world => {
			await world.forget();
			const opened = await begun(world, {model: undefined});
			await world.moveTo(world.other);
			await opened.conversation.send('Two.');
			await opened.conversation.send('A line matches.', 'watch');
			expect(opened.ends().map(({reason}) => reason)).toEqual(['done', 'done', 'done']);
			expect(opened.store.getState().model).toBe('demo/demo');
		},
	],
	[
		'the demo model by its older name, while another process sets up a custom host',
		async world => {
			await world.forget();
			const opened = await begun(world, {model: 'custom/demo'});
			await world.moveTo(world.other);
			await opened.conversation.send('A line matches.', 'watch');
			expect(opened.ends().map(({reason}) => reason)).toEqual(['done', 'done']);
		},
	],
	[
		'a host from the environment, which a stored key displaces',
		async world => {
			await world.forget();
			const opened = await begun(world, {env: {...world.env, CUSTOM_BASE_URL: world.own.baseUrl} as World['env']});
			await world.moveTo(world.other);
			await opened.conversation.send('Two.');
		},
	],
	[
		'a host that needs no key any more',
		async world => {
			const opened = await begun(world);
			await setKey(world.config, 'custom', undefined, world.other.baseUrl);
			await opened.conversation.send('Two.');
		},
	],
	[
		'a host that was changed while the user was asked about another one',
		async world => {
			const opened = await begun(world);
			const asked: string[] = [];
			opened.answerWith(async question => {
				asked.push(question);
				if (asked.length === 1) {
					await world.moveTo(world.other);
					return true;
				}

				return false;
			});
			await setKey(world.config, 'custom', firstKey, 'http://127.0.0.1:9/v1');
			await opened.conversation.send('Two.');
			expect(asked).toEqual([
				'Send this conversation to http://127.0.0.1:9/v1?',
				`Send this conversation to ${world.other.baseUrl}?`,
			]);
		},
	],
];

const inApp = {ui: {live: {}, interact: {}}, flags: {}, signal: new AbortController().signal} as never;

test.each(forms)('[6] nothing reaches a host that the user did not agree to: %s', async (_, act) => {
	const world = await bindingWorld();
	await act(world);
	expect(world.other.received.map(({path}) => path)).toEqual([]);
});

test.each([
	['another path', (base: string) => base.replace(/\/v1$/, '/v2')],
	['a query', (base: string) => `${base}?api-version=2`],
])('[6] %s of the same host is another place', async (_, change) => {
	const world = await bindingWorld();
	const opened = await begun(world);
	opened.answerWith(() => false);
	await setKey(world.config, 'custom', firstKey, change(world.own.baseUrl));
	await opened.conversation.send('Two.');
	expect([chatsOf(world.own), opened.questions.length]).toEqual([1, 1]);
});

/** What a user does every day: it asks nothing, and the host answers. */
const daily: readonly (readonly [name: string, act: (world: World, opened: Opened) => Promise<Opened>])[] = [
	[
		'a fork',
		async (_, opened) => {
			await opened.conversation.fork();
			return opened;
		},
	],
	[
		'a new session',
		async (_, opened) => {
			await opened.conversation.start();
			return opened;
		},
	],
	[
		'a model that the user selects, also where another process moved its host',
		async (world, opened) => {
			await world.moveTo(world.own, secret('sk-second-0123456789'));
			opened.store.getState().setModel('custom/beta');
			return opened;
		},
	],
	[
		'another setting of another process',
		async (world, opened) => {
			await saveSettings(world.config, {model: 'custom/beta'});
			await setKey(world.config, 'openai', firstKey, world.other.baseUrl);
			return opened;
		},
	],
	[
		'a session that is resumed',
		async (world, opened) => {
			await closed(opened);
			const again = world.open();
			await again.program.session.resume('latest', refuseElsewhere);
			return again;
		},
	],
	[
		'a session that is resumed with a model that the command line names, wherever that is',
		async (world, opened) => {
			await closed(opened);
			await world.moveTo(world.own, undefined);
			const again = world.open({model: 'custom/beta'});
			await again.program.session.resume('latest', refuseElsewhere);
			return again;
		},
	],
	[
		'a session of an older version that is resumed',
		async (world, opened) => {
			await closed(opened);
			changeJournal(world, text => text.replaceAll(/,"endpoint":\{[^}]*\}/g, ''));
			const again = world.open({model: undefined});
			again.store.setState({model: 'custom/alpha'});
			await again.program.session.resume('latest', refuseElsewhere);
			return again;
		},
	],
];

test.each(daily)('a session asks nothing after %s', async (_, act) => {
	const world = await bindingWorld();
	const opened = await act(world, await begun(world));
	opened.answerWith(() => false);
	const before = chatsOf(world.own);
	await opened.conversation.send('Two.');
	expect([chatsOf(world.own) - before, opened.questions]).toEqual([1, []]);
});

test('a session without a key asks nothing once another process stores one', async () => {
	const world = await bindingWorld();
	await world.forget();
	const opened = world.open();
	opened.answerWith(() => false);
	await opened.conversation.send('One.');
	expect(opened.ends().at(-1)).toMatchObject({reason: 'error', error: {code: 'not-found'}});
	await world.moveTo(world.own);
	await opened.conversation.send('Two.');
	expect([chatsOf(world.own), opened.questions]).toEqual([1, []]);
});

test('[6] a resumed session asks once before it goes on with a key that was rotated meanwhile', async () => {
	const world = await bindingWorld();
	await closed(await begun(world));
	await world.moveTo(world.own, secret('sk-second-9876543210'));
	const opened = world.open({model: undefined});
	opened.store.setState({model: 'custom/alpha'});
	opened.answerWith(() => true);
	await opened.program.session.resume('latest', refuseElsewhere);
	await opened.conversation.send('Two.');
	await opened.conversation.send('Three.');
	expect([chatsOf(world.own), opened.questions]).toEqual([3, [`Continue with another key for ${world.own.baseUrl}?`]]);
});

test.each([
	['asks before it costs more than the last time', 0.000_001, 1],
	['asks nothing if it costs less', 1_000_000, 0],
])('[6] a resumed session %s', async (_, rate, questions) => {
	const world = await bindingWorld();
	const env = {...world.env, OPENROUTER_API_KEY: 'sk-0123456789abcd', OPENROUTER_BASE_URL: world.own.baseUrl};
	const model = 'openrouter/anthropic/claude-sonnet-5';
	await closed(await begun(world, {env, model}));
	changeJournal(world, text =>
		text.replaceAll(
			/"price":\{("table":"[^"]*")[^}]*\}/g,
			`"price":{$1,"input":${rate},"cacheRead":0,"cacheWrite":0,"output":${rate}}`,
		),
	);
	const opened = world.open({env, model: undefined});
	opened.store.setState({model});
	opened.answerWith(() => true);
	await opened.program.session.resume('latest', refuseElsewhere);
	await opened.conversation.send('Two.');
	expect([chatsOf(world.own), opened.questions.length]).toEqual([2, questions]);
});

/** Changes the only journal, as if another version had written it. */
function changeJournal({env}: World, change: (text: string) => string): void {
	const sessions = join(env.SERVICE_HOME, 'sessions');
	const [place = ''] = readdirSync(sessions);
	const [journal = ''] = readdirSync(join(sessions, place)).filter(name => name.endsWith('.jsonl'));
	const path = join(sessions, place, journal);
	writeFileSync(path, change(readFileSync(path, 'utf8')));
}
