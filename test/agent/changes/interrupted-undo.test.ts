import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {redoOf} from '../../../src/core/session/changes.ts';
import {undoOf} from '../../../src/core/session/undo.ts';
import {createRandom} from '../../faults/fault.ts';
import {startAgentAtWork} from './agent-at-work.ts';

/** A signal that is aborted when it is looked at for the `count`th time: at some point in the middle. */
function abortedAfter(count: number): AbortSignal {
	const abort = new AbortController();
	let left = count;
	return new Proxy(abort.signal, {
		get(signal, name) {
			if (name === 'aborted' && left-- <= 0) {
				abort.abort();
			}

			const value: unknown = Reflect.get(signal, name, signal);
			return typeof value === 'function' ? value.bind(signal) : value;
		},
	});
}

const names = ['a.txt', 'b.txt', 'c.txt'];

test.each([0, 1, 2])(
	'an undo that is interrupted after %i files leaves each old or new, and a second one ends it',
	async count => {
		const agent = await startAgentAtWork(Object.fromEntries(names.map(name => [name, 'old'])));
		for (const name of names) {
			await agent.edit(name, 'new');
		}

		const texts = () => Promise.all(names.map(name => readFile(join(agent.workspace, name), 'utf8')));
		const plan = await agent.planUndo();
		const signal = abortedAfter(count);
		const {event, restored, failed} = await agent.changes.apply(plan, () => 'mine', {
			...{id: 'u1', session: '11111111-2222-4333-8444-555555555555', how: 'undo', signal},
		});
		expect(restored).toEqual(names.slice(0, count));
		expect(failed).toEqual(names.slice(count).map(name => `${name}: interrupted`));
		expect(await texts()).toEqual(names.map((_, index) => (index < count ? 'old' : 'new')));
		// The steps still count, because a part of them is in effect.
		agent.record(event ? [event] : []);
		expect(event?.steps ?? []).toEqual([]);
		expect((await undoOf(agent.steps(), async () => true)).size).toBe(names.length);

		expect(await agent.undo()).toMatchObject({failed: []});
		expect(await texts()).toEqual(['old', 'old', 'old']);
		expect(redoOf(agent.steps()).size).toBe(1);
	},
);

test.each([1, 2])(
	'an undo reaches what a redo restored that was interrupted after %i files, and a redo the rest',
	async count => {
		const agent = await startAgentAtWork(Object.fromEntries(names.map(name => [name, 'old'])));
		const texts = () => Promise.all(names.map(name => readFile(join(agent.workspace, name), 'utf8')));
		for (const name of names) {
			await agent.edit(name, 'new');
		}

		await agent.undo();
		const part = names.map((_, index) => (index < count ? 'new' : 'old'));
		for (const second of ['undo', 'redo'] as const) {
			expect(await agent.redo('mine', abortedAfter(count))).toMatchObject({restored: names.slice(0, count)});
			expect(await texts()).toEqual(part);
			expect(await agent[second]()).toMatchObject({failed: []});
			expect(await texts()).toEqual(names.map(() => (second === 'undo' ? 'old' : 'new')));
		}
	},
);

const seed = 32;

test(`whatever was interrupted, undo restores all that was there, and redo all that was changed (seed ${seed})`, async () => {
	const random = createRandom(seed);
	for (let round = 0; round < 8; round += 1) {
		const agent = await startAgentAtWork(Object.fromEntries(names.map(name => [name, 'old'])));
		const texts = () => Promise.all(names.map(name => readFile(join(agent.workspace, name), 'utf8')));
		for (let edit = 0; edit < 5; edit += 1) {
			agent.say(`message ${Math.floor(edit / 3)}`);
			await agent.edit(random.pick(names), `new ${edit}`);
		}

		const changed = await texts();
		const acts: string[] = [];
		for (let act = 0; act < 6; act += 1) {
			const [how, count] = [random.pick(['undo', 'redo'] as const), random.below(4)];
			acts.push(`${how} ${count}`);
			await agent[how]('mine', abortedAfter(count));
		}

		for (const [how, wanted] of [
			['undo', names.map(() => 'old')],
			['redo', changed],
			['undo', names.map(() => 'old')],
		] as const) {
			// Each act takes back at most one step of another.
			let isMore = true;
			for (let tries = 0; isMore && tries < 20; tries += 1) {
				const {event, failed} = await agent[how]();
				expect(failed, acts.join(', ')).toEqual([]);
				isMore = event !== undefined;
			}

			expect(await texts(), `${how} after ${acts.join(', ')}`).toEqual(wanted);
		}
	}
});

test.each(['plan', 'lastOf', 'pathsOf'] as const)(
	'an undo that is interrupted while it looks at files changes nothing (%s)',
	async part => {
		const agent = await startAgentAtWork({'a.txt': 'old'});
		await agent.edit('a.txt', 'new');
		const steps = agent.steps();
		const aborted = AbortSignal.abort();
		const looking =
			part === 'plan'
				? agent.changes.plan(steps, new Set(steps.map(({id}) => id)), aborted)
				: agent.changes[part](steps, aborted);
		await expect(looking).rejects.toMatchObject({name: 'AbortError'});
		expect(await readFile(join(agent.workspace, 'a.txt'), 'utf8')).toBe('new');
	},
);
