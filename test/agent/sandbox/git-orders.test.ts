import {spawnSync} from 'node:child_process';
import {
	appendFileSync,
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import * as fc from 'fast-check';
import {describe, expect, onTestFinished, test} from 'vitest';
import {gitOrders} from '../../../src/agent/obeyed/git-orders.ts';
import {judgePath} from '../../../src/agent/policy/rules/judge-path.ts';
import {git} from '../tools/workspace.ts';
import {hasBubblewrap, skipped} from './needs-bubblewrap.ts';
import {repository} from './open-sandbox.ts';

type Form = {
	/** What the user has set up: text for `.git/config`, for that of the home folder, and files. */
	readonly config?: string;
	readonly user?: string;
	readonly files?: Readonly<Record<string, string>>;
	readonly prepare?: (workspace: string) => void;
	/** What the agent writes: a script that leaves the marker, or this text, in which `MARKER` is its path. */
	readonly target: string;
	readonly text?: string;
	/** What the user types later. */
	readonly types: string;
};

const status = 'git status';
const commit = 'git commit -q --allow-empty -m x';
const evil = '[core]\n\tfsmonitor = "touch MARKER; false"\n';

/** `WORKSPACE` in settings is the working folder. */
const forms: Readonly<Record<string, Form>> = {
	'core.hooksPath': {config: '[core]\n\thooksPath = hooks\n', target: 'hooks/pre-commit', types: commit},
	'… with a comment': {config: '[core]\n\thooksPath = hooks ; mine\n', target: 'hooks/pre-commit', types: commit},
	'… on the line of its section': {config: '[core] hooksPath = hooks\n', target: 'hooks/pre-commit', types: commit},
	'… set twice': {
		config: '[core]\n\thooksPath = first\n[CORE]\n\tHOOKSPATH=second # last\n',
		target: 'second/pre-commit',
		types: commit,
	},
	'… on two lines': {config: '[core]\n\thooksPath = ho\\\noks\n', target: 'hooks/pre-commit', types: commit},
	'… in quotes': {config: '[core]\n\thooksPath = "my ho"oks\n', target: 'my hooks/pre-commit', types: commit},
	'… of the folder itself': {config: '[core]\n\thooksPath = WORKSPACE\n', target: 'pre-commit', types: commit},
	'… with missing folders': {
		config: '[core]\n\thooksPath = a/b/hooks\n',
		target: 'a/b/hooks/pre-commit',
		types: commit,
	},
	'… in an included file': {
		config: '[include]\n\tpath = ../conf/git.cfg\n',
		files: {'conf/git.cfg': '[core]\n\thooksPath = tools/h\n'},
		target: 'tools/h/pre-commit',
		types: commit,
	},
	'… of the user': {user: '[core]\n\thooksPath = my-hooks\n', target: 'my-hooks/pre-commit', types: commit},
	'… of the user, absolute': {user: '[core]\n\thooksPath = WORKSPACE/h\n', target: 'h/pre-commit', types: commit},
	'… of a worktree': {
		config: '[extensions]\n\tworktreeConfig = true\n',
		files: {'.git/config.worktree': '[core]\n\thooksPath = wt\n'},
		target: 'wt/pre-commit',
		types: commit,
	},
	'… of a repository inside': {
		prepare: workspace => {
			git(workspace, 'init', '-q', 'inner');
			git(join(workspace, 'inner'), 'config', 'core.hooksPath', 'hooks');
		},
		target: 'inner/hooks/pre-commit',
		types: `cd inner && ${commit}`,
	},
	'an included file': {
		config: '[include]\n\tpath = ../git.cfg\n',
		files: {'git.cfg': '[alias]\n\tst = status\n'},
		target: 'git.cfg',
		text: evil,
		types: status,
	},
	'an included file that is missing': {
		config: '[include]\n\tpath = ../git.cfg\n',
		target: 'git.cfg',
		text: evil,
		types: status,
	},
	'an included file in a missing folder': {
		config: '[include]\n\tpath = ../a/b/git.cfg\n',
		target: 'a/b/git.cfg',
		text: evil,
		types: status,
	},
	'a missing script of a filter of the user': {
		user: '[filter "x"]\n\tclean = sh clean.sh\n',
		files: {'.gitattributes': '*.txt filter=x\n'},
		target: 'clean.sh',
		types: 'echo b >> a.txt; git add -A',
	},
	'a missing script of an editor': {
		config: '[core]\n\teditor = sh -e ./tools/edit\n',
		target: 'tools/edit',
		types: 'git commit --allow-empty',
	},
	'a missing script of an alias': {
		user: '[alias]\n\tst = "!sh -eu st.py"\n',
		target: 'st.py',
		types: 'git st',
	},
	'a file that an included one includes': {
		config: '[include]\n\tpath = ../conf/one.cfg\n',
		files: {'conf/one.cfg': '[include]\n\tpath = two.cfg\n'},
		target: 'conf/two.cfg',
		text: evil,
		types: status,
	},
	'a file included on another branch': {
		config: '[includeIf "onbranch:other"]\n\tpath = ../other.cfg\n',
		target: 'other.cfg',
		text: evil,
		types: 'git checkout -q -b other; git status',
	},
	'what is named on another branch': {
		config: '[includeIf "onbranch:other"]\n\tpath = ../other.cfg\n',
		files: {'other.cfg': '[core]\n\thooksPath = later\n'},
		target: 'later/pre-commit',
		types: `git checkout -q -b other; ${commit}`,
	},
	'a file included for a remote': {
		config: '[includeIf "hasconfig:remote.*.url:https://example.com/**"]\n\tpath = ../r.cfg\n',
		target: 'r.cfg',
		text: evil,
		types: 'git remote add origin https://example.com/a; git status',
	},
	'a file that the user includes': {
		user: '[include]\n\tpath = WORKSPACE/team.cfg\n',
		target: 'team.cfg',
		text: evil,
		types: status,
	},
	'a file that the user includes for a folder': {
		user: '[includeIf "gitdir:WORKSPACE/"]\n\tpath = WORKSPACE/conf/team.cfg\n',
		files: {'conf/team.cfg': ''},
		target: 'conf/team.cfg',
		text: evil,
		types: status,
	},
	'core.fsmonitor': {
		config: '[core]\n\tfsmonitor = tools/monitor\n',
		files: {'tools/monitor': '#!/bin/sh\n'},
		target: 'tools/monitor',
		types: status,
	},
	'core.fsmonitor that is missing': {
		config: '[core]\n\tfsmonitor = ./tools/monitor\n',
		target: 'tools/monitor',
		types: status,
	},
	'a filter': {
		config: '[filter "x"]\n\tclean = sh tools/clean.sh\n',
		files: {'.gitattributes': '*.txt filter=x\n', 'tools/clean.sh': 'cat\n'},
		target: 'tools/clean.sh',
		types: 'echo b > a.txt; git diff',
	},
	'a text conversion': {
		config: '[diff "x"]\n\ttextconv = ./tools/text\n',
		files: {'.gitattributes': '*.txt diff=x\n', 'tools/text': '#!/bin/sh\ncat "$1"\n'},
		target: 'tools/text',
		types: 'git log -p',
	},
	'diff.external': {
		config: '[diff]\n\texternal = tools/diff\n',
		target: 'tools/diff',
		types: 'echo b > a.txt; git diff',
	},
	'a merge driver': {
		config: '[merge "x"]\n\tdriver = tools/merge %A\n',
		files: {'.gitattributes': '*.txt merge=x\n', 'tools/merge': '#!/bin/sh\n'},
		target: 'tools/merge',
		types:
			'git checkout -q -b side; echo b > a.txt; git commit -qam b; git checkout -q -; echo c > a.txt; git commit -qam c; git merge -q side',
	},
	'an alias': {
		config: '[alias]\n\tup = "!sh ./tools/up.sh"\n',
		files: {'tools/up.sh': 'true\n'},
		target: 'tools/up.sh',
		types: 'git up',
	},
	'an alias with a function': {
		config: '[alias]\n\tup = "!f() { \\"$GIT_PREFIX\\"./tools/up \\"$@\\"; }; f"\n',
		files: {'tools/up': '#!/bin/sh\n'},
		target: 'tools/up',
		types: 'git up',
	},
	'the pager': {
		config: '[core]\n\tpager = ./tools/pager\n',
		target: 'tools/pager',
		types: 'git --paginate log; script -qc "git log" /dev/null',
	},
	'the editor': {
		config: '[core]\n\teditor = sh tools/edit.sh\n',
		files: {'tools/edit.sh': 'true'},
		target: 'tools/edit.sh',
		types: 'git commit --allow-empty',
	},
	'the editor of a rebase': {
		config: '[sequence]\n\teditor = ./tools/sequence\n',
		target: 'tools/sequence',
		types: `${commit}; git rebase -i HEAD~1`,
	},
	'a credential helper': {
		config: '[credential]\n\thelper = "!./tools/login"\n',
		files: {'tools/login': '#!/bin/sh\n'},
		target: 'tools/login',
		types: 'printf "protocol=https\\nhost=example.com\\n\\n" | GIT_TERMINAL_PROMPT=0 git credential fill',
	},
	'a signing program': {
		config: '[gpg]\n\tprogram = ./tools/sign\n',
		target: 'tools/sign',
		types: 'git commit -S -q --allow-empty -m x',
	},
	'core.sshCommand': {
		config: '[core]\n\tsshCommand = ./tools/ssh -v\n',
		target: 'tools/ssh',
		text: '#!/bin/sh\ntouch MARKER\n',
		types: 'git ls-remote ssh://127.0.0.1/a',
	},
	'a template of new repositories': {
		user: '[init]\n\ttemplateDir = WORKSPACE/template\n',
		target: 'template/hooks/post-checkout',
		types: 'git init -q new; cd new && git commit -q --allow-empty -m x; git checkout -q -b b',
	},
	'a hook that is a link': {
		files: {'scripts/pre-commit': '#!/bin/sh\n'},
		prepare: workspace => symlinkSync('../../scripts/pre-commit', join(workspace, '.git/hooks/pre-commit')),
		target: 'scripts/pre-commit',
		types: commit,
	},
	'a folder of hooks that is a link': {
		files: {'my/hooks/other': ''},
		prepare: workspace => {
			rmSync(join(workspace, '.git/hooks'), {recursive: true});
			symlinkSync('../my/hooks', join(workspace, '.git/hooks'));
		},
		target: 'my/hooks/pre-commit',
		types: commit,
	},
	'.husky': {
		files: {'.husky/pre-push': ''},
		config: '[core]\n\thooksPath = .husky/_\n',
		target: '.husky/_/pre-commit',
		types: commit,
	},
};

/** What hooks call: an edit asks, while a command may write it, which the user is told. */
const called: Readonly<Record<string, Form>> = {
	'a script that a hook calls': {
		files: {'.git/hooks/pre-commit': '#!/bin/sh\nexec scripts/check.sh --all\n', 'scripts/check.sh': '#!/bin/sh\n'},
		target: 'scripts/check.sh',
		types: commit,
	},
	'a script that a hook will call': {
		files: {'.git/hooks/pre-commit': '#!/bin/sh\n[ -x ./lint ] && ./lint\n'},
		target: 'lint',
		types: commit,
	},
	'a script behind a variable': {
		files: {
			'.git/hooks/pre-commit': '#!/bin/sh\nTOP=$(git rev-parse --show-toplevel)\n"$TOP"/scripts/a.sh\n',
			'scripts/a.sh': '#!/bin/sh\n',
		},
		target: 'scripts/a.sh',
		types: commit,
	},
	'a script of a hook of husky': {
		config: '[core]\n\thooksPath = .husky\n',
		files: {'.husky/pre-commit': '#!/bin/sh\n. "$(dirname "$0")/../tools/hook.sh"\n', 'tools/hook.sh': 'true\n'},
		target: 'tools/hook.sh',
		types: commit,
	},
};

async function opened({config = '', user = '', files = {}, prepare}: Form) {
	const {workspace, home, path, places, inHome} = await repository();
	const marker = join(dirname(workspace), 'ran');
	appendFileSync(path('.git/config'), config.replaceAll('WORKSPACE', workspace));
	appendFileSync(join(home, '.gitconfig'), user.replaceAll('WORKSPACE', workspace));
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(path(name)), {recursive: true});
		writeFileSync(path(name), text);
		chmodSync(path(name), 0o755);
	}

	prepare?.(workspace);
	/** Types what a user types, in a terminal of the folder. */
	const type = (line: string) =>
		spawnSync('bash', ['-c', line], {
			cwd: workspace,
			env: {PATH: process.env['PATH'], HOME: home},
			stdio: 'ignore',
			timeout: 600_000,
		});
	return {workspace, path, places, inHome, marker, type};
}

const textOf = ({text = '#!/bin/sh\ntouch MARKER\ncat 2>/dev/null\nexit 0\n'}: Form, marker: string) =>
	text.replaceAll('MARKER', marker);

const everyForm = Object.entries({...forms, ...called});

describe('what git obeys', () => {
	test.each(everyForm)('%s: it would run what is written', async (_, form) => {
		const {path, marker, type} = await opened(form);
		mkdirSync(dirname(path(form.target)), {recursive: true});
		writeFileSync(path(form.target), textOf(form, marker), {mode: 0o755});
		chmodSync(path(form.target), 0o755);
		type(form.types);
		expect(existsSync(marker)).toBe(true);
	});

	test.each(everyForm)('[13] %s: an edit asks in every mode', async (_, form) => {
		const {workspace, path, places} = await opened(form);
		const real = (name: string): string =>
			existsSync(name) ? realpathSync(name) : join(real(dirname(name)), name.slice(dirname(name).length));
		const act = {kind: 'edit', path: real(path(form.target))} as const;
		expect(await judgePath(act, {folder: workspace, entries: []}, places)).toMatchObject({
			effect: 'ask',
			mayBeDenied: true,
			why: 'changes what git runs',
		});
		const other = {kind: 'edit', path: path('src/index.ts')} as const;
		expect(await judgePath(other, {folder: workspace, entries: []}, places)).toMatchObject({mayBeDenied: false});
	});

	test.skipIf(!hasBubblewrap).each(Object.entries(forms))(
		`[13] %s: a command does not get git to run anything${skipped}`,
		async (_, form) => {
			const {path, inHome, marker, type} = await opened(form);
			writeFileSync(path('evil'), textOf(form, marker), {mode: 0o755});
			const {target} = form;
			const folder = dirname(target);
			const write = `mkdir -p "${folder}"; cp evil "${target}"; chmod +x "${target}"`;
			for (const trick of [
				`${write}; rm -rf "${target}"; ${write}; cp evil other; mv -f other "${target}"; ln -f evil "${target}"`,
				`${folder === '.' ? 'true' : `mv "${folder}" away`}; ${write}; ln -sf "$PWD/evil" "${target}"; ln -sfn "$PWD" "${folder}"`,
			]) {
				await inHome(trick);
				type(form.types);
				expect([trick, existsSync(marker)]).toEqual([trick, false]);
			}
		},
	);
});

describe.skipIf(!hasBubblewrap)(`in the sandbox${skipped}`, () => {
	test('[13] an included file that is reached through a link is not swapped with the link', async () => {
		const {path, inHome, marker, type} = await opened({
			config: '[include]\n\tpath = ../conf/git.cfg\n',
			files: {'real/git.cfg': ''},
			prepare: workspace => symlinkSync('real', join(workspace, 'conf')),
			target: '',
			types: '',
		});
		writeFileSync(path('git.cfg'), evil.replace('MARKER', marker));
		const result = await inHome('rm conf; mkdir conf; cp git.cfg conf/git.cfg');
		expect(result).toMatch(/renamed conf to conf-untrusted-\d+/);
		type(status);
		expect(existsSync(marker)).toBe(false);
	});

	test('[13] a file of settings in git’s own folder is not written', async () => {
		const {path, inHome, marker, type} = await opened({config: '[include]\n\tpath = more\n', target: '', types: ''});
		writeFileSync(path('more'), evil.replace('MARKER', marker));
		await inHome('cp more .git/more');
		type(status);
		expect([existsSync(marker), existsSync(path('.git/more'))]).toEqual([false, false]);
	});

	test('[13] steps that an unfinished rebase would run become comments, those of the user stay', async () => {
		const {path, inHome, marker, type} = await opened({target: '', types: ''});
		await inHome(`git commit -q --allow-empty -m two; git commit -q --allow-empty -m three`);
		const result = await inHome(`git rebase -q -x false -x "touch ${marker}" HEAD~2; true`);
		expect(result).toContain('[The sandbox turned what rebase-merge/git-rebase-todo would run into comments');
		type('git rebase --continue');
		expect([existsSync(marker), existsSync(path('.git/rebase-merge'))]).toEqual([false, false]);
		type(`git rebase -q -x false -x "touch ${marker}" HEAD~2`);
		expect(await inHome('git status')).not.toContain('[The sandbox');
		type('git rebase --continue');
		expect(existsSync(marker)).toBe(true);
	});

	test('[13] a rebase that a command planted runs nothing', async () => {
		const {path, inHome, marker, type} = await opened({target: '', types: ''});
		const evilStep = `x touch ${marker}`;
		for (const trick of [
			`printf '%s\\n' '${evilStep}' >> "$todo"`,
			`printf '\\t%s\\n' '${evilStep.replace('x ', 'exec ')}' >> "$todo"`,
			`printf '%s\\n' '${evilStep}' > t; ln -sf "$PWD/t" "$todo"`,
			`printf '%s\\n' '${evilStep}' > t; ln -f t "$todo"`,
			`printf '%s\\n' '${evilStep}' >> "$todo"; mv .git/rebase-merge e; ln -s ../e .git/rebase-merge`,
		]) {
			await inHome(
				`git commit -q --allow-empty -m two; GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -qi HEAD~1; todo=.git/rebase-merge/git-rebase-todo; ${trick}`,
			);
			type('git rebase --continue; git rebase --abort');
			expect([trick, existsSync(marker)]).toEqual([trick, false]);
			rmSync(path('.git/rebase-merge'), {recursive: true, force: true});
		}
	});

	test.each([
		['a new repository', 'mkdir n; cd n; git init -q; git commit -q --allow-empty -m one', 'cd n'],
		['a new worktree', 'git worktree add -q n; cd n', 'cd n'],
		[
			'a new repository elsewhere',
			'git init -q --separate-git-dir m n; cd n; git commit -q --allow-empty -m one',
			'cd n',
		],
	])('[13] a rebase that a command planted in %s runs nothing', async (_, make, enter) => {
		const {path, inHome, marker, type} = await opened({target: '', types: ''});
		const result = await inHome(
			`${make}; git commit -q --allow-empty -m two; GIT_SEQUENCE_EDITOR='sed -i s/pick/edit/' git rebase -qi HEAD~1; echo 'x touch ${marker}' >> "$(git rev-parse --git-dir)/rebase-merge/git-rebase-todo"`,
		);
		expect(result).toContain('[The sandbox turned what rebase-merge/git-rebase-todo would run into comments');
		type(`${enter} && git rebase --continue`);
		expect([existsSync(marker), existsSync(path('n/.git'))]).toEqual([false, true]);
	});

	test('[13] a new repository with a setting that runs a program is set aside, a plain one stays', async () => {
		const {path, inHome} = await opened({target: '', types: ''});
		const set = (name: string, value: string) => `git init -q n && git -C n config ${name} '${value}'`;
		for (const [name, value, isKept] of [
			['user.name', 'me', true],
			['commit.gpgSign', 'false', true],
			['core.hooksPath', '/dev/null', true],
			['remote.o.url', 'https://example.com/a', true],
			['protocol.file.allow', 'always', true],
			['remote.o.url', 'ext::sh a', false],
			['remote.o.uploadPack', './a', false],
			['pager.log', './a', false],
			['core.hooksPath', '1', false],
			['interactive.diffFilter', './a', false],
			['submodule.a.update', '!./a', false],
			['lfs.customtransfer.a.path', './a', false],
			['gc.recentObjectsHook', './a', false],
			['include.path', '../../a', false],
		] as const) {
			await inHome(set(name, value));
			expect([name, value, existsSync(path('n/.git'))]).toEqual([name, value, isKept]);
			rmSync(path('n'), {recursive: true});
		}
	});

	test('git works as before beside settings that name files of the folder', async () => {
		const {inHome, path} = await opened({
			config:
				'[include]\n\tpath = ../git.cfg\n[core]\n\thooksPath = tools/hooks\n[filter "x"]\n\tclean = sh tools/clean.sh\n',
			files: {
				'git.cfg': '[alias]\n\tst = status --short\n',
				'tools/hooks/pre-commit': '#!/bin/sh\ntouch ran-here\n',
				'tools/clean.sh': 'cat\n',
				'.gitattributes': '*.txt filter=x\n',
			},
			target: '',
			types: '',
		});
		const result = await inHome(
			'git add . && git commit -qm two && git checkout -q -b b && echo c > a.txt && git stash -q && git stash pop -q && git commit -qam three && git rebase -q HEAD~1 && git st && git log --format=%s',
		);
		expect(result).toContain('three\ntwo\none\n');
		expect(existsSync(path('ran-here'))).toBe(true);
	});
});

test('[13] git is asked without starting anything of the folder', async () => {
	const form = forms['core.fsmonitor'] ?? expect.fail();
	const {workspace, places, path, marker} = await opened({
		...form,
		config: `${form.config}[alias]\n\tconfig = "!touch MARKER"\n[core]\n\tpager = ./tools/monitor\n[pager]\n\tconfig = ./tools/monitor\n[include]\n\tpath = ../x\n`,
	});
	writeFileSync(path('tools/monitor'), textOf(form, marker), {mode: 0o755});
	writeFileSync(path('git'), textOf(form, marker), {mode: 0o755});
	const before = process.env['PATH'];
	onTestFinished(() => {
		process.env['PATH'] = before;
	});
	process.env['PATH'] = `${workspace}:.:${before}`;
	const orders = await gitOrders({
		workspace,
		homeFolder: places.homeFolder,
		repositories: {folders: [workspace], bare: []},
	});
	expect([orders.isComplete, existsSync(marker)]).toEqual([true, false]);
	expect([...orders.settings]).toContain(path('x'));
});

test('[13] if git can not be asked, every file with the name of a hook asks', async () => {
	const {workspace, places, path} = await opened({config: '[broken\n', target: '', types: ''});
	for (const [name, isHook] of [
		['any/pre-commit', true],
		['any/Post-Checkout', true],
		['fsmonitor-watchman', true],
		['any/pre-commit.ts', false],
	] as const) {
		const verdict = await judgePath({kind: 'edit', path: path(name)}, {folder: workspace, entries: []}, places);
		expect([name, verdict]).toMatchObject([name, {mayBeDenied: isHook}]);
	}
});

test('git is asked again when a file of its answer changed, and only then', async () => {
	const {workspace, places, path} = await opened({config: '[include]\n\tpath = ../a.cfg\n', target: '', types: ''});
	const ask = () =>
		gitOrders({workspace, homeFolder: places.homeFolder, repositories: {folders: [workspace], bare: []}});
	const first = await ask();
	expect(await ask()).toBe(first);
	writeFileSync(path('a.cfg'), '[core]\n\thooksPath = later\n');
	expect([...(await ask()).folders]).toContain(path('later'));
	rmSync(path('a.cfg'));
	expect([...(await ask()).folders]).not.toContain(path('later'));
	writeFileSync(path('.git/hooks/pre-push'), 'exec scripts/push.sh');
	expect([...(await ask()).called]).toContain(path('scripts/push.sh'));
});

test('a package.json whose script a hook calls asks when that script changes', async () => {
	const {workspace, places, path} = await opened({
		files: {'.git/hooks/pre-commit': '#!/bin/sh\nnpm run check\n'},
		target: '',
		types: '',
	});
	const judged = (scripts: object) =>
		judgePath(
			{kind: 'edit', path: path('package.json'), text: {before: '{"scripts": {}}', after: JSON.stringify({scripts})}},
			{folder: workspace, entries: []},
			places,
		);
	expect(await judged({check: 'touch x'})).toMatchObject({mayBeDenied: true});
	expect(await judged({build: 'touch x'})).toMatchObject({mayBeDenied: false});
});

test('whatever settings look like, the folder of hooks and the included files are those that git names', async () => {
	const root = realpathSync(mkdtempSync(join(tmpdir(), 'service-orders-')));
	onTestFinished(() => rmSync(root, {recursive: true, force: true}));
	git(root, 'init', '-q');
	const env = {PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1'};
	const name = fc.constantFrom('hooks', 'a/b', 'my hooks', '.h', 'x#y', 'tab\there', 'q"q', 'é');
	const spelled = name.chain(value =>
		fc.constantFrom(
			`"${value.replaceAll('"', '\\"').replaceAll('\t', '\\t')}"`,
			`"${value.replaceAll('"', '\\"').replaceAll('\t', '\\t')}" ; c`,
			`${value.replaceAll('"', '\\"')}`,
			`${value.slice(0, 1)}\\\n${value.slice(1).replaceAll('"', '\\"')} # c`,
		),
	);
	const line = fc.oneof(
		fc.tuple(fc.constantFrom('[core]\n\thooksPath = ', '[CORE] HooksPath=', '[core]\nx = 1\nhookspath\t=\t'), spelled),
		fc.tuple(fc.constantFrom('[include]\npath = ', '[includeIf "onbranch:b"] path = '), spelled),
		fc.tuple(
			fc.constantFrom('# [core] hooksPath = ', '; [include] path = ', '[alias]\nz = '),
			spelled.map(text => text.split('\n')[0] ?? ''),
		),
	);
	let valid = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(line, {maxLength: 6}), async lines => {
			const text = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n${lines.map(each => `${each.join('')}\n`).join('')}`;
			writeFileSync(join(root, '.git/config'), text);
			const said = spawnSync('git', ['config', '--list', '-z', '--file', '.git/config'], {cwd: root, env});
			const orders = await gitOrders({workspace: root, homeFolder: root, repositories: {folders: [root], bare: []}});
			if (said.status !== 0) {
				expect(orders.isComplete).toBe(false);
				return;
			}

			valid++;
			const values = (key: RegExp) =>
				said.stdout
					.toString()
					.split('\0')
					.flatMap(entry => (key.test(entry) ? [entry.slice(entry.indexOf('\n') + 1)] : []));
			for (const value of values(/^core\.hookspath\n/)) {
				expect([...orders.folders]).toContain(resolve(root, value));
			}

			const included = values(/^include(?:if\..*)?\.path\n/).map(value => resolve(root, '.git', value));
			const ours = [...orders.settings].filter(
				path => path.startsWith(`${root}/.git/`) && !/\/config(?:\.worktree)?$/.test(path),
			);
			expect(new Set(ours)).toEqual(new Set(included));
		}),
		{numRuns: 150},
	);
	expect(valid).toBeGreaterThan(50);
});
