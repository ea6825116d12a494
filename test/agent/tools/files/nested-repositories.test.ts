import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {findFiles} from '../../../../src/agent/tools/files/find-files.ts';
import {walk} from '../../../../src/agent/tools/files/walk.ts';
import {git, makeWorkspace, writeAll} from '../workspace.ts';

const {signal} = new AbortController();

async function listed(folder: string, below = folder): Promise<readonly string[]> {
	const {paths, complete} = await findFiles({real: below, shown: '.'}, {workspace: folder, hidden: []}, signal);
	expect(complete).toBe(true);
	return paths;
}

/** Makes a folder a repository in which all files are committed. */
async function repository(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
	await mkdir(folder, {recursive: true});
	await writeAll(folder, files);
	git(folder, 'init', '-q');
	git(folder, 'add', '.');
	git(folder, 'commit', '-qm', 'all');
}

test('submodules, nested clones and work trees are listed with their own rules', async () => {
	const {root, workspace} = await makeWorkspace();
	await repository(join(root, 'library'), {'.gitignore': '*.log\n', 'lib.ts': '', 'deep/a.ts': ''});
	await repository(workspace, {'.gitignore': '*.tmp\n/vendor/\n', 'main.ts': ''});
	git(workspace, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', join(root, 'library'), 'libs/sub');
	git(workspace, 'clone', '-q', join(root, 'library'), 'clone');
	git(workspace, 'clone', '-q', join(root, 'library'), 'vendor/ignored');
	git(workspace, 'worktree', 'add', '-q', 'trees/one');
	await writeAll(workspace, {
		'clone/x.log': '',
		'clone/kept.tmp': '',
		'clone/new.ts': '',
		'libs/sub/y.log': '',
		'a.tmp': '',
		'trees/one/z.tmp': '',
	});
	const library = ['.gitignore', 'deep/a.ts', 'lib.ts'];
	expect(await listed(workspace)).toEqual(
		[
			...['.gitignore', '.gitmodules', 'main.ts'],
			...[...library, 'kept.tmp', 'new.ts'].map(path => `clone/${path}`),
			...library.map(path => `libs/sub/${path}`),
			...['.gitignore', 'main.ts'].map(path => `trees/one/${path}`),
		].sort(),
	);
	expect(await listed(workspace, join(workspace, 'libs'))).toEqual(library.map(path => `sub/${path}`).sort());
	expect(await listed(workspace, join(workspace, 'libs/sub'))).toEqual([...library].sort());
});

test('a submodule that is not checked out has no files, and is none', async () => {
	const {root, workspace} = await makeWorkspace();
	await repository(join(root, 'library'), {'lib.ts': ''});
	await repository(join(root, 'origin'), {'main.ts': ''});
	git(join(root, 'origin'), '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', join(root, 'library'), 'sub');
	git(join(root, 'origin'), 'commit', '-qm', 'sub');
	git(root, 'clone', '-q', join(root, 'origin'), join(workspace, 'copy'));
	expect(await listed(join(workspace, 'copy'))).toEqual(['.gitmodules', 'main.ts']);
});

test('what a sparse checkout leaves out is not listed, and what is there is', async () => {
	const {workspace} = await makeWorkspace();
	await repository(workspace, {'top.ts': '', 'in/a.ts': '', 'out/b.ts': '', 'out/c.ts': ''});
	git(workspace, 'sparse-checkout', 'set', 'in');
	expect(await listed(workspace)).toEqual(['in/a.ts', 'top.ts']);
	await writeAll(workspace, {'out/b.ts': 'written again'});
	await writeFile(join(workspace, 'new.ts'), '');
	expect(await listed(workspace)).toEqual(['in/a.ts', 'new.ts', 'out/b.ts', 'top.ts']);
});

test('a folder of clones without git around it has each by its own rules', async () => {
	const {workspace} = await makeWorkspace({'.gitignore': '*.md\n'});
	await repository(join(workspace, 'one'), {'.gitignore': '*.log\n', 'a.ts': '', 'README.md': ''});
	await repository(join(workspace, 'two'), {'b.log': '', 'b.ts': ''});
	await writeAll(workspace, {'one/x.log': '', 'top.md': ''});
	const {paths} = await walk(workspace, signal);
	expect([...paths].sort()).toEqual([
		'.gitignore',
		'one/.gitignore',
		'one/README.md',
		'one/a.ts',
		'two/b.log',
		'two/b.ts',
	]);
});

test('repositories in each other end at a depth, which is said', async () => {
	const {workspace} = await makeWorkspace();
	let folder = workspace;
	for (let depth = 0; depth < 11; depth++) {
		await repository(folder, {'f.ts': ''});
		folder = join(folder, 'n');
	}

	const {paths, complete} = await findFiles({real: workspace, shown: '.'}, {workspace, hidden: []}, signal);
	expect([paths.length, complete]).toEqual([9, false]);
});
