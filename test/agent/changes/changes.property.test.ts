import {readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {RestoreChoice} from '../../../src/agent/changes/apply-restore.ts';
import {startAgentAtWork} from './agent-at-work.ts';

const names = ['a.txt', 'b.txt'] as const;
const place = fc.record({file: fc.constantFrom(...names), at: fc.nat(6)});
const choice = fc.constantFrom<RestoreChoice>('mine', 'merged', 'old');

const act = fc.oneof(
	fc.record({kind: fc.constantFrom('agent-add', 'agent-remove', 'user-add', 'user-delete'), place}),
	fc.record({kind: fc.constantFrom('undo', 'redo'), choice}),
	fc.record({kind: fc.constant('message')}),
);

/** Returns the lines that only the user wrote. */
const usersLines = (text: string | undefined) => (text ?? '').split('\n').filter(line => line.startsWith('user'));

/** The user's line without an end is the last one only until the agent's line behind another of theirs is taken back. */
const withoutEnd: (typeof act extends fc.Arbitrary<infer Act> ? Act : never)[] = [
	{kind: 'user-add', place: {file: 'b.txt', at: 1}},
	{kind: 'agent-add', place: {file: 'b.txt', at: 2}},
	{kind: 'user-add', place: {file: 'b.txt', at: 2}},
	{kind: 'undo', choice: 'merged'},
];

test('undo and redo never lose a line of the user that they did not ask about', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(act, {minLength: 2, maxLength: 9}), async acts => {
			const work = await startAgentAtWork({'a.txt': '1\n2\n3\n4\n5\n6\n'});
			const read = (name: string) => readFile(join(work.workspace, name), 'utf8').catch(() => undefined);
			let count = 0;
			for (const each of acts) {
				count++;
				if ('place' in each) {
					const {file, at} = each.place;
					const text = await read(file);
					const lines = text?.split('\n') ?? [''];
					if (each.kind === 'agent-add') {
						await work.edit(file, lines.toSpliced(at, 0, `agent ${count}`).join('\n'));
					} else if (each.kind === 'agent-remove' && text !== undefined) {
						await work.edit(file, lines.toSpliced(at, 1).join('\n'));
					} else if (each.kind === 'user-add') {
						await writeFile(join(work.workspace, file), lines.toSpliced(at, 0, `user ${count}`).join('\n'));
					} else if (each.kind === 'user-delete') {
						await rm(join(work.workspace, file), {force: true});
					}
				} else if ('choice' in each) {
					const before = await Promise.all(names.map(read));
					const {failed, restored} = each.kind === 'undo' ? await work.undo(each.choice) : await work.redo(each.choice);
					expect(failed).toEqual([]);
					const after = await Promise.all(names.map(read));
					if (each.choice === 'old') {
						// What was replaced comes back to the byte.
						await (restored.length > 0 && each.kind === 'undo' ? work.redo('old') : undefined);
						expect(restored.length > 0 && each.kind === 'undo' ? await Promise.all(names.map(read)) : after).toEqual(
							each.kind === 'undo' ? before : after,
						);
					} else {
						for (const [index, text] of before.entries()) {
							expect(usersLines(after[index])).toEqual(expect.arrayContaining(usersLines(text)));
						}
					}
				} else {
					work.say(`message ${count}`);
				}
			}
		}),
		{numRuns: 20, examples: [[withoutEnd]]},
	);
});
