import {randomUUID} from 'node:crypto';
import {existsSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {takeGlobalFlags} from '../../src/command/global-flags.ts';
import {bringBack} from '../../src/command/handoff/bring-back.ts';
import {handOver} from '../../src/command/handoff/hand-over.ts';
import {keepHere} from '../../src/command/handoff/keep-here.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {AskHost} from '../../src/link/host-client.ts';
import type {Interaction} from '../../src/platform/interaction.ts';
import {compose} from '../../src/program/program.ts';
import {handoffNotice} from '../../src/session/settle-handoff.ts';
import {addWholeSession, sessionsById} from '../../src/storage/add-session.ts';
import {openHome} from '../../src/storage/home.ts';
import {createAppStore} from '../../src/store/store.ts';
import {git, twoClones} from '../agent/handoff/clones.ts';
import {environmentOf, folderWith} from '../e2e/program.ts';
import {createRandom, drawnSeed} from '../faults/fault.ts';
import {savedRecords} from './attached-terminal.ts';
import {type Cut, cutAt} from './cut-pipes.ts';
import {hostVersion, openHost} from './open-host.ts';

type AskedQuestion = {readonly question: string; readonly facts: string; readonly lines: string};

/** A program in one clone, with a saved session, and a host in the other one, each with a state folder of its own. */
async function openWorld() {
	const {one, other} = twoClones({'.gitignore': 'build\n', 'a.txt': 'a\n'});
	const world = await openHost({folder: other});
	const env = environmentOf({env: {SERVICE_HOME: join(folderWith(), 'home'), NODE_DISABLE_COMPILE_CACHE: '1'}});
	const workerUrl = new URL('../../dist/server-worker.js', import.meta.url);
	const program = await compose({
		store: createAppStore(),
		env,
		folder: one,
		version: hostVersion,
		workerUrl,
		connect: false,
	});
	onTestFinished(() => program.close());
	const asked: AskedQuestion[] = [];
	const answers: boolean[] = [];
	const interact = {
		async confirm(question, about, drawing) {
			const style = {width: 200, palette: undefined as never, rows: 100};
			const facts = (about?.facts ?? []).map(fact => fact.join(': ')).join('\n');
			asked.push({question, facts, lines: drawing?.window(style).shown.join('\n') ?? ''});
			return answers.shift() ?? true;
		},
		say: () => undefined,
	} as Partial<Interaction> as Interaction;
	const contextWith = (signal = new AbortController().signal) =>
		program.forCommand({ui: {interact, live: undefined}, flags: takeGlobalFlags([]).flags, signal});
	const {saved} = program.session;

	return {
		...world,
		one,
		other,
		asked,
		answers,
		contextWith,
		/** Adds a session of the program, with what else happened in it. */
		async add(events: readonly AgentEvent[] = []) {
			const id = randomUUID();
			const all: AgentEvent[] = [{type: 'user-message', id: 'm', text: 'Fix the test'}, ...events];
			const records = all.map((event, seq) => ({
				...({v: 1, seq, at: new Date().toISOString(), session: id, server: 'local'} as const),
				event,
			}));
			await addWholeSession(openHome(env), {id, folder: one, records});
			return saved.find(id);
		},
		over: (ask: AskHost, session: Awaited<ReturnType<typeof saved.find>>, signal?: AbortSignal) =>
			handOver(
				{place: {ask, to: 'host@here', at: 'ann@there', reached: undefined}, session, withSecrets: false},
				contextWith(signal),
			),
		back: (ask: AskHost, session: string, signal?: AbortSignal) =>
			bringBack({ask, from: 'host@here', session, here: one, withSecrets: false}, contextWith(signal)),
		/** Returns where a session is by its journal: `kept` if it may run on. */
		async stateOf(id: string) {
			return (await saved.read(await saved.find(id))).transcript.handoff?.state ?? 'kept';
		},
		hereHas: async (id: string) => (await sessionsById(openHome(env))).has(id),
		hostHas: async (id: string) => (await sessionsById(openHome(world.env))).has(id),
		/** Throws away what both clones have not committed. */
		clean() {
			for (const folder of [one, other]) {
				git(folder, 'reset', '--quiet', '--hard');
				git(folder, 'clean', '--quiet', '--force', '-d');
			}
		},
	};
}

test('[33] a session moves to the host with its changes, under the rights of the host, and comes back with those made there', async () => {
	const {one, other, add, over, back, connect, asked, stateOf, host, env, contextWith} = await openWorld();
	writeFileSync(join(one, 'a.txt'), 'changed\n');
	writeFileSync(join(one, 'new.txt'), 'new\n');
	writeFileSync(join(one, '.env'), 'KEY=1\n');
	const session = await add([
		{type: 'agent', name: 'evil', command: ['touch', join(one, 'started')]},
		{type: 'session-rule', rule: 'run_command', effect: 'allow', folder: other},
	]);
	const client = await connect();
	const handed = await over(client.request, session);
	if (!handed) {
		throw new Error('It was not handed over.');
	}

	expect(asked.map(({question}) => question)).toEqual([
		'Send this session to host@here?',
		'Apply the changes there, and continue there?',
	]);
	expect(asked[0]?.lines).toContain('+changed');
	expect(asked[0]?.facts).toContain('.env (may hold secrets');
	expect(asked[1]?.facts).toContain(other);
	expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe('changed\n');
	expect(existsSync(join(other, '.env'))).toBe(false);
	expect(existsSync(join(one, 'started'))).toBe(false);
	expect(await stateOf(session.id)).toBe('moved');
	expect(host.list()).toMatchObject([{id: handed.key, folder: other, state: 'idle'}]);
	const kept = await savedRecords(env, handed.key);
	expect(kept.map(({event}) => event.type)).toEqual(['user-message', 'notice']);
	await expect(contextWith().program.session.resume(session.id, async () => 'here')).rejects.toMatchObject({
		code: 'conflict',
		hint: `Bring it back: \`handoff ann@there --back --session ${handed.key.slice(0, 8)}\``,
	});
	await expect(over(client.request, session)).rejects.toMatchObject({code: 'conflict'});

	// What was handed over is here still, and as it was: it is replaced by what comes back.
	writeFileSync(join(one, 'a.txt'), 'mine by now\n');
	await expect(back(client.request, handed.key)).rejects.toMatchObject({message: expect.stringContaining('its own')});
	writeFileSync(join(one, 'a.txt'), 'changed\n');
	writeFileSync(join(other, 'a.txt'), 'changed there\n');
	rmSync(join(other, 'new.txt'));
	writeFileSync(join(other, 'there.txt'), 'there\n');
	const brought = await back(client.request, handed.key.slice(0, 8));
	expect(brought?.folder).toBe(one);
	expect(readFileSync(join(one, 'there.txt'), 'utf8')).toBe('there\n');
	expect(readFileSync(join(one, 'a.txt'), 'utf8')).toBe('changed there\n');
	expect(readFileSync(join(one, '.env'), 'utf8')).toBe('KEY=1\n');
	expect(existsSync(join(one, 'new.txt'))).toBe(false);
	expect(git(one, 'stash', 'list')).toBe('');
	expect(await stateOf(brought?.id ?? '')).toBe('kept');
	expect(host.list()[0]).toMatchObject({id: handed.key, state: 'ended'});
	await expect(client.request('_service/begin', {key: randomUUID(), resume: handed.key})).rejects.toMatchObject({
		code: 'conflict',
		message: expect.stringContaining('was handed over to ann@there'),
	});
});

test('[33] a no to either question leaves both sides as they were', async () => {
	const {one, other, add, over, connect, answers, stateOf, host} = await openWorld();
	writeFileSync(join(one, 'a.txt'), 'changed\n');
	const session = await add();
	const client = await connect();
	for (const given of [[false], [true, false]]) {
		answers.push(...given);
		expect(await over(client.request, session)).toBeUndefined();
	}

	expect(git(other, 'status', '--porcelain')).toBe('');
	expect(await stateOf(session.id)).toBe('kept');
	expect(host.list()).toEqual([]);
});

test('[33] a session whose host refuses it at the last moment stays, and says so in its journal', async () => {
	const {one, other, add, over, connect, stateOf} = await openWorld();
	writeFileSync(join(one, 'a.txt'), 'changed\n');
	const session = await add();
	const {request} = await connect();
	const ask: AskHost = async (method, params) => {
		if (method === '_service/handoff_accept') {
			writeFileSync(join(other, 'a.txt'), 'of the host\n');
		}

		return request(method, params);
	};
	await expect(over(ask, session)).rejects.toMatchObject({
		message: expect.stringContaining('changes of its own'),
		hint: `The session is here: \`resume ${session.id.slice(0, 8)}\``,
	});
	expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe('of the host\n');
	expect(await stateOf(session.id)).toBe('kept');
});

test('a host without a clone of the repository says where to put one, and which one it can’t look into', async () => {
	const {one, other, add, over, connect} = await openWorld();
	git(one, 'remote', 'set-url', 'origin', 'https://example.com/other.git');
	const client = await connect();
	const handed = async () => over(client.request, await add());
	const message = 'The host has no clone of example.com/other.';
	await expect(handed()).rejects.toMatchObject({code: 'not-found', message});
	git(other, 'config', 'filter.any.clean', 'cat');
	await expect(handed()).rejects.toMatchObject({
		code: 'not-found',
		message: `${message} git is not asked about ${other}: it runs in a repository with the setting “filter.any.clean”.`,
	});
});

test('[33] a session whose host is gone for good continues here on the word of the user alone', async () => {
	const {add, contextWith, answers, asked, stateOf} = await openWorld();
	const session = await add();
	const {saved, resume} = contextWith().program.session;
	const keep = async () => keepHere(await saved.find(session.id), contextWith());
	await expect(keep()).rejects.toMatchObject({code: 'conflict', hint: expect.stringContaining('resume')});
	for (const state of ['offered', 'moved'] as const) {
		// No host runs on the machine of this program.
		await saved.record(session, handoffNotice({state, key: randomUUID(), to: 'host@gone', at: ''}));
		const resumed = resume(session.id, async () => 'here');
		await expect(resumed).rejects.toMatchObject({code: 'conflict', message: expect.stringContaining('host@gone')});
		answers.push(false, true);
		expect(await keep()).toBe(false);
		expect(await stateOf(session.id)).toBe(state);
		expect(await keep()).toBe(true);
		expect(await stateOf(session.id)).toBe('kept');
		expect(asked.at(-1)?.facts).toContain(`host@gone ${state === 'moved' ? 'has' : 'may have'} this session`);
	}

	await resume(session.id, async () => 'here');
	expect(contextWith().program.store.getState().transcript.session).toBe(session.id);
});

test(`[33] after cuts at random bytes, and after the sender was killed, a session may run at exactly one place (seed ${drawnSeed})`, async () => {
	const random = createRandom(drawnSeed);
	const world = await openWorld();
	const {one, add, over, back, connect, stateOf, hostHas, hereHas, clean} = world;
	const planned: Cut[] = [];
	const through = {
		through: (pipes: Parameters<typeof cutAt>[0]) => cutAt(pipes, planned),
		wait: () => new Promise(resolve => setImmediate(resolve)),
	};
	for (let round = 0; round < 14; round++) {
		clean();
		writeFileSync(join(one, 'a.txt'), `round ${round}\n`);
		const session = await add();
		const isKilled = round % 2 === 1;
		const client = await connect(through);
		const plan = () => planned.push({direction: random.pick(['in', 'out']), bytes: random.below(2500)});
		let key = '';
		const spied: AskHost = async (method, params) => {
			if (method === '_service/handoff_accept' || method === '_service/handoff_give') {
				key = (params as {readonly key: string}).key;
				if (isKilled) {
					setTimeout(() => client.close(), random.below(120));
				}
			}

			return client.request(method, params);
		};
		plan();
		await over(spied, session).catch(() => undefined);
		planned.length = 0;
		client.close();
		const again = await connect();
		if ((await stateOf(session.id)) === 'offered') {
			// A second attempt first asks where the session is.
			await over(again.request, await world.contextWith().program.session.saved.find(session.id)).catch(
				() => undefined,
			);
		}

		const state = await stateOf(session.id);
		const moved = key !== '' && (await hostHas(key));
		if (state === 'kept') {
			expect(moved).toBe(false);
			continue;
		}

		expect(state).toBe('moved');
		const [there] = world.host.list().filter(each => each.state === 'idle');
		if (!there) {
			throw new Error('The session runs nowhere.');
		}

		clean();
		writeFileSync(join(world.other, 'a.txt'), `back ${round}\n`);
		const cutting = await connect(through);
		plan();
		await back(async (method, params) => {
			if (method === '_service/handoff_give' || method === '_service/handoff_settle') {
				key = (params as {readonly key: string}).key;
				if (isKilled) {
					setTimeout(() => cutting.close(), random.below(120));
				}
			}

			return cutting.request(method, params);
		}, there.id).catch(() => undefined);
		planned.length = 0;
		cutting.close();
		if (await hereHas(key)) {
			// The host learns of it with the next attempt, at the latest.
			await back(again.request, there.id).catch(() => undefined);
			await expect(again.request('_service/begin', {key: randomUUID(), resume: there.id})).rejects.toMatchObject({
				code: 'conflict',
			});
		} else {
			clean();
			const brought = await back(again.request, there.id);
			expect(await hereHas(brought?.id ?? '')).toBe(true);
			expect(await hereHas(key)).toBe(false);
		}
	}
});
