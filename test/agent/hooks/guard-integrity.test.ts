import {chmodSync, existsSync, readFileSync, symlinkSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {judge} from '../../../src/agent/approval/ruling.ts';
import {createHooks} from '../../../src/agent/hooks.ts';
import {filesOfHook} from '../../../src/agent/obeyed/hook-orders.ts';
import {parseRule} from '../../../src/agent/policy/rules/rule.ts';
import {createCommandSession} from '../../../src/agent/tools/command/command-session.ts';
import {openWindow} from '../../../src/agent/unseen/change-window.ts';
import {createUnseenOnce} from '../../../src/agent/unseen/start-gate.ts';
import {hasBubblewrap, skipped} from '../sandbox/needs-bubblewrap.ts';
import {git, makeWorkspace, writeAll} from '../tools/workspace.ts';

const live = new AbortController().signal;
const no = '#!/bin/sh\necho guarded >&2; exit 2\n';
const noJs = 'console.error("guarded"); process.exit(2);\n';
const noPy = 'import sys\nsys.stderr.write("guarded")\nsys.exit(2)\n';

/** A repository with a guard that says no to everything, and what the agent can do to it in the mode `edits`. */
async function guarded(command: string, files: Readonly<Record<string, string>>, links: Record<string, string> = {}) {
	const {workspace, stateFolder, root} = await makeWorkspace({'a.txt': 'a\n', ...files});
	for (const path of Object.keys(files)) {
		chmodSync(join(workspace, path), 0o755);
	}

	for (const [path, target] of Object.entries(links)) {
		symlinkSync(target, join(workspace, path));
	}

	git(workspace, 'init', '-q');
	git(workspace, 'add', '.');
	git(workspace, 'commit', '-qm', 'one');
	const places = {stateFolder, homeFolder: root, hooks: async () => [command]};
	const commands = createCommandSession({places});
	onTestFinished(() => commands.end());
	const hooks = createHooks({
		hooks: [{event: 'before-tool', command}],
		session: 's',
		folder: workspace,
		root: workspace,
		commands,
		hide: text => text,
		mayLeave: async () => ({refused: 'no', notes: []}),
	});
	return {
		workspace,
		path: (name: string) => join(workspace, name),
		/** Runs a command in the sandbox to its end. Returns its output. */
		async run(script: string) {
			const {ended, output} = await commands.start({
				command: script,
				workspace,
				containment: 'sandbox',
				readOnly: false,
				secrets: [],
			});
			await ended;
			return output.take().text;
		},
		/** Returns why the guard denies a call. */
		denied: async () =>
			(await hooks?.({event: 'before-tool', tool: 'edit_file', arguments: {path: 'a.txt'}}, live))?.denied,
		judgeEdit: (name: string, {before, after}: {before?: string; after?: string} = {}, allow: string[] = []) =>
			judge(
				{
					kind: 'edit',
					path: join(workspace, name),
					...(after !== undefined && {text: {after, ...(before !== undefined && {before})}}),
				},
				{folder: workspace, entries: allow.map(rule => parseRule(rule))},
				places,
			),
	};
}

type Guard = readonly [command: string, files: Readonly<Record<string, string>>, target: string];

/** Forms of guards, each with a file without which it says no to nothing. */
const guards: readonly Guard[] = [
	['sh scripts/check.sh', {'scripts/check.sh': no}, 'scripts/check.sh'],
	['./check', {check: no}, 'check'],
	['sh "$PWD/scripts/check.sh"', {'scripts/check.sh': no}, 'scripts/check.sh'],
	['cd scripts && sh check.sh', {'scripts/check.sh': no}, 'scripts/check.sh'],
	['node tools/guard.mjs', {'tools/guard.mjs': noJs}, 'tools/guard.mjs'],
	['node tools/guard.mjs', {'tools/guard.mjs': 'import "./rules.mjs"', 'tools/rules.mjs': noJs}, 'tools/rules.mjs'],
	['node guard.js', {'guard.js': 'require("./lib/rules")', 'lib/rules.js': noJs}, 'lib/rules.js'],
	['sh check.sh', {'check.sh': '. ./lib/rules.sh', 'lib/rules.sh': no}, 'lib/rules.sh'],
	['sh check.sh', {'check.sh': 'exec sh "$(dirname "$0")/rules.sh"', 'rules.sh': no}, 'rules.sh'],
	['/usr/bin/python3 guards/check.py', {'guards/check.py': 'import rules', 'guards/rules.py': noPy}, 'guards/rules.py'],
	['/usr/bin/python3 -m guards.check', {'guards/check.py': noPy}, 'guards/check.py'],
	['npm run -s guard', {'package.json': '{"scripts":{"guard":"sh ci/guard.sh"}}', 'ci/guard.sh': no}, 'ci/guard.sh'],
	['grep -q never rules.json || sh c.sh', {'rules.json': '{"a":"b"}', 'c.sh': no}, 'rules.json'],
	['node tools/guard', {'tools/guard.js': noJs}, 'tools/guard.js'],
	['node tools/guard', {'tools/guard/index.js': noJs}, 'tools/guard/index.js'],
	['sh -c ". scripts/check.sh"', {'scripts/check.sh': no}, 'scripts/check.sh'],
];

/** What a command in the sandbox does to a file, at `$F` in `$D`. What git does could bring back what another one changed. */
const tricks: readonly string[] = [
	'echo "exit 0" > "$F"',
	'echo "never" >> "$F"',
	'rm -f "$F"; echo never > "$F"',
	'echo never > other; mv -f other "$F"',
	'echo never > other; cp -f other "$F"',
	'echo never > other; ln -sf "$PWD/other" "$F"',
	'sed -i "s/.*/never/" "$F"',
	'[ "$D" = . ] || { mv "$D" moved; mkdir -p "$D"; echo never > "$F"; }',
	'[ "$D" = . ] || { rm -rf "$D"; mkdir -p "$D"; echo never > "$F"; }',
	'mv "$F" gone; : > "$F"',
	'python3 -c "import os; os.truncate(os.environ[\'F\'], 0)"',
	'ln "$F" hard && echo never > hard',
	'chmod -x "$F"; chmod 000 "$F"',
];
const gitTricks: readonly string[] = [
	'git rm -qf "$F"; git stash -q; git clean -fdxq',
	'git checkout -q -b other; git rm -q --cached "$F"; git commit -qm x; git checkout -qf HEAD~0; git reset -q --hard HEAD~1',
];

describe.skipIf(!hasBubblewrap)(`[12] the agent can't change a guard in the mode edits${skipped}`, () => {
	test.each(guards)('%s, with %o', async (command, files, target) => {
		const {judgeEdit, run, denied, path} = await guarded(command, files);
		expect(await denied()).toContain('guarded');
		expect(await judgeEdit(target)).toMatchObject({
			effect: 'ask',
			mayBeDenied: true,
			why: 'changes what your hook runs',
		});
		expect(await judgeEdit('a.txt')).not.toHaveProperty('why');
		// A rule for other files doesn't cover it; one that names it does.
		expect((await judgeEdit(target, {}, ['edit_file(**)'])).effect).toBe('ask');
		expect((await judgeEdit(target, {}, [`edit_file(./${target})`])).effect).toBe('allow');
		const before = readFileSync(path(target), 'utf8');
		const own = 'export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x';
		// How deep it is decides what a trick can do, so that one file of each depth meets them one by one.
		const depth = target.split('/').length;
		const isFirst = guards.find(([, , other]) => other.split('/').length === depth)?.[1] === files;
		const together = tricks.map(trick => `(${trick})`).join('\n');
		for (const trick of [...(isFirst ? tricks : [together]), ...gitTricks]) {
			await run(`${own} F=${target} D=${dirname(target)}; ${trick}`);
			expect([trick, readFileSync(path(target), 'utf8')]).toEqual([trick, before]);
		}

		expect(await denied()).toContain('guarded');
		// Everything else can be changed.
		expect(await run('echo b > a.txt; cat a.txt')).toBe('b');
	});

	test("nor can the hook's own run", async () => {
		const files = {'check.sh': 'sh steps/format; echo guarded >&2; exit 2', 'steps/format': 'echo "exit 0" > "$0"x'};
		const {denied, path} = await guarded('sh check.sh', {...files, 'steps/format': 'echo exit 0 > check.sh'});
		expect(await denied()).toContain('guarded');
		expect(await denied()).toContain('guarded');
		expect(readFileSync(path('check.sh'), 'utf8')).toBe(files['check.sh']);
	});

	test('nor can a link be led to another file', async () => {
		const {denied, run, judgeEdit} = await guarded('sh check', {'real/check.sh': no}, {check: 'real/check.sh'});
		expect(await judgeEdit('real/check.sh')).toMatchObject({why: 'changes what your hook runs'});
		for (const trick of [
			'echo "exit 0" > real/check.sh',
			'mv real old; mkdir real; echo "exit 0" > real/check.sh',
			'echo "exit 0" > x; ln -sf x check',
			'rm check; echo "exit 0" > check',
		]) {
			const said = await run(trick);
			expect(await denied(), `${trick}: ${said}`).toBeDefined();
		}
	});

	test.each([
		['sh scripts/check.sh', 'scripts/check.sh'],
		['./tools/check', 'tools/check'],
		['check.sh || node guard.mjs', 'guard.mjs'],
		['python3 -m guards.check', 'guards/check.py'],
	])('nor does a command make what is missing: %s', async (command, target) => {
		const {judgeEdit, run, denied, path} = await guarded(command, {});
		expect(await judgeEdit(target)).toMatchObject({why: 'changes what your hook runs'});
		await run(`mkdir -p "$(dirname ${target})"; echo "exit 0" > ${target}; chmod +x ${target}`);
		expect(existsSync(path(target))).toBe(false);
		expect(await denied()).toBeDefined();
	});

	test('a script of a package that a hook calls asks, others do not', async () => {
		const text = (guard: string, build = 'tsc') => JSON.stringify({scripts: {guard, build}});
		const {judgeEdit} = await guarded('npm run -s guard', {'package.json': text('exit 2')});
		const before = text('exit 2');
		expect(await judgeEdit('package.json', {before, after: text('exit 0')})).toMatchObject({mayBeDenied: true});
		expect(await judgeEdit('package.json', {before, after: text('exit 2', 'vite')})).toMatchObject({
			mayBeDenied: false,
		});
	});

	test('a hook keeps its own files: what it writes, and what daily commands write', async () => {
		const command = [
			'mkdir -p .cache/guard; touch .cache/seen marker; echo x >> audit; date > .cache/guard/last.txt',
			'echo 1 | tee -a log >/dev/null; rm -f marker; test -f package.json; true',
		].join('\n');
		const {denied, run, path} = await guarded(command, {audit: 'a\n', log: 'l\n', 'package.json': '{"scripts":{}}'});
		expect([await denied(), await denied()]).toEqual([undefined, undefined]);
		expect(readFileSync(path('audit'), 'utf8')).toBe('a\nx\nx\n');
		await run('echo {} > package.json; echo y >> audit; mkdir -p src; echo z > src/z.ts');
		expect(readFileSync(path('package.json'), 'utf8')).toBe('{}\n');
		expect(existsSync(path('src/z.ts'))).toBe(true);
	});

	test('a hook still builds what it runs, and commands what it names otherwise', async () => {
		const build = 'mkdir -p dist lib; cp a.mjs dist/a.mjs; cat a.mjs > lib/b.mjs';
		const scripts = {check: `${build} && node dist/a.mjs && tool --outfile=public/c.js src/main.mjs || true`};
		const files = {'package.json': JSON.stringify({scripts}), 'a.mjs': '', 'src/main.mjs': 'x'};
		const {denied, run, path, judgeEdit} = await guarded('npm run -s check && node dist/a.mjs', files);
		expect([await denied(), await denied()]).toEqual([undefined, undefined]);
		const made = ['dist/a.mjs', 'lib/b.mjs', 'public/c.js', 'src/main.mjs', 'vite.config.ts'];
		for (const name of made) {
			await run(`mkdir -p ${dirname(name)}; echo new > ${name}`);
			expect([name, readFileSync(path(name), 'utf8')]).toEqual([name, 'new\n']);
		}

		expect(await judgeEdit('src/main.mjs')).not.toHaveProperty('why');
	});

	test('says which file that a guard runs in turn the agent changed unseen', async () => {
		const files = {'check.sh': 'sh lib/a.sh', 'lib/a.sh': 'sh lib/b.sh', 'lib/b.sh': no, 'other.sh': no};
		const {workspace, run, denied} = await guarded('sh check.sh', files);
		await run('echo "exit 0" > lib/b.sh; echo x > other.sh');
		const stateFolder = join(dirname(workspace), '.service');
		await (await openWindow({stateFolder, folder: workspace}, 'edit')).close();
		const take = createUnseenOnce(workspace, stateFolder);
		const filesOf = () => filesOfHook('sh check.sh', {workspace, homeFolder: dirname(workspace)});
		expect(await take('sh check.sh', filesOf)).toEqual(['lib/b.sh']);
		await run('echo y > new.sh');
		expect(await take('sh check.sh', filesOf)).toEqual([]);
		expect(await denied()).toBeUndefined();
	});
});

test('a before-tool hook that runs what nobody saw runs, and the user is told', async () => {
	const {workspace, stateFolder} = await makeWorkspace();
	await writeAll(workspace, {'check.sh': 'exit 0'});
	const commands = createCommandSession({places: {stateFolder}});
	onTestFinished(() => commands.end());
	const hooks = createHooks({
		hooks: [
			{event: 'before-tool', command: 'true', sandbox: false},
			{event: 'run-end', command: 'true', sandbox: false},
		],
		session: 's',
		folder: workspace,
		root: workspace,
		commands,
		hide: (text: string) => text,
		mayLeave: async () => ({refused: undefined, notes: []}),
		takeUnseen: async () => ['lib/b.sh'],
	});
	const before = await hooks?.({event: 'before-tool', tool: 'edit_file', arguments: {}}, live);
	expect(before).toEqual({
		warnings: ['The before-tool hook “true” runs lib/b.sh, which the agent changed and nobody saw. Look at it.'],
	});
	expect(await hooks?.({event: 'run-end', reason: 'done'}, live)).toEqual({warnings: []});
});
