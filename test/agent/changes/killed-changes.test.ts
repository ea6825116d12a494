import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {type Changes, createChanges} from '../../../src/agent/changes/changes.ts';
import type {ObjectStore} from '../../../src/agent/changes/object-store.ts';
import {redoOf} from '../../../src/core/session/changes.ts';
import {buildOnce} from '../../build-once.ts';
import {createRandom, drawnSeed, type Random} from '../../faults/fault.ts';
import {makeWorkspace} from '../tools/workspace.ts';
import {signal, startAgentAtWork} from './agent-at-work.ts';

const texts = ['old line\n', 'the new line\n'];
const worker = await buildOnce('change-worker', new URL('change-worker.ts', import.meta.url), {
	loader: {'.md': 'text'},
	banner: {js: "import {createRequire} from 'node:module';const require=createRequire(import.meta.url);"},
});

test.each(['restore', 'write', 'edit'])('kill -9 while files are changed by %s leaves each old or new', async way => {
	const {workspace, stateFolder} = await makeWorkspace();
	for (const delayMs of [1, 8, 17, 29, 43]) {
		const child = spawn(process.execPath, [worker, way, workspace, stateFolder, ...texts], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		await once(child.stdout, 'data');
		await sleep(delayMs);
		child.kill('SIGKILL');
		const [status] = await once(child, 'exit');
		expect(status).toBe(null);
		for (const name of (await readdir(workspace)).filter(each => each.endsWith('.txt'))) {
			const text = await readFile(join(workspace, name), 'utf8');
			expect(texts.map(each => each.repeat(20_000)).includes(text), name).toBe(true);
		}
	}
});

const session = '11111111-2222-4333-8444-555555555555';
const names = ['a.txt', 'b.txt', 'deep/c.txt'];

/** Returns a store of a process that is killed at its nth call: it does nothing any more from then on. */
function killedAt(store: ObjectStore, count: number): ObjectStore {
	let left = count;
	const alive = <Args extends readonly unknown[], Value>(call: (...args: Args) => Promise<Value>) => {
		return async (...args: Args) => {
			left -= 1;
			if (left < 0) {
				throw new Error('killed');
			}

			return call(...args);
		};
	};
	return {
		path: store.path,
		put: alive(store.put),
		get: alive(store.get),
		ref: alive(store.ref),
		setRef: alive(store.setRef),
	};
}

async function textsIn(workspace: string) {
	return Promise.all(names.map(name => readFile(join(workspace, name), 'utf8').catch(() => undefined)));
}

/** Lets an agent change files, and the user undo that, sometimes. Returns what kills the next one of these kinds. */
async function startRestoring(random: Random) {
	const agent = await startAgentAtWork({'a.txt': 'one\ntwo\n', 'b.txt': 'b\n'});
	for (const name of names.filter(() => random.below(4) > 0)) {
		await agent.edit(name, `one\n${name}\n`);
	}

	await agent.run(() => writeFile(join(agent.workspace, 'b.txt'), 'by a command\n'));
	const how = random.pick(['undo', 'redo', 'rewind', 'diff'] as const);
	if (how === 'redo') {
		await agent.undo();
	}

	const {workspace, stateFolder, root} = agent;
	const places = {stateFolder, homeFolder: join(root, 'home')};
	const openStore = async () => killedAt(await agent.openStore(workspace), random.below(60));
	const restore = async (changes: Changes) => {
		const request = {id: `killed-${how}`, session, how, signal};
		if (how === 'diff') {
			const [file] = await agent.review();
			return changes.takeBack(file ? [{file, hunks: 'all'}] : [], request);
		}

		const plan =
			how === 'redo' ? await agent.changes.plan(agent.steps(), redoOf(agent.steps()), signal) : await agent.planUndo();
		return changes.apply(plan, () => 'old', request);
	};
	return {agent, how, restore, killed: createChanges({folder: workspace, places, openStore})};
}

test(`[17] an undo, redo, rewind or part of a diff that was killed is finished, and can be taken back (seed ${drawnSeed})`, async () => {
	const random = createRandom(drawnSeed);
	for (let turn = 0; turn < 50; turn += 1) {
		const {agent, how, restore, killed} = await startRestoring(random);
		const what = `turn ${turn}, ${how}`;
		const {workspace, changes} = agent;
		const before = await textsIn(workspace);
		await restore(killed).catch(() => undefined);
		const left = await textsIn(workspace);
		// Now and then, the user has changed a file since then.
		const index = random.below(2) === 0 ? random.below(names.length) : -1;
		if (index >= 0) {
			await mkdir(join(workspace, 'deep'), {recursive: true});
			await writeFile(join(workspace, names[index] ?? ''), 'by the user\n');
		}

		const finished = await changes.finish(session, agent.events, signal);
		agent.record(finished?.event ? [finished.event] : []);
		const after = await textsIn(workspace);
		if (index >= 0) {
			expect(after[index], what).toBe('by the user\n');
		} else if (finished) {
			expect(finished, what).toMatchObject({event: {id: `killed-${how}`, how}, failed: []});
		} else {
			expect(left, what).toEqual(before);
		}

		expect(await changes.finish(session, agent.events, signal), what).toBe(undefined);
		if (index < 0) {
			// As if it had not been killed.
			const again = finished ? undefined : await restore(changes);
			agent.record(again?.event ? [again.event] : []);
			const back = how === 'redo' ? await agent.undo() : await agent.redo();
			expect(back, what).toMatchObject({failed: []});
			expect(await textsIn(workspace), what).toEqual(before);
		}
	}
});

test('an undo that was killed is repeated for the rest', async () => {
	const {workspace, edit, planUndo, undo} = await startAgentAtWork({'a.txt': 'a', 'b.txt': 'b'});
	await edit('a.txt', 'A');
	await edit('b.txt', 'B');
	// The first file was restored when the process was killed, before anything was recorded.
	await writeFile(join(workspace, 'a.txt'), 'a');
	expect((await planUndo()).files).toMatchObject([
		{path: 'a.txt', state: 'done'},
		{path: 'b.txt', state: 'ready'},
	]);
	expect(await undo()).toMatchObject({restored: ['b.txt'], failed: []});
});
