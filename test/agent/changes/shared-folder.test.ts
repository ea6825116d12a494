import {readdir, readFile, utimes, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {signal, startAgentAtWork, startAgentIn} from './agent-at-work.ts';

const twoSessions = async () => {
	const one = await startAgentAtWork({'a.txt': 'a', 'b.txt': 'b'});
	const two = await startAgentIn(one, '22222222-2222-4333-8444-555555555555');
	const read = (name: string) => readFile(join(one.workspace, name), 'utf8');
	const write = (name: string, text: string) => writeFile(join(one.workspace, name), text);
	const plan = (agent: typeof one) =>
		agent.changes.plan(agent.steps(), new Set(agent.steps().map(({id}) => id)), signal);
	return {one, two, read, write, plan};
};

test('what another session changed during a command is not taken back without asking', async () => {
	const {one, two, read, write, plan} = await twoSessions();
	await one.run(async () => {
		await write('a.txt', 'one');
		await two.edit('b.txt', 'two');
	});
	expect((await plan(one)).files).toMatchObject([
		{path: 'a.txt', state: 'changed', shared: true},
		{path: 'b.txt', state: 'changed', shared: true},
	]);
	await one.undo('mine');
	expect([await read('a.txt'), await read('b.txt')]).toEqual(['one', 'two']);
	// The other session knows its own change.
	expect((await plan(two)).files).toMatchObject([{path: 'b.txt', state: 'ready'}]);
});

test('commands of two sessions at the same time are asked about in both', async () => {
	const {one, two, write, plan} = await twoSessions();
	let end = () => {};
	const isEnded = new Promise<void>(resolve => {
		end = resolve;
	});
	let begin = () => {};
	const isBegun = new Promise<void>(resolve => {
		begin = resolve;
	});
	const long = two.run(async () => {
		begin();
		await isEnded;
		await write('b.txt', 'two');
	});
	await isBegun;
	await one.run(() => write('a.txt', 'one'));
	end();
	await long;
	expect((await plan(one)).files).toMatchObject([{path: 'a.txt', state: 'changed', shared: true}]);
	expect((await plan(two)).files.every(({state}) => state === 'changed')).toBe(true);
});

test('sessions that follow one another take their changes back without a question', async () => {
	const {one, two, read, write, plan} = await twoSessions();
	await one.run(() => write('a.txt', 'one'));
	const {path} = await one.openStore(one.workspace);
	const earlier = new Date(Date.now() - 1000);
	for (const name of await readdir(join(path, 'refs', 'heads'))) {
		await utimes(join(path, 'refs', 'heads', name), earlier, earlier);
	}

	await two.run(() => write('b.txt', 'two'));
	expect((await plan(one)).files).toMatchObject([{path: 'a.txt', state: 'ready'}]);
	expect((await plan(two)).files).toMatchObject([{path: 'b.txt', state: 'ready'}]);
	await one.undo();
	await two.undo();
	expect([await read('a.txt'), await read('b.txt')]).toEqual(['a', 'b']);
});
