import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {git} from '../../tools/workspace.ts';
import {openPolicy} from '../judging.ts';
import {bypassesOfPrograms} from './bypasses-of-programs.ts';
import {bypassesOfShells} from './bypasses-of-shells.ts';
import {projectFiles, readOnlyCommands, runInBash, snapshotOf} from './fixture.ts';

const {root, workspace, judgeCommand} = openPolicy(projectFiles);

beforeAll(async () => {
	const folder = workspace();
	await writeFile(join(folder, '.gitignore'), '.env\nconfig/\nnode_modules/\nlink*\n-*\n');
	git(folder, 'init', '-q', '-b', 'main');
	git(folder, 'add', '.');
	git(folder, 'commit', '-q', '-m', 'first');
	await writeFile(join(folder, 'src/a.ts'), 'export const a = 2;\n');
	await symlink(join(root(), 'outside.txt'), join(folder, 'link-out'));
	await symlink('.env', join(folder, 'link-env'));
	await symlink('..', join(folder, 'src/link-up'));
	await symlink('nowhere', join(folder, 'link-nowhere'));
	await mkdir(join(folder, 'dashed'));
	await writeFile(join(folder, 'dashed/-exec'), '');
});

test.each(readOnlyCommands)('%s runs unasked', async command => {
	expect(await judgeCommand(command)).toEqual({effect: 'allow', by: 'read-only'});
});

test('[14] what runs unasked changes no file', async () => {
	const before = await snapshotOf(root());
	for (const command of readOnlyCommands) {
		await runInBash(command, workspace(), root());
	}

	expect(await snapshotOf(root())).toEqual(before);
});

describe.each(Object.entries({...bypassesOfPrograms, ...bypassesOfShells}))('[14] %s', (_, commands) => {
	test.each(commands)('%j asks', async command => {
		expect(await judgeCommand(command)).toMatchObject({effect: 'ask'});
	});
});
