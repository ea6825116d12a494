import {execFileSync} from 'node:child_process';
import {chmod, cp, mkdir, readdir, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, expect, test} from 'vitest';
import {git, writeAll} from '../../tools/workspace.ts';
import {openPolicy} from '../judging.ts';

const {root, workspace, judgeCommand} = openPolicy({});
const path = (...names: readonly string[]) => join(workspace(), ...names);
const canary = () => join(root(), 'canary.sh');
const commands = ['git status', 'git diff', 'git log -p', 'git show', 'git blame a.txt', 'git grep a'];

/** Creates a repository with a changed file. */
async function createRepository(name: string): Promise<string> {
	const folder = path(name);
	await writeAll(folder, {'a.txt': 'a\n', '.gitattributes': '* filter=x diff=x\n'});
	git(folder, 'init', '-q', '-b', 'main');
	git(folder, 'add', '.');
	git(folder, 'commit', '-q', '-m', 'first');
	await writeFile(join(folder, 'a.txt'), 'b\n');
	return folder;
}

beforeAll(async () => {
	// Whatever starts it leaves a file.
	await writeFile(canary(), `#!/bin/sh\ntouch "${join(root(), 'canary-')}$$"\ncat\n`);
	await chmod(canary(), 0o755);
});

async function expectAsked(folder: string, which: readonly string[] = commands): Promise<void> {
	for (const command of which) {
		expect(await judgeCommand(`cd ${folder} && ${command}`), command).toMatchObject({effect: 'ask'});
	}

	expect((await readdir(root())).filter(name => name.startsWith('canary-'))).toEqual([]);
}

test('git runs unasked in a repository with usual settings', async () => {
	const folder = await createRepository('usual');
	git(folder, 'remote', 'add', 'origin', 'https://example.com/a.git');
	git(folder, 'config', 'core.autocrlf', 'input');
	git(folder, 'config', 'core.hooksPath', '.husky');
	for (const command of [...commands, 'git remote -v']) {
		expect(await judgeCommand(`git -C usual ${command.slice(4)}`), command).toMatchObject({effect: 'allow'});
	}
});

test.each([
	['core.fsmonitor', () => canary()],
	['core.pager', () => canary()],
	['diff.external', () => canary()],
	['diff.x.command', () => canary()],
	['diff.x.textconv', () => canary()],
	['filter.x.clean', () => canary()],
	['filter.x.process', () => canary()],
	['gpg.program', () => canary()],
	['log.showSignature', () => 'true'],
	['pager.log', () => canary()],
	['core.worktree', () => '/'],
	['include.path', () => join(root(), 'more')],
	['extensions.partialClone', () => 'origin'],
	['remote.origin.promisor', () => 'true'],
	['remote.origin.uploadpack', () => canary()],
	['mailmap.file', () => '/etc/passwd'],
])(
	'[14] git asks in a repository that sets %s, and starts nothing',
	async (name, value) => {
		const folder = await createRepository(name.replaceAll('.', '-').toLowerCase());
		git(folder, 'config', name, value());
		await expectAsked(name.replaceAll('.', '-').toLowerCase(), ['git status', 'git log -p']);
	},
	20_000,
);

test('[14] git asks in a repository with a hook that reading starts', async () => {
	const folder = await createRepository('hooked');
	await mkdir(join(folder, '.git/hooks'), {recursive: true});
	await cp(canary(), join(folder, '.git/hooks/post-index-change'));
	await expectAsked('hooked', ['git status']);
	await createRepository('hooks-elsewhere');
	git(path('hooks-elsewhere'), 'config', 'core.hooksPath', 'mine');
	await mkdir(path('hooks-elsewhere/mine'));
	await cp(canary(), path('hooks-elsewhere/mine/post-index-change'));
	await expectAsked('hooks-elsewhere', ['git status']);
});

test('[14] git asks in a folder that is a repository itself', async () => {
	execFileSync('git', ['init', '-q', '--bare', path('bare')]);
	git(path('bare'), 'config', 'core.fsmonitor', canary());
	await expectAsked('bare', ['git status', 'git log']);
	// As the contents of another repository bring it.
	await writeAll(path('planted'), {
		HEAD: 'ref: refs/heads/main\n',
		config: `[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${canary()}\n`,
		'objects/a': '',
		'refs/a': '',
	});
	await expectAsked('planted', ['git status', 'git log']);
});

test('[14] git asks in a folder whose .git file leads to other settings', async () => {
	await createRepository('elsewhere');
	git(path('elsewhere'), 'config', 'core.fsmonitor', canary());
	await writeAll(path('worktree'), {'.git': 'gitdir: ../elsewhere/.git\n'});
	await expectAsked('worktree', ['git status', 'git diff']);
	await mkdir(path('linked'));
	await symlink('../elsewhere/.git', path('linked/.git'));
	await expectAsked('linked', ['git status', 'git diff']);
});

test('[14] git asks outside of the repositories of the working folder', async () => {
	await mkdir(path('plain'));
	await expectAsked('plain', ['git status', 'git diff']);
	git(root(), 'init', '-q');
	await expectAsked('plain', ['git status', 'git diff']);
});

test('[14] git asks in a repository with a submodule, whose settings differ', async () => {
	const folder = await createRepository('outer');
	await createRepository('outer/inner');
	git(path('outer/inner'), 'config', 'core.fsmonitor', canary());
	git(folder, 'add', 'inner');
	await expectAsked('outer', ['git status', 'git diff', 'git blame a.txt']);
});

test('[13] git asks before it prints tracked files whose names suggest secrets', async () => {
	const folder = await createRepository('secret');
	expect(await judgeCommand('git -C secret diff')).toMatchObject({effect: 'allow'});
	await writeAll(folder, {'.env': 'KEY=1\n'});
	git(folder, 'add', '-f', '.env');
	for (const command of [
		'diff --staged',
		'diff HEAD',
		'show',
		'log -p',
		'grep KEY',
		'show :.env',
		'cat-file -p :.env',
	]) {
		expect(await judgeCommand(`git -C secret ${command}`), command).toMatchObject({effect: 'ask'});
	}

	expect(await judgeCommand('git -C secret status && git -C secret diff')).toMatchObject({effect: 'allow'});
	const [blob, other] = execFileSync('git', ['rev-parse', ':.env', ':a.txt'], {cwd: folder, encoding: 'utf8'}).split(
		'\n',
	);
	const empty = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
	for (const command of [
		`diff ${other} ${blob?.slice(0, 8)}`,
		`diff :a.txt ${blob}`,
		`show ${blob}`,
		`diff ${empty} --cached`,
	]) {
		expect(await judgeCommand(`git -C secret ${command}`), command).toMatchObject({effect: 'ask'});
	}
});

test('[8] git asks before it shows an address with a password', async () => {
	const folder = await createRepository('password');
	git(folder, 'remote', 'add', 'origin', 'https://user:token@example.com/a.git');
	expect(await judgeCommand('git -C password remote -v')).toMatchObject({effect: 'ask'});
});
