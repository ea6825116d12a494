import {randomUUID} from 'node:crypto';
import {mkdtemp, readdir, readFile, rm, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {machineOf, prepareFolder, removeWork, sandboxFolder} from '../../../src/server/sandboxes/sandbox-folder.ts';
import {temporaryFolder} from './sandbox.ts';

const deadline = {after: 1000, action: 'end'} as const;

test('[10] only its owner can read the files of a sandbox', async () => {
	const root = await temporaryFolder();
	const folder = sandboxFolder(join(root, 'sandboxes'), randomUUID());
	const files = new Map([['deep/file', 'x']]);
	const workspace = await prepareFolder(folder, {files, deadline});
	const modes = await Promise.all(
		[folder.path, folder.log, folder.temporary, workspace, join(workspace, 'deep'), join(workspace, 'deep/file')].map(
			async path => (await stat(path)).mode & 0o077,
		),
	);
	expect(modes).toEqual([0, 0, 0, 0, 0, 0]);
});

test('[13] a lasting workspace is filled once: a link left there redirects no later write', async () => {
	const root = await temporaryFolder();
	const workspace = join(root, 'workspaces', 'one');
	const files = new Map([['main.mjs', 'ours']]);
	await prepareFolder(sandboxFolder(root, randomUUID()), {workspace, files, deadline});
	expect(await readFile(join(workspace, 'main.mjs'), 'utf8')).toBe('ours');

	const victim = join(root, 'victim');
	await writeFile(victim, 'theirs');
	await rm(join(workspace, 'main.mjs'));
	await symlink(victim, join(workspace, 'main.mjs'));
	await prepareFolder(sandboxFolder(root, randomUUID()), {workspace, files, deadline});
	expect(await readFile(victim, 'utf8')).toBe('theirs');
});

test('a lasting workspace that could not be filled is filled by the next start, and never half', async () => {
	const root = await temporaryFolder();
	const workspace = join(root, 'workspaces', 'one');
	const half = new Map([
		['first', 'x'],
		['first/below', 'no file can lie below a file'],
	]);
	await expect(prepareFolder(sandboxFolder(root, randomUUID()), {workspace, files: half, deadline})).rejects.toThrow();
	const files = new Map([
		['first', 'x'],
		['second', 'y'],
	]);
	await prepareFolder(sandboxFolder(root, randomUUID()), {workspace, files, deadline});
	expect((await readdir(workspace)).sort()).toEqual(['first', 'second']);
	expect(await readdir(join(root, 'workspaces'))).toEqual(['one']);
});

test('[13] removing a workspace follows no link out of it', async () => {
	const root = await temporaryFolder();
	const outside = await mkdtemp(join(root, 'outside-'));
	await writeFile(join(outside, 'file'), 'x');
	const folder = sandboxFolder(root, randomUUID());
	const workspace = await prepareFolder(folder, {files: new Map(), deadline});
	await symlink(outside, join(workspace, 'link'));
	await removeWork(folder);
	expect(await readFile(join(outside, 'file'), 'utf8')).toBe('x');
	await expect(stat(workspace)).rejects.toThrow('ENOENT');
});

test.each(['../evil', '/etc/evil', 'a/../../evil'])('[13] the file “%s” of a task is rejected', async name => {
	const root = await temporaryFolder();
	const folder = sandboxFolder(root, randomUUID());
	await expect(prepareFolder(folder, {files: new Map([[name, 'x']]), deadline})).rejects.toThrow('is outside');
});

test('concurrently started servers agree on the name of their machine', async () => {
	const root = join(await temporaryFolder(), 'sandboxes');
	const names = await Promise.all(Array.from({length: 8}, () => machineOf(root)));
	expect(new Set(names).size).toBe(1);
	expect(await machineOf(root)).toBe(names[0]);
});
