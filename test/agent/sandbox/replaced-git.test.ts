import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {git} from '../tools/workspace.ts';
import {hasBubblewrap, skipped} from './needs-bubblewrap.ts';
import {repository} from './open-sandbox.ts';

test.skipIf(!hasBubblewrap)(
	`[13] a folder of git that takes the place of another starts no program${skipped}`,
	async () => {
		const {run, path, root, workspace} = await repository();
		const marker = join(root, 'ran');
		const evil = `core.fsmonitor 'touch ${marker}; false'`;
		const identity = '-c user.name=t -c user.email=t@example.com';
		const deep = 'deep/a/b/c/d';
		for (const folder of ['sub', deep]) {
			mkdirSync(path(folder), {recursive: true});
			git(path(folder), 'init', '-q');
			git(path(folder), 'commit', '-qm', 'one', '--allow-empty');
		}

		git(root, 'clone', '-q', workspace, 'other');
		for (const name of ['third/one', 'third/two']) {
			git(workspace, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', join(root, 'other'), name);
		}

		git(workspace, 'worktree', 'add', '-q', join(root, 'tree'));
		// A submodule that is not checked out: its settings are where no `.git` names them.
		rmSync(path('third/two'), {recursive: true});
		mkdirSync(path('third/two'));
		const gitlink = (folder: string) =>
			`mkdir -p ${folder} && git init -q ${folder} && git -C ${folder} ${identity} commit -q --allow-empty -m x && git -C ${folder} config ${evil}; git update-index --add --cacheinfo 160000,$(git -C ${folder} rev-parse HEAD),${folder}`;
		const module = (folder: string) => `git config -f .git/modules/${folder}/config ${evil}`;
		for (const trick of [
			`mv sub old && mkdir sub && cp -r old/.git sub/.git && git -C sub config ${evil}`,
			`git -C ${deep} config ${evil}`,
			`mv deep/a x && mkdir -p ${deep} && cp -r x/b/c/d/.git ${deep}/.git && git -C ${deep} config ${evil}`,
			gitlink('n/a/b/c/d/e'),
			gitlink('node_modules/n'),
			`mv .git/modules .git/m && cp -r .git/m .git/modules; ${module('third/one')}`,
			`mv .git/modules/third .git/m && cp -r .git/m .git/modules/third; ${module('third/one')}`,
			`mv .git/modules/third/one .git/m && cp -r .git/m .git/modules/third/one; ${module('third/one')}`,
			`${module('third/two')}; printf '#!/bin/sh\ntouch ${marker}' > .git/modules/third/two/hooks/post-checkout; chmod +x .git/modules/third/two/hooks/*`,
			`mkdir e; cp -r .git/objects .git/refs .git/HEAD .git/config e; git config -f e/config ${evil}; mv .git/worktrees .git/w; cp -r .git/w .git/worktrees; echo $PWD/e > .git/worktrees/tree/commondir`,
			`mv .git/worktrees/tree .git/w2 && cp -r .git/w2 .git/worktrees/tree; echo $PWD/e > .git/worktrees/tree/commondir`,
			`printf '[core]\n\tfsmonitor = touch ${marker}; false\n' | tee .git/config.worktree > sub/.git/config.worktree`,
		]) {
			await run(trick);
			for (const folder of [workspace, path('sub'), path(deep), path('third/one'), join(root, 'tree')]) {
				spawnSync('git', ['status'], {cwd: folder});
			}

			expect([trick, existsSync(marker)]).toEqual([trick, false]);
		}

		spawnSync('git', ['-c', 'protocol.file.allow=always', 'submodule', 'update', '--init'], {cwd: workspace});
		expect(existsSync(marker)).toBe(false);
	},
);
