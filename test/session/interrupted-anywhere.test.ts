import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate as tick} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {refuseElsewhere} from '../../src/session/resume-session.ts';
import {type Answer, startModelHost} from '../e2e/model-host.ts';
import {httpServer, socketServer} from '../net/servers.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {expectUsable, open, processesWith, says, type World} from './open-program.ts';

const poem = 'roses are red\nviolets are blu\n'.repeat(2000);

type Case = {
	readonly script: (world: World) => ReadonlyArray<(answer: Answer) => void | Promise<void>>;
	/** Settles at the point where the user interrupts. */
	readonly point: (world: World) => Promise<unknown>;
	/** True if it leaves a job running, which ends with the session. */
	readonly keepsJob?: true;
	readonly settings?: (marker: string, home: string) => object;
	/** Returns more variables of the environment. */
	readonly env?: () => Promise<Readonly<Record<string, string>>>;
	/** How the run ends, if not as interrupted. */
	readonly reason?: 'done';
};

const calls =
	(name: string, args: object) =>
	({call, finish}: Answer) => {
		call(name, args);
		finish();
	};
const hangs = async ({closed}: Answer) => closed;
const edit = {path: 'poem.txt', edits: [{old_text: 'violets', new_text: 'Violets', replace_all: true}]};
const running = (world: World) => expect.poll(() => processesWith(world.marker).length).toBeGreaterThan(0);
const recorded = (type: AgentEvent['type']) => (world: World) =>
	expect.poll(() => world.events.some(event => event.type === type)).toBe(true);
const asked = (world: World) =>
	new Promise<void>(resolve => {
		world.program.session.askWith((_, signal) => {
			resolve();
			return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
		});
	});
/** Settings with a hook that takes long the first time. */
const hookOf = (event: string) => (marker: string, home: string) => ({
	hooks: {[event]: [{command: `mkdir ${home}/first 2>/dev/null && sleep 1000; : ${marker}`, sandbox: false}]},
});
/** Settles when that hook takes long. */
const hookRunning = (world: World) => expect.poll(() => existsSync(join(world.home, 'first'))).toBe(true);

/** A server whose logs never answer. */
const hangingServer = async () => ({
	SERVICE_SERVER: (await httpServer(() => undefined)).origin,
	...{SERVICE_API_KEY: 'sk-0123456789-abcd', SERVICE_ORG: 'o', SERVICE_WORKSPACE: 'w', SERVICE_PROJECT: 'p'},
});
const environment = '0f9b4e6a-0000-4000-8000-000000000001';

const cases: Readonly<Record<string, Case>> = {
	'the model writes the arguments of an edit': {
		script: () => [
			async answer => {
				answer.beginCall('edit_file', '{"path":"poem.txt","edits":[{"old_text":"viol');
				await answer.closed;
			},
		],
		point: world =>
			expect
				.poll(() => world.host.received.length)
				.toBeGreaterThan(0)
				.then(() => tick()),
	},
	'an edit waits for an answer': {
		script: () => [calls('read_file', {path: 'poem.txt'}), calls('edit_file', edit)],
		point: asked,
	},
	'a command waits for an answer': {
		script: ({marker}) => [calls('run_command', {command: `touch ${marker}`})],
		point: asked,
	},
	'a fetch waits for an answer': {
		script: () => [calls('fetch_url', {url: 'https://example.com/'})],
		point: asked,
	},
	'a command runs': {
		script: ({marker}) => [calls('run_command', {command: `sleep 1000; : ${marker}`})],
		point: running,
	},
	'a command that ignores SIGTERM runs': {
		script: ({marker}) => [
			calls('run_command', {command: `trap '' TERM INT HUP; while :; do sleep 0.1; : ${marker}; done`}),
		],
		point: running,
	},
	'a command with a child of its own session runs': {
		script: ({marker}) => [calls('run_command', {command: `setsid bash -c 'sleep 1000; : ${marker}' & wait`})],
		point: running,
	},
	'the model is asked while a job runs': {
		script: ({marker}) => [calls('run_command', {command: `sleep 1000; : ${marker}`, background: true}), hangs],
		keepsJob: true,
		point: world => expect.poll(() => world.host.chats().length).toBe(2),
	},
	'job_output waits for a job': {
		script: ({marker}) => [
			calls('run_command', {command: `sleep 1000; : ${marker}`, background: true}),
			calls('job_output', {job: '1', wait_sec: 300}),
		],
		keepsJob: true,
		point: world => expect.poll(() => world.events.filter(({type}) => type === 'tool-call').length).toBe(2),
	},
	'a fetch hangs': {
		script: () => [calls('fetch_url', {url: 'https://example.com/'})],
		point: recorded('approval-answer'),
	},
	'the agent asks the user': {
		script: () => [calls('ask_user', {question: 'Which?', choices: [{label: 'a'}, {label: 'b'}]})],
		point: world =>
			new Promise<void>(resolve => {
				world.program.session.answerWith((_, signal) => {
					resolve();
					return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
				});
			}),
	},
	'a hook at the start of a run runs': {script: () => [says], point: hookRunning, settings: hookOf('run-start')},
	'a hook before a tool runs': {
		script: () => [calls('list_files', {})],
		point: hookRunning,
		settings: hookOf('before-tool'),
	},
	'a hook after a tool runs': {
		script: () => [calls('list_files', {})],
		point: hookRunning,
		settings: hookOf('after-tool'),
	},
	'a hook at the end of a run runs': {
		script: () => [says],
		point: hookRunning,
		settings: hookOf('run-end'),
		reason: 'done',
	},
	'a search runs': {
		script: ({marker}) => [calls('search_text', {pattern: `${marker}|violets`})],
		point: recorded('tool-call'),
	},
	'the log of a sandbox is read': {
		script: () => [calls('environment_logs', {environment})],
		point: recorded('tool-call'),
		env: hangingServer,
	},
	'the agent waits for a line of a log': {
		script: () => [calls('wait_for_log', {environment, pattern: 'ready'})],
		point: recorded('tool-call'),
		env: hangingServer,
	},
	'three calls of one message run': {
		script: ({marker}) => [
			({call, finish}) => {
				call('run_command', {command: `sleep 1000; : ${marker}`});
				call('list_files', {});
				call('ask_user', {question: 'Really?'});
				finish();
			},
		],
		point: running,
	},
};

test.each(Object.entries(cases))(
	'an interrupt while %s leaves a session that works [17]',
	async (_, {script, point, settings, keepsJob, env: moreEnv, reason = 'interrupted'}) => {
		const [home, folder] = [join(temporaryFolder(), 'home'), temporaryFolder()];
		writeFileSync(join(folder, 'poem.txt'), poem);
		const marker = `marker-${Math.random().toString(36).slice(2)}`;
		mkdirSync(home, {mode: 0o700});
		if (settings) {
			writeFileSync(join(home, 'settings.json'), JSON.stringify(settings(marker, home)), {mode: 0o600});
		}

		const [proxy, host] = [await socketServer(() => undefined), await startModelHost()];
		const env = await moreEnv?.();
		const opening = {home, folder, host, proxy, ...(env && {env})};
		const world = {...open(opening), host, home, folder, marker};
		const {program, events} = world;
		const reached = point(world);
		host.answerWith(...script(world));
		const sent = program.session.conversation.send('go');
		await reached;
		program.session.conversation.interrupt();
		await sent;
		expect(events.flatMap(event => (event.type === 'run-end' ? [event.reason] : []))).toEqual([reason]);
		// The system may take a moment to remove what was killed.
		await expect.poll(() => (keepsJob ? [] : processesWith(marker))).toEqual([]);
		await expectUsable(world);
		await program.close();
		expect(processesWith(marker)).toEqual([]);
		expect([readdirSync(folder), readFileSync(join(folder, 'poem.txt'), 'utf8')]).toEqual([['poem.txt'], poem]);

		const resumed = open(opening);
		expect(await resumed.program.session.resume('latest', refuseElsewhere)).toEqual([]);
		await expectUsable({...resumed, host});
		expect(await resumed.program.session.conversation.close()).toBe(undefined);
	},
);

test('an interrupt while a file is written leaves the old text or the new one, and nothing beside it', async () => {
	const [home, folder] = [join(temporaryFolder(), 'home'), temporaryFolder()];
	const texts = [poem, poem.replace('roses', 'Roses')] as const;
	writeFileSync(join(folder, 'poem.txt'), texts[0]);
	const [proxy, host] = [await socketServer(() => undefined), await startModelHost()];
	const {program, events} = open({home, folder, host, proxy});
	const stopAfter = async (turns: number) => {
		for (let turn = 0; turn < turns; turn++) {
			await tick();
		}

		program.session.conversation.interrupt();
	};

	for (const turns of [0, 1, 2, 4, 6, 10, 16, 30, 60]) {
		const [from, to] = readFileSync(join(folder, 'poem.txt'), 'utf8') === texts[0] ? texts : texts.toReversed();
		const stops: Promise<void>[] = [];
		program.session.askWith(async ({hash}) => {
			stops.push(stopAfter(turns));
			return {allowed: true, hash};
		});
		host.answerWith(
			calls('read_file', {path: 'poem.txt'}),
			calls('write_file', {path: 'poem.txt', content: to ?? ''}),
			says,
		);
		const before = events.length;
		await program.session.conversation.send('change it');
		await Promise.all(stops);
		const now = readFileSync(join(folder, 'poem.txt'), 'utf8');
		expect([readdirSync(folder), now === from || now === to]).toEqual([['poem.txt'], true]);
		// The journal says of each change that it happened, and of no other.
		const results = events.slice(before).filter(event => event.type === 'tool-result' && event.change);
		expect(results).toHaveLength(now === to ? 1 : 0);
	}

	await expectUsable({program, host, events});
});
