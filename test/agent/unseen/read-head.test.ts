import {execFileSync, spawnSync} from 'node:child_process';
import {
	appendFileSync,
	chownSync,
	cpSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import fc from 'fast-check';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {headOf} from '../../../src/agent/unseen/committed-files.ts';
import {readHead} from '../../../src/agent/unseen/read-head.ts';
import {git, makeWorkspace, writeAll} from '../tools/workspace.ts';

const files = {'sub/deep/a.txt': 'a\n'};
const template = mkdtempSync(join(tmpdir(), 'service-head-'));
beforeAll(async () => {
	await writeAll(template, files);
	git(template, 'init', '-q', '-b', 'main');
	git(template, 'add', '-A');
	git(template, 'commit', '-qm', 'one');
	git(template, 'branch', 'old');
	git(template, 'commit', '-qm', 'two', '--allow-empty');
});
afterAll(() => rmSync(template, {recursive: true, force: true}));

/** A repository of two commits, and what changes its files. It is a copy, which takes no git. */
async function repository() {
	const {workspace, root} = await makeWorkspace(files);
	cpSync(join(template, '.git'), join(workspace, '.git'), {recursive: true});
	const path = (name: string) => join(workspace, '.git', name);
	const id = (name: string) => execFileSync('git', ['rev-parse', name], {cwd: workspace, encoding: 'utf8'}).trim();
	return {
		...{root, workspace, path, id},
		text: (name: string) => readFileSync(path(name), 'utf8'),
		write(name: string, text: string) {
			mkdirSync(dirname(path(name)), {recursive: true});
			writeFileSync(path(name), text);
		},
	};
}

/** Returns what git says in each folder. One shell asks: a process costs less to start there than here. */
function gitSaysIn(folders: readonly string[]): readonly (string | undefined)[] {
	const ask = 'for folder; do (cd "$folder" && git rev-parse --verify --quiet HEAD) 2>/dev/null || echo; done';
	const {stdout} = spawnSync('sh', ['-c', ask, 'sh', ...folders], {encoding: 'utf8'});
	return stdout
		.split('\n')
		.slice(0, -1)
		.map(line => line || undefined);
}

const gitSays = (folder: string) => gitSaysIn([folder])[0];

type Opened = Awaited<ReturnType<typeof repository>>;

/** What happens to a repository on a usual day. Each may fail, as it does for a user. */
const steps: Readonly<Record<string, (opened: Opened, name: string) => void>> = {
	commit: ({workspace}) => git(workspace, 'commit', '-qm', 'more', '--allow-empty'),
	branch: ({workspace}, name) => git(workspace, 'checkout', '-qb', name),
	'a branch without a commit': ({workspace}, name) => git(workspace, 'checkout', '-q', '--orphan', name),
	checkout: ({workspace}, name) => git(workspace, 'checkout', '-q', name),
	'back to main': ({workspace}) => git(workspace, 'checkout', '-qf', 'main'),
	detach: ({workspace}) => git(workspace, 'checkout', '-q', '--detach'),
	'delete a branch': ({workspace}, name) => git(workspace, 'branch', '-D', name),
	'rename the branch': ({workspace}, name) => git(workspace, 'branch', '-m', name),
	tag: ({workspace}, name) => git(workspace, 'tag', '-am', 'x', name),
	'pack the refs': ({workspace}) => git(workspace, 'pack-refs', '--all'),
	gc: ({workspace}) => git(workspace, 'gc', '-q'),
	reset: ({workspace}) => git(workspace, 'reset', '-q', '--hard', 'old'),
	worktree: ({workspace}) => git(workspace, 'worktree', 'add', '-f', 'sub/tree', 'old'),
	'commit in the worktree': ({workspace}) => git(join(workspace, 'sub/tree'), 'commit', '-qm', 'w', '--allow-empty'),
	submodule: ({workspace}) =>
		git(workspace, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-f', './', 'sub/module'),
	'commit in the submodule': ({workspace}) => git(join(workspace, 'sub/module'), 'commit', '-qm', 'm', '--allow-empty'),
};

test('[12] the commit that is checked out is the one that git says, on any day of a repository', async () => {
	const opened = await repository();
	const names = fc.constantFrom('next', 'feature/x', 'a.b', 'v1', 'HEAD', 'größe', 'fix#1@2', 'feature/x/y');
	await fc.assert(
		fc.asyncProperty(fc.constantFrom(...Object.keys(steps)), names, async (step, name) => {
			try {
				steps[step]?.(opened, name);
			} catch {
				// Git refuses it.
			}

			const places = ['', 'sub/deep', 'sub/tree', 'sub/module', '.git', '.git/refs'];
			const folders = places.map(place => join(opened.workspace, place));
			const heads = await Promise.all(folders.map(headOf));
			expect(heads, `after ${step} ${name}`).toEqual(gitSaysIn(folders));
		}),
		{numRuns: 50, endOnFailure: true},
	);
});

test.each<[string, (opened: Opened) => unknown]>([
	['a branch', () => undefined],
	['a branch in a list', ({workspace}) => git(workspace, 'pack-refs', '--all')],
	['a tag in a list', ({workspace}) => [git(workspace, 'tag', '-am', 'x', 'v1'), git(workspace, 'gc', '-q')]],
	['a commit', ({workspace}) => git(workspace, 'checkout', '-q', '--detach')],
	['a folder that a sandbox mounted', ({workspace}) => mkdirSync(join(workspace, 'sub/deep/.git'))],
	['no repository', ({workspace}) => rmSync(join(workspace, '.git'), {recursive: true})],
])('git is not started for %s', async (_, change) => {
	const opened = await repository();
	change(opened);
	const folder = join(opened.workspace, 'sub/deep');
	expect(await readHead(folder)).toEqual({commit: gitSays(folder)});
});

/** What a command can make of the files that name the commit, or what few repositories have. */
const unusual: ReadonlyArray<readonly [string, (opened: Opened) => unknown]> = [
	['a branch without a commit', ({write}) => write('HEAD', 'ref: refs/heads/none\n')],
	[
		'one beside a branch called HEAD',
		({write, id}) => [write('refs/heads/HEAD', `${id('old')}\n`), write('HEAD', 'ref: refs/heads/none\n')],
	],
	['a HEAD without its end', ({write}) => write('HEAD', 'ref: refs/heads/old')],
	['a HEAD with more', ({write}) => write('HEAD', 'ref: refs/heads/old \n\n')],
	['a HEAD with dots', ({write}) => write('HEAD', 'ref: refs/heads/../heads/old\n')],
	[
		'a HEAD with a name that is refused',
		({write, id}) => [write('refs/heads/old.lock', `${id('old')}\n`), write('HEAD', 'ref: refs/heads/old.lock\n')],
	],
	[
		'a HEAD that is no branch',
		({workspace, write}) => [git(workspace, 'tag', 'v1', 'old'), write('HEAD', 'ref: refs/tags/v1\n')],
	],
	['a HEAD that is a link', ({path}) => [rmSync(path('HEAD')), symlinkSync('refs/heads/old', path('HEAD'))]],
	[
		'a HEAD that is a link elsewhere',
		({root, path}) => [renameSync(path('HEAD'), join(root, 'HEAD')), symlinkSync(join(root, 'HEAD'), path('HEAD'))],
	],
	['an empty HEAD', ({write}) => write('HEAD', '')],
	[
		'a branch that is a link',
		({path}) => [rmSync(path('refs/heads/main')), symlinkSync('refs/heads/old', path('refs/heads/main'))],
	],
	[
		'a branch that is a file elsewhere',
		({path}) => [rmSync(path('refs/heads/main')), symlinkSync('old', path('refs/heads/main'))],
	],
	['a branch that is another', ({write}) => write('refs/heads/main', 'ref: refs/heads/old\n')],
	['a branch in capitals', ({write, id}) => write('refs/heads/main', `${id('old').toUpperCase()}\n`)],
	['a branch with more', ({write, id}) => write('refs/heads/main', `${id('old')} x\n`)],
	['a branch with less', ({write, id}) => write('refs/heads/main', id('old').slice(1))],
	['a branch that is zero', ({write}) => write('refs/heads/main', `${'0'.repeat(40)}\n`)],
	[
		'a branch that is a folder',
		({workspace, path}) => [git(workspace, 'pack-refs', '--all'), mkdirSync(path('refs/heads/main'))],
	],
	[
		'a list in another order',
		({write, id, path}) => [
			write(
				'packed-refs',
				`# pack-refs with: peeled fully-peeled sorted \n${id('old')} refs/heads/zzz\n${id('main')} refs/heads/main\n${id('old')} refs/heads/a\n`,
			),
			rmSync(path('refs/heads/main')),
		],
	],
	[
		'a list with a branch twice',
		({write, id, path}) => [
			write(
				'packed-refs',
				`# pack-refs with: peeled fully-peeled sorted \n${id('old')} refs/heads/main\n${id('main')} refs/heads/main\n${id('old')} refs/heads/main\n`,
			),
			rmSync(path('refs/heads/main')),
		],
	],
	[
		'a list without order',
		({write, id, path}) => [
			write('packed-refs', `${id('old')} refs/heads/zzz\n${id('main')} refs/heads/main\n`),
			rmSync(path('refs/heads/main')),
		],
	],
	[
		'a list without its end',
		({write, id, path}) => [write('packed-refs', `${id('main')} refs/heads/main`), rmSync(path('refs/heads/main'))],
	],
	[
		'a list with another line',
		({write, id, path}) => [
			write('packed-refs', `x\n${id('main')} refs/heads/main\n`),
			rmSync(path('refs/heads/main')),
		],
	],
	[
		'a common folder',
		({root, write, workspace}) => [
			git(root, 'clone', '-q', '-b', 'old', workspace, 'other'),
			write('commondir', join(root, 'other/.git\n')),
		],
	],
	['another kind of references', ({path}) => appendFileSync(path('config'), '[extensions]\n\trefStorage = reftable\n')],
	['another version', ({workspace}) => git(workspace, 'config', 'core.repositoryFormatVersion', '5')],
	[
		'long ids',
		({workspace, path}) => [
			rmSync(path(''), {recursive: true}),
			git(workspace, 'init', '-q', '--object-format=sha256'),
			git(workspace, 'commit', '-qm', 'x', '--allow-empty'),
		],
	],
	[
		'a .git that is a link',
		({root, workspace, path}) => [
			renameSync(path(''), join(root, 'git')),
			symlinkSync(join(root, 'git'), join(workspace, '.git')),
		],
	],
	[
		'a .git that is a file',
		({root, workspace, path}) => [
			renameSync(path(''), join(root, 'git')),
			writeFileSync(join(workspace, '.git'), `gitdir: ${root}/git\n`),
		],
	],
	['a .git without objects', ({path}) => rmSync(path('objects'), {recursive: true})],
	[
		'a folder that is a repository',
		({root, workspace, path}) => [
			git(root, 'clone', '-q', '--bare', '-b', 'old', path(''), 'bare'),
			rmSync(join(workspace, 'sub'), {recursive: true}),
			renameSync(join(root, 'bare'), join(workspace, 'sub')),
			mkdirSync(join(workspace, 'sub/deep')),
		],
	],
	['files of another user', ({workspace}) => process.getuid?.() === 0 && chownSync(workspace, 1234, 1234)],
];

test.each(unusual)('[12] of %s, git says which commit is checked out', async (_, change) => {
	const opened = await repository();
	change(opened);
	const folder = join(opened.workspace, 'sub/deep');
	const said = gitSays(folder);
	expect(await headOf(folder)).toBe(said);
	expect([undefined, {commit: said}]).toContainEqual(await readHead(folder));
});
