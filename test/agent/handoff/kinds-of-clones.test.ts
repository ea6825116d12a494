import {randomUUID} from 'node:crypto';
import {chmodSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {applyChanges, planChanges} from '../../../src/agent/handoff/apply-changes.ts';
import {putBackBegun} from '../../../src/agent/handoff/begun-changes.ts';
import {hashOfChanges, packChanges} from '../../../src/agent/handoff/packed-changes.ts';
import {openRepository} from '../../../src/agent/handoff/repository.ts';
import {folderWith} from '../../e2e/program.ts';
import {createRandom, drawnSeed, type Random} from '../../faults/fault.ts';
import {git, treeOf, twoClones} from './clones.ts';

const options = {below: '', places: {stateFolder: '/nonexistent'}, withSecrets: false};

/** Packs the changes of one clone and applies them to the other one. `handed` is what that has handed over before. */
async function move(one: string, other: string, {handed, home = folderWith()}: {handed?: string; home?: string} = {}) {
	const {packed, left} = await packChanges(await openRepository(one), options);
	const plan = await planChanges(await openRepository(other), packed, handed);
	return {packed, left, plan, apply: () => applyChanges(packed, plan, {stateFolder: home, key: randomUUID(), handed})};
}

/** Commits everything in one clone, which the other one gets. */
function commitFor(one: string, other: string): void {
	git(one, 'add', '--all');
	git(one, 'commit', '--quiet', '--message=more');
	git(other, 'pull', '--quiet', one, 'main');
}

/** Changes, deletes and creates files. */
function change(folder: string, text: string, random: Random): void {
	for (const name of ['a', 'b', 'c', 'new', 'newer']) {
		const act = random.below(3);
		if (act === 0) {
			rmSync(join(folder, name), {force: true});
		} else if (act === 1) {
			writeFileSync(join(folder, name), text);
		}
	}
}

test(`[33] a clone whose index was locked in the middle has everything again after the next start (seed ${drawnSeed})`, async () => {
	const random = createRandom(drawnSeed);
	for (let round = 0; round < 8; round++) {
		const {one, other} = twoClones({a: 'a', b: 'b', c: 'c'});
		change(one, 'mine', random);
		writeFileSync(join(one, 'mine'), 'mine');
		const over = await move(one, other);
		await over.apply();
		change(other, 'theirs', random);
		const home = folderWith();
		const before = treeOf(one);
		const {apply} = await move(other, one, {handed: hashOfChanges(over.packed), home});
		const lock = join(one, '.git', 'index.lock');
		const isApplied = random.below(2) === 0;
		const applied = isApplied ? await apply() : undefined;
		writeFileSync(lock, '');
		await expect(applied ? applied.undo() : apply()).rejects.toMatchObject({
			code: 'failed',
			message: expect.stringMatching(/File exists\.$/),
		});
		rmSync(lock);
		expect(await putBackBegun(home, async () => false)).toEqual([
			`A hand-over to ${one} was cut off. What it had changed was put back.`,
		]);
		expect(treeOf(one)).toEqual(before);
	}
});

test('[33] where git doesn’t look at permissions, they are those of the commit', async () => {
	const {one, other} = twoClones({'a.txt': 'a', 'run.sh': 'echo'});
	chmodSync(join(one, 'run.sh'), 0o755);
	commitFor(one, other);
	git(one, 'config', 'core.fileMode', 'false');
	chmodSync(join(one, 'run.sh'), 0o644);
	for (const name of ['run.sh', 'a.txt', 'new.txt']) {
		writeFileSync(join(one, name), 'changed');
	}

	chmodSync(join(one, 'a.txt'), 0o777);
	chmodSync(join(one, 'new.txt'), 0o777);
	const before = treeOf(other);
	const {undo} = await (await move(one, other)).apply();
	expect(git(other, 'diff', '--summary')).toBe('');
	git(other, 'add', '--all');
	expect(git(other, 'ls-files', '--stage', 'new.txt')).toContain('100644');
	await undo();
	expect(treeOf(other)).toEqual(before);
});

test('[33] permissions come back where git doesn’t look at them', async () => {
	const {one, other} = twoClones({'run.sh': 'echo'});
	git(other, 'config', 'core.fileMode', 'false');
	chmodSync(join(one, 'run.sh'), 0o755);
	const before = treeOf(other);
	const {undo} = await (await move(one, other)).apply();
	expect(treeOf(other)).toEqual(treeOf(one));
	await undo();
	expect(treeOf(other)).toEqual(before);
});

test('[33] the commit is checked out without its branch if another working tree has that', async () => {
	const {one, other} = twoClones({'a.txt': 'a'});
	git(other, 'switch', '--quiet', '--create', 'side');
	git(other, 'commit', '--quiet', '--allow-empty', '--message=side');
	git(other, 'worktree', 'add', '--quiet', join(folderWith(), 'a tree'), 'main');
	writeFileSync(join(one, 'a.txt'), 'changed');
	const {packed, plan, apply} = await move(one, other);
	expect(plan.switchesTo).toBe(packed.commit);
	const {undo} = await apply();
	expect(treeOf(other)).toEqual(treeOf(one));
	await undo();
	expect(git(other, 'symbolic-ref', '--short', 'HEAD').trim()).toBe('side');
});

test('[33] a sparse checkout gets changes of what it has, and says what it leaves out', async () => {
	const {one, other} = twoClones({'in/x': 'x', 'out/y': 'y'});
	git(other, 'sparse-checkout', 'set', 'in');
	writeFileSync(join(one, 'in', 'x'), 'changed');
	await (await move(one, other)).apply();
	expect(treeOf(other)).toEqual({'in/x': treeOf(one)['in/x']});

	writeFileSync(join(one, 'out', 'y'), 'changed');
	git(other, 'restore', 'in');
	await expect(move(one, other)).rejects.toMatchObject({
		code: 'conflict',
		message: `A sparse checkout leaves out ${join(other, 'out', 'y')}.`,
	});
});

test('[33] a submodule with another commit is left out, and named', async () => {
	const inner = folderWith({'i.txt': 'i'});
	git(inner, 'init', '--quiet', '--initial-branch=main');
	git(inner, 'add', '--all');
	git(inner, 'commit', '--quiet', '--message=inner');
	const {one, other} = twoClones({'a.txt': 'a'});
	git(one, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
	commitFor(one, other);
	writeFileSync(join(one, 'a.txt'), 'changed');
	git(join(one, 'sub'), 'commit', '--quiet', '--allow-empty', '--message=later');
	const {packed, left, apply} = await move(one, other);
	expect(packed.changes.map(({path}) => path)).toEqual(['a.txt']);
	expect(left).toEqual({secrets: [], others: ['sub']});
	await apply();
	git(one, 'rm', '--quiet', '--force', 'sub');
	expect((await packChanges(await openRepository(one), options)).left.others).toEqual(['sub']);
});
