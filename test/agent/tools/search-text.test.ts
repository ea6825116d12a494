import {execFileSync} from 'node:child_process';
import {symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {boundsOf, locate} from '../../../src/agent/policy/bounds.ts';
import {createListFiles} from '../../../src/agent/tools/list-files.ts';
import {plainEngine} from '../../../src/agent/tools/search-files.ts';
import {createSearchText} from '../../../src/agent/tools/search-text.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import {git, makeWorkspace, writeAll} from './workspace.ts';

const files = {
	'src/a.ts': 'const one = 1;\r\n// TODO\n',
	'src/b.ts': 'one(\n',
	'docs/a.md': 'One more\n',
	'.hidden/c.ts': 'one\n',
	'dist/out.js': 'one\n',
	'logo.png': Buffer.from([0, 0x6f, 0x6e, 0x65]),
	'.gitignore': 'dist\n',
};

function commit(folder: string, ...paths: readonly string[]): void {
	git(folder, 'init', '-q');
	git(folder, 'add', '--force', ...paths);
	git(folder, 'commit', '-q', '-m', 'all');
}

const engines = [
	['ripgrep', {}],
	['our own walk', {ripgrep: async () => undefined}],
] as const;

for (const [name, options] of engines) {
	const search = async (args: JsonObject) => {
		const {workspace, stateFolder, context} = await makeWorkspace(files);
		git(workspace, 'init', '-q');
		return createSearchText({stateFolder, ...options}).run(args, context);
	};

	test.each<[JsonObject, string]>([
		[{pattern: 'one'}, '.hidden/c.ts:1:one\nsrc/a.ts:1:const one = 1;\nsrc/b.ts:1:one('],
		[{pattern: '^one$'}, '.hidden/c.ts:1:one'],
		[{pattern: 'ONE', ignore_case: true, path: 'docs'}, 'docs/a.md:1:One more'],
		[{pattern: 'one(', literal: true}, 'src/b.ts:1:one('],
		[{pattern: 'one', glob: 'a.*'}, 'src/a.ts:1:const one = 1;'],
		[{pattern: 'one', glob: 'src/*.ts'}, 'src/a.ts:1:const one = 1;\nsrc/b.ts:1:one('],
		[{pattern: 'TODO', path: 'src/a.ts'}, 'src/a.ts:2:// TODO'],
		[{pattern: '--one'}, '[no matches]'],
		[{pattern: 'x'.repeat(50)}, '[no matches]'],
	])(`%j is found with ${name}`, async (args, expected) => {
		expect(await search(args)).toBe(expected);
	});

	test(`an invalid pattern is explained with ${name}`, async () => {
		await expect(search({pattern: 'one('})).rejects.toMatchObject({
			code: 'usage',
			message: expect.stringMatching(/^Invalid search: .*(?:unclosed group|Unterminated group)/s),
			hint: 'Correct it, or set literal to true to search for the text itself.',
		});
	});

	test.each<[string, (folder: string) => void]>([
		['a folder without git', () => undefined],
		['files that git tracks although it ignores them', folder => commit(folder, '.')],
		['a folder in a repository that ignores everything', folder => git(join(folder, '..'), 'init', '-q')],
	])(`%s: ${name} searches the files that list_files lists`, async (_, prepare) => {
		const {root, workspace, stateFolder, context} = await makeWorkspace({
			'.gitignore': 'lib/\n*.log\n',
			'.ignore': 'docs\n',
			'lib/tool.py': 'found\n',
			'note.log': 'found\n',
			'docs/a.md': 'found\n',
			'src/a.ts': 'found\n',
			'src/node_modules/b.js': 'found\n',
		});
		await writeAll(root, {'.gitignore': '*\n'});
		await symlink('a.ts', join(workspace, 'src/link.ts'));
		prepare(workspace);
		const listed = await createListFiles({stateFolder}).run({pattern: '**/*.{py,log,md,ts,js}'}, context);
		const found = await createSearchText({stateFolder, ...options}).run({pattern: 'found'}, context);
		const paths = found.split('\n').map(line => line.replace(/:1:found$/, ''));
		expect(paths.filter(path => path !== 'src/link.ts')).toEqual(
			listed.split('\n').filter(path => path !== 'src/link.ts'),
		);
	});

	test(`many and long lines are cut with ${name}`, async () => {
		const {stateFolder, context} = await makeWorkspace({
			'a.txt': 'x\n'.repeat(150),
			'b.txt': `x${'y'.repeat(5000)}\n`.repeat(150),
		});
		const lines = (await createSearchText({stateFolder, ...options}).run({pattern: '^x'}, context)).split('\n');
		expect([lines.length, lines.at(-1)]).toEqual([
			201,
			'[100 more lines left out; narrow it with path, glob or pattern]',
		]);
		expect(Math.max(...lines.map(line => line.length))).toBeLessThan(400);
	});
}

test.each([
	[
		'what a line break can be in',
		{pattern: 'one\\ntwo'},
		'Lines are matched one by one: search for a part of one line.',
	],
	[
		'a text with a line break',
		{pattern: 'one\ntwo', literal: true},
		'Lines are matched one by one: search for a part of one line.',
	],
	['look-around', {pattern: '(?<=o)ne'}, 'Correct it, or set literal to true to search for the text itself.'],
])("%s is refused without the flags of ripgrep, which a model can't pass", async (_, args, hint) => {
	const {stateFolder, context} = await makeWorkspace(files);
	const refused = createSearchText({stateFolder}).run(args, context);
	await expect(refused).rejects.toMatchObject({code: 'usage', message: expect.not.stringContaining(' --'), hint});
});

test('[21] a pattern that backtracks endlessly is stopped', async () => {
	const {stateFolder, context} = await makeWorkspace({'a.txt': `${'a'.repeat(60)}!\n`});
	const search = createSearchText({stateFolder, ripgrep: async () => undefined});
	await expect(search.run({pattern: '(a+)+$'}, context)).rejects.toThrow('The pattern takes too long to match.');
});

test('a pattern on a busy machine is not too slow: only its processor time counts', async () => {
	const {workspace, stateFolder} = await makeWorkspace();
	const bounds = await boundsOf(workspace, {stateFolder});
	const search = {
		query: {pattern: '^(a+)+!$', literal: false, ignoreCase: false, glob: undefined},
		target: await locate('.', bounds),
		bounds,
		signal: new AbortController().signal,
	};
	// It takes longer than the limit on any machine, but the clock says that other processes ran.
	const lines = ['x', 'a'.repeat(22), 'aa!'];
	expect(await plainEngine(search, {cpuMs: 1, cpuClock: () => 0}).matching(lines, 10)).toEqual([2]);
	await expect(plainEngine(search, {cpuMs: 1}).matching(lines, 10)).rejects.toThrow('takes too long');
});

test.skipIf(process.platform === 'win32')(
	'a pipe is not searched, because that would wait for its writer',
	async () => {
		const {workspace, stateFolder, context} = await makeWorkspace();
		execFileSync('mkfifo', [join(workspace, 'pipe')]);
		await expect(createSearchText({stateFolder}).run({pattern: 'x', path: 'pipe'}, context)).rejects.toThrow(
			'“pipe” is neither a file nor a folder.',
		);
	},
);
