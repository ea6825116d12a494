import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {git} from '../tools/workspace.ts';
import {hasBubblewrap, skipped} from './needs-bubblewrap.ts';
import {repository} from './open-sandbox.ts';

/** How long a search may take until it begins, on a loaded machine. */

describe.skipIf(!hasBubblewrap)(`git beside a command that runs${skipped}`, () => {
	test('[13] a file that redirects git is removed at once, and ends the command', async () => {
		const {inHome, path, output} = await repository();
		writeFileSync(path('started'), '');
		const evil = 'mkdir e; cp -r .git/HEAD .git/objects .git/refs e; printf ../e > .git/commondir; sleep 60';
		const result = await inHome(evil);
		expect(result).toMatch(/renamed \.git\/commondir to \.git\/commondir-untrusted-\d+: it would redirect git/);
		expect(result).toMatch(/stopped after .*: it set up git to run programs/);
		expect(existsSync(path('.git/commondir'))).toBe(false);
		expect(await output('1')).toContain('not found');
	});

	test('[13] a repository that would run programs is set aside while a background job still runs', async () => {
		const {run, path, root, stop} = await repository();
		const marker = join(root, 'ran');
		await run(
			`mkdir sub bare; git init -q sub; git -C sub config core.fsmonitor 'touch ${marker}; false'; git init -q --bare bare; git -C bare config core.fsmonitor 'touch ${marker}'; touch ready; sleep 60`,
			{background: true},
		);
		await expect.poll(() => readdirSync(path('sub')).join()).toMatch(/^\.git-untrusted-\d+$/);
		await expect.poll(() => existsSync(path('bare/HEAD'))).toBe(false);
		for (const folder of ['sub', 'bare']) {
			spawnSync('git', ['status'], {cwd: path(folder)});
		}

		expect(existsSync(marker)).toBe(false);
		await stop('1');
	});

	test('[13] an awaited file is set aside while the command runs, also in a folder that it made twice', async () => {
		const {inHome, workspace, path} = await repository();
		git(workspace, 'config', 'include.path', '../a/b/git.cfg');
		const write = 'mkdir -p a/b; echo x > a/c; sleep 0.2; echo "[alias]" > a/b/git.cfg';
		const result = await inHome(
			`${write}; until [ ! -e a/b/git.cfg ]; do sleep 0.02; done; rm -r a; ${write}; sleep 60`,
		);
		expect(result).toMatch(/renamed a\/b\/git\.cfg to a\/b\/git\.cfg-untrusted-\d+: git or a hook would obey it/);
		expect(result).toMatch(/stopped after .*: it set up git to run programs/);
		expect(existsSync(path('a/b/git.cfg'))).toBe(false);
	});

	test('[13] a repository that only exists stays, also one without a work tree', async () => {
		const {run, path} = await repository();
		await run('git init -q sub; git init -q --bare bare.git');
		expect([existsSync(path('sub/.git/HEAD')), existsSync(path('bare.git/HEAD'))]).toEqual([true, true]);
	});

	test('[13] the settings and hooks of a repository without a work tree are written in no way', async () => {
		const {inHome, path, root} = await repository();
		mkdirSync(path('deep/er'), {recursive: true});
		git(path('deep/er'), 'init', '-q', '--bare', 'x.git');
		const config = () => readFileSync(path('deep/er/x.git/config'), 'utf8');
		const before = config();
		const marker = join(root, 'ran');
		for (const trick of [
			`git -C deep/er/x.git config core.fsmonitor 'touch ${marker}'`,
			'echo x > deep/er/x.git/hooks/post-update',
			`mv deep/er/x.git y && cp -r y deep/er/x.git && git -C deep/er/x.git config core.fsmonitor 'touch ${marker}'`,
		]) {
			await inHome(trick);
			expect([trick, config(), existsSync(path('deep/er/x.git/hooks/post-update'))]).toEqual([trick, before, false]);
		}

		expect(await inHome('git push -q deep/er/x.git HEAD:main && git -C deep/er/x.git log --oneline main')).toContain(
			'one',
		);
	});

	test('[13] git commits in a folder of a repository, whose settings and hooks stay as they are', async () => {
		const {workspace, path, context, run, home, head} = await repository();
		mkdirSync(path('packages/one'), {recursive: true});
		const inFolder = (command: string) =>
			run(`export HOME=${home}; ${command}`, {}, {...context, workspace: path('packages/one')});
		expect(await inFolder('echo x > new.txt && git add . && git commit -qm two && git status --short')).toMatch(
			/^\(no output\)\n\[exit status 0/,
		);
		expect(head()).toBe('2');
		const before = readFileSync(path('.git/config'), 'utf8');
		const hooks = readdirSync(path('.git/hooks'));
		for (const trick of [
			'git config core.fsmonitor ./evil',
			'echo x > ../../.git/hooks/pre-commit',
			'mv ../../.git ../../old; rm -rf ../../.git/hooks',
			'echo x > ../../a.txt; echo x > ../planted',
			'printf x > ../../.git/commondir; printf x > ../../.git/config.worktree',
			'mkdir -p .git/hooks; echo x > .git/config',
		]) {
			await inFolder(trick);
			expect([trick, readFileSync(path('.git/config'), 'utf8'), readdirSync(path('.git/hooks'))]).toEqual([
				trick,
				before,
				hooks,
			]);
			expect([trick, readFileSync(path('a.txt'), 'utf8'), readdirSync(path('packages'))]).toEqual([
				trick,
				'a\n',
				['one'],
			]);
		}

		expect(readdirSync(workspace).sort()).toEqual(['.git', 'a.txt', 'packages']);
		expect(readdirSync(path('packages/one'))).toEqual(['new.txt']);
		expect([existsSync(path('.git/commondir')), existsSync(path('.git/config.worktree'))]).toEqual([false, false]);
	});

	test('[13] in a worktree, the repository that it belongs to cannot be redirected either', async () => {
		const {root, workspace, context, run} = await repository();
		const tree = join(root, 'tree');
		git(workspace, 'worktree', 'add', '-q', tree);
		await run(`printf x > ${workspace}/.git/commondir; sleep 60`, {}, {...context, workspace: tree});
		expect(existsSync(join(workspace, '.git/commondir'))).toBe(false);
	});
});
