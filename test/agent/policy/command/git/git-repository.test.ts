import {execFileSync} from 'node:child_process';
import {chmod, cp, mkdir, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {beforeAll, expect, test} from 'vitest';
import {git, writeAll} from '../../../tools/workspace.ts';
import {openPolicy} from '../../judging.ts';

const {root, workspace, judgeCommand} = openPolicy({});
const path = (...names: readonly string[]) => join(workspace(), ...names);
const canary = () => join(root(), 'canary.sh');
const commands = ['git status', 'git diff', 'git log -p', 'git show', 'git blame a.txt', 'git grep a'];

/** Creates a repository with a changed file. */
async function createRepository(name: string): Promise<string> {
	const folder = path(name);
	await cp(join(root(), 'template'), folder, {recursive: true});
	await writeFile(join(folder, 'a.txt'), 'b\n');
	return folder;
}

beforeAll(async () => {
	const template = join(root(), 'template');
	await writeAll(template, {'a.txt': 'a\n', '.gitattributes': '* filter=x diff=x\n'});
	// Without the examples of hooks, which each copy would copy.
	git(template, 'init', '-q', '-b', 'main', '--template=');
	git(template, 'add', '.');
	git(template, 'commit', '-q', '-m', 'first');
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
])('[14] git asks in a repository that sets %s, and starts nothing', async (name, value) => {
	const folder = await createRepository(name.replaceAll('.', '-').toLowerCase());
	git(folder, 'config', name, value());
	await expectAsked(name.replaceAll('.', '-').toLowerCase(), ['git status', 'git log -p']);
});

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

test('[14] git asks if the data of a repository is that of another one, outside of the working folder', async () => {
	const other = join(root(), 'other');
	await mkdir(other);
	git(other, 'init', '-q');
	git(other, 'commit', '-qm', 'theirs', '--allow-empty');
	const reads = ['git log', 'git show', 'git cat-file -p HEAD', 'git status'];

	await writeAll(path('by-file'), {'.git': `gitdir: ${other}/.git\n`});
	await mkdir(path('by-link'));
	await symlink(join(other, '.git'), path('by-link/.git'));
	await createRepository('by-commondir');
	await writeFile(path('by-commondir/.git/commondir'), `${other}/.git\n`);
	await createRepository('by-alternates');
	await writeFile(path('by-alternates/.git/objects/info/alternates'), `${other}/.git/objects\n`);
	await createRepository('by-objects');
	await rm(path('by-objects/.git/objects'), {recursive: true});
	await symlink(join(other, '.git/objects'), path('by-objects/.git/objects'));
	await createRepository('by-pack');
	await rm(path('by-pack/.git/objects/pack'), {recursive: true});
	await symlink(join(other, '.git/objects/pack'), path('by-pack/.git/objects/pack'));
	for (const name of ['by-file', 'by-link', 'by-commondir', 'by-alternates', 'by-objects', 'by-pack']) {
		await expectAsked(name, reads);
		expect([name, await judgeCommand(`git -C ${name} show`)]).toMatchObject([name, {effect: 'ask'}]);
	}
});

test('[14] git asks before it prints a secret file that only its history has', async () => {
	const folder = await createRepository('history');
	await writeAll(folder, {'.env': 'KEY=old\n', 'b.txt': 'b\n'});
	git(folder, 'add', '.');
	git(folder, 'commit', '-qm', 'with a key');
	const blob = execFileSync('git', ['rev-parse', 'HEAD:.env'], {cwd: folder}).toString().trim();
	git(folder, 'rm', '-q', '.env');
	git(folder, 'commit', '-qam', 'without it');
	await writeAll(folder, {'b.txt': 'bb\n'});
	git(folder, 'commit', '-qam', 'later');
	const leaks = [
		'log -p',
		'log -p --graph --oneline',
		'log -3 -U1',
		'show HEAD~2',
		'show HEAD HEAD~1',
		'log -p --reverse -- .',
	];
	for (const leak of [
		...leaks,
		`show ${blob}`,
		`cat-file -p ${blob}`,
		'grep KEY HEAD~2',
		`grep KEY ${blob.slice(0, 8)}`,
	]) {
		expect([leak, await judgeCommand(`git -C history ${leak}`)]).toMatchObject([leak, {effect: 'ask'}]);
	}

	for (const harmless of [
		'log',
		'log --stat',
		'show',
		'log -p -1',
		'show HEAD',
		'log -p -- a.txt',
		'grep b',
		'grep b HEAD',
	]) {
		expect([harmless, await judgeCommand(`git -C history ${harmless}`)]).toMatchObject([harmless, {effect: 'allow'}]);
	}
});

test('git reads a worktree that its repository knows, wherever that is', async () => {
	const other = join(root(), 'known');
	await mkdir(other);
	git(other, 'init', '-q');
	git(other, 'commit', '-qm', 'one', '--allow-empty');
	git(other, 'worktree', 'add', '-q', path('tree'));
	expect(await judgeCommand('git -C tree log')).toMatchObject({effect: 'allow'});
	await writeAll(path('copy'), {'.git': await readFile(path('tree/.git'), 'utf8')});
	expect(await judgeCommand('git -C copy log')).toMatchObject({effect: 'ask'});
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
