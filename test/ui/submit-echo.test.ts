import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import compact from '../../commands/compact.ts';
import {command} from '../../src/command/command.ts';
import {runApp} from './running-app.ts';

const restores = command({
	name: 'restores',
	summary: 'Take files back',
	args: z.object({}),
	run(_, {ui: {live}}) {
		const what = {before: 'b', after: 'a', steps: [], paths: ['a.txt'], count: 1};
		live?.restored({type: 'restore', id: 'r1', how: 'undo', ...what});
		return {kind: 'text', text: 'Undone.'};
	},
});

test('the line of a command stands above what it adds to the conversation', async () => {
	const {type, waitFor, lines} = runApp({more: [restores]});
	await waitFor('Demo model');
	const shown = () =>
		lines().slice(lines().indexOf('❯ /restores'), lines().findLastIndex(line => line.startsWith('────')) - 1);
	type('/restores\r');
	await waitFor('Undone.');
	expect(shown()).toEqual(['❯ /restores', '', '↺ Undid changes to 1 file: a.txt', '', 'Undone.']);
	type('/restores\r');
	await expect.poll(() => shown().filter(line => line === '❯ /restores')).toHaveLength(2);
});

const limits = command({
	name: 'limits',
	summary: 'Set a budget',
	args: z.object({}),
	run(_, {ui: {live}}) {
		live?.setBudgets({session: 5});
		return {kind: 'text', text: 'Set to $5.'};
	},
});

test.each([
	['/limits', 'Set to $5.'],
	['/compact undo', 'No compaction to undo.'],
])('the result of %s stands right below its line, since it adds nothing to the conversation', async (line, result) => {
	const {type, waitFor, lines} = runApp({more: [limits, compact]});
	await waitFor('Demo model');
	type(`${line}\r`);
	await waitFor(result);
	const first = lines().indexOf(`❯ ${line}`);
	expect(lines().slice(first, first + 2)).toEqual([`❯ ${line}`, result]);
});
