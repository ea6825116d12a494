import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {git} from '../tools/workspace.ts';
import {hasBubblewrap, skipped} from './needs-bubblewrap.ts';
import {repository} from './open-sandbox.ts';

describe.skipIf(!hasBubblewrap)(`in the sandbox${skipped}`, () => {
	test.each([
		['.husky/_', '.husky'],
		['tools/hooks', 'tools/hooks'],
		[undefined, '.githooks'],
	])('[13] hooks where core.hooksPath is %s are run, but changed in no way', async (hooksPath, folder) => {
		const {inHome, workspace, path, head} = await repository();
		const hook = join(folder, 'pre-commit');
		mkdirSync(path(folder), {recursive: true});
		writeFileSync(path(hook), '#!/bin/sh\nexit 0\n', {mode: 0o755});
		if (hooksPath !== undefined) {
			git(workspace, 'config', 'core.hooksPath', hooksPath);
		}

		const [first = ''] = folder.split('/');
		const tricks = [
			`echo evil >> ${hook}`,
			`echo evil > ${folder}/post-checkout`,
			`rm -rf ${folder}; mkdir -p ${folder} && echo evil > ${hook}`,
			`mv ${first} moved && mkdir -p ${folder} && echo evil > ${hook}`,
			`sed -i 's/exit 0/evil/' ${hook}; ln -sf /tmp/evil ${hook}`,
		];
		for (const trick of tricks) {
			await inHome(trick);
			expect([trick, readFileSync(path(hook), 'utf8'), readdirSync(path(folder))]).toEqual([
				trick,
				'#!/bin/sh\nexit 0\n',
				['pre-commit'],
			]);
		}

		await inHome('echo b > b.txt && git add b.txt && git commit -qm two');
		expect(head()).toBe('2');
	});

	test('[13] a missing folder of hooks that the settings name is not created', async () => {
		const {inHome, workspace, path} = await repository();
		git(workspace, 'config', 'core.hooksPath', 'my-hooks');
		await inHome('mkdir -p my-hooks; echo evil > my-hooks/pre-commit');
		expect(existsSync(path('my-hooks'))).toBe(false);
	});

	test('[13] hooks of a worktree are those that its repository names', async () => {
		const {context, root, workspace, run, home} = await repository();
		git(workspace, 'config', 'core.hooksPath', 'tools');
		const tree = join(root, 'tree');
		git(workspace, 'worktree', 'add', '-q', tree);
		mkdirSync(join(tree, 'tools'));
		await run(`export HOME=${home}; echo evil > tools/pre-commit`, {}, {...context, workspace: tree});
		expect(readdirSync(join(tree, 'tools'))).toEqual([]);
	});
});
