import {randomUUID} from 'node:crypto';
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {applyChanges, planChanges} from '../../../src/agent/handoff/apply-changes.ts';
import {describeChanges} from '../../../src/agent/handoff/describe-changes.ts';
import {hashOfChanges, packChanges} from '../../../src/agent/handoff/packed-changes.ts';
import {findClones, openRepository} from '../../../src/agent/handoff/repository.ts';
import {maxChanges, type PackedChange, type PackedChanges} from '../../../src/core/packed-changes.ts';
import {folderWith} from '../../e2e/program.ts';
import {createRandom, drawnSeed, type Random} from '../../faults/fault.ts';
import {git, treeOf, twoClones} from './clones.ts';

const options = {below: '', places: {stateFolder: '/nonexistent'}, withSecrets: false};

const receiverIn = (stateFolder: string) => ({stateFolder, key: randomUUID()});

async function move(one: string, other: string, home = folderWith()) {
	const {packed, left} = await packChanges(await openRepository(one), options);
	const {undo} = await applyChanges(packed, await planChanges(await openRepository(other), packed), receiverIn(home));
	return {packed, left, undo};
}

const names = ['a', 'b', 'c', 'ä ö', 'line\nbreak', '-flag', 'x.txt', '*', ':(top)'];

/** Writes, deletes, links and renames at random. A name may become a folder, and a folder a file. */
function change(folder: string, random: Random): void {
	const place = join(folder, ...Array.from({length: 1 + random.below(3)}, () => random.pick(names)));
	const parents: string[] = [];
	for (let path = dirname(place); path !== folder; path = dirname(path)) {
		parents.push(path);
	}

	for (const parent of parents.toReversed()) {
		if (lstatSync(parent, {throwIfNoEntry: false})?.isDirectory() === false) {
			rmSync(parent);
		}
	}

	const act = random.below(5);
	if (act === 0) {
		rmSync(place, {recursive: true, force: true});
		return;
	}

	rmSync(place, {recursive: true, force: true});
	mkdirSync(dirname(place), {recursive: true});
	if (act === 1) {
		symlinkSync(random.pick(['a', '../b', '/etc/passwd', 'nowhere']), place);
	} else {
		writeFileSync(place, Buffer.from(Array.from({length: random.below(40)}, () => random.below(256))));
		chmodSync(place, random.pick([0o644, 0o755, 0o600]));
	}
}

/** Removes folders without files, which git doesn't know. */
function withoutEmptyFolders(folder: string): boolean {
	let isEmpty = true;
	for (const {name} of readdirSync(folder, {withFileTypes: true})) {
		const path = join(folder, name);
		const isFolder = name !== '.git' && lstatSync(path).isDirectory();
		if (isFolder && withoutEmptyFolders(path)) {
			rmSync(path, {recursive: true});
		} else {
			isEmpty = false;
		}
	}

	return isEmpty;
}

test(`[33] a clone that gets the changes has the same tree, and its own again after they are taken back (seed ${drawnSeed})`, async () => {
	const random = createRandom(drawnSeed);
	for (let round = 0; round < 12; round++) {
		const {one, other} = twoClones({'kept.txt': 'kept'});
		for (let count = 0; count < 12; count++) {
			change(one, random);
		}

		withoutEmptyFolders(one);
		git(one, 'add', '--all');
		git(one, 'commit', '--quiet', '--allow-empty', '--message=base');
		git(other, 'pull', '--quiet', one, 'main');
		const before = treeOf(other);
		for (let count = 0; count < 12; count++) {
			change(one, random);
		}

		withoutEmptyFolders(one);
		if (random.below(2) === 0) {
			git(one, 'add', '--all');
		}

		const changed = new Set(
			(await packChanges(await openRepository(one), options)).packed.changes.map(({path}) => path),
		);
		const {undo} = await move(one, other);
		const [here, there] = [treeOf(one), treeOf(other)];
		// Of what is committed, git knows one bit of the permissions.
		const known = (tree: Readonly<Record<string, string>>) =>
			Object.fromEntries(
				Object.entries(tree).map(([path, entry]) => [
					path,
					changed.has(path) ? entry : entry.replace(/^6\d\d /, '644 '),
				]),
			);
		expect(known(there)).toEqual(known(here));
		await undo();
		expect(treeOf(other)).toEqual(before);
		expect(git(other, 'status', '--porcelain')).toBe('');
	}
});

test(`[33] changes that come back take the place of those that were handed over, staged or not (seed ${drawnSeed})`, async () => {
	const random = createRandom(drawnSeed + 1);
	const shown = (folder: string) =>
		Object.fromEntries(
			Object.entries(treeOf(folder)).map(([path, entry]) => [path, entry.replace(/^([67])\d\d /, '$1** ')]),
		);
	const changeOften = (folder: string) => {
		for (let count = 0; count < 8; count++) {
			change(folder, random);
			if (random.below(4) === 0) {
				git(folder, 'add', '--all');
			}
		}

		withoutEmptyFolders(folder);
	};
	for (let round = 0; round < 8; round++) {
		const {one, other} = twoClones({'kept.txt': 'kept'});
		changeOften(one);
		git(one, 'add', '--all');
		git(one, 'commit', '--quiet', '--allow-empty', '--message=base');
		git(other, 'pull', '--quiet', one, 'main');
		changeOften(one);
		const before = shown(one);
		const handed = hashOfChanges((await move(one, other)).packed);
		changeOften(other);
		const {packed} = await packChanges(await openRepository(other), options);
		const plan = await planChanges(await openRepository(one), packed, handed);
		const {undo} = await applyChanges(packed, plan, {...receiverIn(folderWith()), handed});
		expect(shown(one)).toEqual(shown(other));
		await undo();
		expect(shown(one)).toEqual(before);
		expect(git(one, 'stash', 'list')).toBe('');
	}
});

test('[33] files whose names suggest secrets, ignored files and repositories of their own stay', async () => {
	const {one, other} = twoClones({'.gitignore': 'build\n', 'a.txt': 'a'});
	writeFileSync(join(one, '.env'), 'KEY=1');
	writeFileSync(join(one, 'build'), 'x');
	mkdirSync(join(one, 'inner'));
	git(join(one, 'inner'), 'init', '--quiet');
	writeFileSync(join(one, 'inner', 'file'), 'x');
	writeFileSync(join(one, 'new.txt'), 'new');
	const {packed, left} = await move(one, other);
	expect(packed.changes.map(({path}) => path)).toEqual(['new.txt']);
	expect(left).toEqual({secrets: ['.env'], others: ['inner/']});
	expect(existsSync(join(other, '.env'))).toBe(false);
	const whole = await packChanges(await openRepository(one), {...options, withSecrets: true});
	expect(whole.packed.changes.map(({path}) => path)).toEqual(['.env', 'new.txt']);
});

test('[33] what is behind a link that took the place of a folder is not read', async () => {
	const {one, other} = twoClones({'folder/a.txt': 'a'});
	const outside = folderWith({'a.txt': 'not of the repository'});
	rmSync(join(one, 'folder'), {recursive: true});
	symlinkSync(outside, join(one, 'folder'));
	const {packed} = await move(one, other);
	expect(packed.changes.map(({path, kind}) => `${kind} ${path}`)).toEqual(['gone folder/a.txt', 'link folder']);
	expect(treeOf(other)).toEqual({folder: `-> ${outside}`});
});

test('[33] files of a folder are gone whose place a link took that leads in a circle', async () => {
	const {one, other} = twoClones({'folder/a.txt': 'a', 'folder/b/c.txt': 'c'});
	rmSync(join(one, 'folder'), {recursive: true});
	symlinkSync('folder', join(one, 'folder'));
	await move(one, other);
	expect(treeOf(other)).toEqual({folder: '-> folder'});
});

test('[33] a folder takes the place of a link, whatever is where the link leads', async () => {
	const {one, other} = twoClones({'a/b/c.txt': 'c'});
	symlinkSync('a', join(one, 'way'));
	git(one, 'add', '--all');
	git(one, 'commit', '--quiet', '--message=link');
	git(other, 'pull', '--quiet', one, 'main');
	rmSync(join(one, 'way'));
	mkdirSync(join(one, 'way'));
	writeFileSync(join(one, 'way', 'b'), 'b');
	await move(one, other);
	expect(treeOf(other)).toEqual(treeOf(one));
});

test('[33] a clone with changes of its own, or without the commit, or with an ignored file in the way stays as it is', async () => {
	const {one, other} = twoClones({'.gitignore': 'new.txt\n', 'a.txt': 'a'});
	writeFileSync(join(one, '.gitignore'), '');
	writeFileSync(join(one, 'new.txt'), 'new');
	writeFileSync(join(other, 'new.txt'), 'mine');
	await expect(move(one, other)).rejects.toMatchObject({
		code: 'conflict',
		message: expect.stringContaining('in the way'),
	});
	expect(readFileSync(join(other, 'new.txt'), 'utf8')).toBe('mine');
	expect(git(other, 'status', '--porcelain')).toBe('');

	writeFileSync(join(other, 'a.txt'), 'mine');
	await expect(move(one, other)).rejects.toMatchObject({code: 'conflict', message: expect.stringContaining('its own')});
	git(other, 'update-index', '--assume-unchanged', 'a.txt');
	writeFileSync(join(one, 'a.txt'), 'theirs');
	rmSync(join(other, 'new.txt'));
	await expect(move(one, other)).rejects.toMatchObject({
		code: 'conflict',
		message: expect.stringContaining('overlook'),
	});
	expect(readFileSync(join(other, 'a.txt'), 'utf8')).toBe('mine');

	git(one, 'commit', '--quiet', '--all', '--message=only here');
	await expect(move(one, other)).rejects.toMatchObject({code: 'conflict', message: expect.stringContaining('lacks')});
});

test('[33] the commit of the changes is checked out first, on its branch if the clone has that', async () => {
	const {one, other} = twoClones({'a.txt': 'a'});
	writeFileSync(join(other, 'b.txt'), 'b');
	git(other, 'add', '--all');
	git(other, 'commit', '--quiet', '--message=later');
	writeFileSync(join(one, 'a.txt'), 'changed');
	const {undo} = await move(one, other);
	expect(treeOf(other)).toEqual(treeOf(one));
	await undo();
	expect(git(other, 'symbolic-ref', '--short', 'HEAD').trim()).toBe('main');
	git(other, 'switch', '--quiet', '--create', 'work');
	git(other, 'branch', '--force', 'main', git(one, 'rev-parse', 'HEAD').trim());
	await move(one, other);
	expect(git(other, 'symbolic-ref', '--short', 'HEAD').trim()).toBe('main');
});

const file = (path: string, content = 'evil'): PackedChange => ({
	path,
	kind: 'file',
	permissions: 0o4755,
	content: Buffer.from(content).toString('base64'),
});
const link = (path: string, target: string): PackedChange => ({
	path,
	kind: 'link',
	content: Buffer.from(target).toString('base64'),
});

test.each<[string, readonly PackedChange[]]>([
	['a path above', [file('../evil')]],
	['a path above, in the middle', [file('a/../../evil')]],
	['an absolute path', [file('/tmp/evil')]],
	['an empty name', [file('a//b')]],
	['a NUL', [file('a\0b')]],
	['a hook of git', [file('.git/hooks/pre-commit')]],
	['the settings of git, in other letters', [file('.GIT/config')]],
	['the settings of git, by their short name', [file('git~1/config')]],
	['the settings of git, with a letter that nobody sees', [file('.g\u200Cit/config')]],
	['git of a folder below', [file('sub/.git/config')]],
	['a link, and a file through it', [link('way', '/tmp'), file('way/evil')]],
	['a file through a link of the commit', [file('linked/evil')]],
	['a file below a file', [file('a.txt/evil')]],
	['a file in the place of a folder', [file('sub')]],
	['the same file twice', [file('x'), file('x')]],
	['a deletion of what the commit lacks', [{path: 'nothing', kind: 'gone'}]],
	['a file without content', [{path: 'x', kind: 'file'}]],
	['too much', Array.from({length: 5}, (_, index) => file(`big${index}`, 'x'.repeat(4 * 1024 * 1024)))],
])('[33] changes with %s are refused, and nothing is written', async (_, changes) => {
	const {one, other} = twoClones({'a.txt': 'a', 'sub/b.txt': 'b'});
	symlinkSync(dirname(other), join(one, 'linked'));
	git(one, 'add', '--all');
	git(one, 'commit', '--quiet', '--message=link');
	git(other, 'pull', '--quiet', one, 'main');
	const before = [treeOf(other), readdirSync(dirname(other)), readdirSync(join(other, '.git', 'hooks'))];
	const {packed} = await packChanges(await openRepository(one), options);
	const hostile: PackedChanges = {...packed, changes: [file('fine.txt'), ...changes]};
	const home = folderWith();
	const applied = planChanges(await openRepository(other), hostile).then(plan =>
		applyChanges(hostile, plan, receiverIn(home)),
	);
	await expect(applied).rejects.toMatchObject({name: 'AppError'});
	expect([treeOf(other), readdirSync(dirname(other)), readdirSync(join(other, '.git', 'hooks'))]).toEqual(before);
});

test('each change says what it is of the commit, and what becomes of a program', async () => {
	const {one} = twoClones({'a.txt': 'a\n', 'run.sh': 'echo\n', 'old.txt': 'old\n'});
	chmodSync(join(one, 'run.sh'), 0o755);
	git(one, 'commit', '--quiet', '--all', '--message=program');
	chmodSync(join(one, 'a.txt'), 0o755);
	chmodSync(join(one, 'run.sh'), 0o644);
	git(one, 'mv', 'old.txt', 'moved.txt');
	symlinkSync('a.txt', join(one, 'link'));
	writeFileSync(join(one, 'binary'), Buffer.from([0, 255]));
	const {packed} = await packChanges(await openRepository(one), options);
	expect(await describeChanges(one, packed)).toEqual([
		'changed program a.txt, a program now',
		'new file moved.txt',
		...['  @@ -1 +1 @@', '  +old'],
		'deleted old.txt',
		'changed file run.sh, no program now',
		'new file binary',
		'  binary, 2 B',
		'new link link -> a.txt',
	]);
});

test('[33] no file gets the set-user-ID bit', async () => {
	const {one, other} = twoClones({'a.txt': 'a'});
	const {packed} = await packChanges(await openRepository(one), options);
	const wanted = {...packed, changes: [file('program')]};
	await applyChanges(wanted, await planChanges(await openRepository(other), wanted), receiverIn(folderWith()));
	expect(lstatSync(join(other, 'program')).mode & 0o7777).toBe(0o755);
});

test('more changes than a hand-over may have are refused with their number', async () => {
	const {one} = twoClones({'a.txt': 'a'});
	for (let index = 0; index <= maxChanges; index++) {
		writeFileSync(join(one, `f${index}`), '');
	}

	await expect(packChanges(await openRepository(one), options)).rejects.toMatchObject({
		code: 'usage',
		message: expect.stringContaining('2,000 files'),
	});
});

test('a clone is found below the folders of a host by a remote in common, and no other repository', async () => {
	const {one, other} = twoClones({'a.txt': 'a'});
	const stranger = twoClones({'b.txt': 'b'}).one;
	git(stranger, 'remote', 'set-url', 'origin', 'git@example.com:team/other.git');
	const {remotes} = await openRepository(one);
	expect(remotes).toEqual(['example.com/team/app']);
	const found = await findClones([stranger, dirname(other)], remotes);
	expect(found.clones.map(({top}) => top)).toEqual([other]);
});
