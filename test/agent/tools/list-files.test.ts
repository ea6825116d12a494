import {chmod, rm, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createListFiles} from '../../../src/agent/tools/list-files.ts';
import {git, makeWorkspace, writeAll} from './workspace.ts';

const files = {
	'README.md': '',
	'.gitignore': 'dist\n*.log\n!keep.log\n',
	'src/a.ts': '',
	'src/b.tsx': '',
	'dist/x.js': '',
	'a.log': '',
	'src/keep.log': '',
};
const listed = '.gitignore\nREADME.md\nsrc/a.ts\nsrc/b.tsx\nsrc/keep.log';

test('a git work tree lists tracked and new files, without ignored and deleted ones', async () => {
	const {workspace, stateFolder, context} = await makeWorkspace({...files, 'gone.ts': ''});
	git(workspace, 'init', '-q');
	git(workspace, 'add', 'README.md', 'gone.ts');
	await rm(join(workspace, 'gone.ts'));
	expect(await createListFiles({stateFolder}).run({}, context)).toBe(listed);
});

test('a folder without git lists the same files, and links are not followed', async () => {
	const {workspace, stateFolder, context} = await makeWorkspace({...files, 'node_modules/x/index.js': ''});
	await symlink('..', join(workspace, 'src/loop'));
	expect(await createListFiles({stateFolder}).run({}, context)).toBe(`${listed}\nsrc/loop`);
});

test.each([
	[{pattern: '*.ts'}, 'src/a.ts'],
	[{pattern: '*.{ts,tsx}'}, 'src/a.ts\nsrc/b.tsx'],
	[{path: 'src', pattern: '?.ts'}, 'src/a.ts'],
	[{path: 'src', pattern: 'src/**/*.tsx'}, 'src/b.tsx'],
	[{path: './src/'}, 'src/a.ts\nsrc/b.tsx\nsrc/keep.log'],
	[{path: ''}, listed],
	[{path: 'dist'}, 'dist/x.js'],
	[{pattern: '*.py'}, '[none of 5 files matches “*.py”]'],
])('%j narrows the list', async (args, expected) => {
	const {workspace, stateFolder, context} = await makeWorkspace(files);
	git(workspace, 'init', '-q');
	expect(await createListFiles({stateFolder}).run(args, context)).toBe(expected);
});

test('a long list is cut, with a note on how much is left out', async () => {
	const many = Object.fromEntries(Array.from({length: 1203}, (_, index) => [`f${index}`, '']));
	const {stateFolder, context} = await makeWorkspace(many);
	const lines = (await createListFiles({stateFolder}).run({}, context)).split('\n');
	expect([lines.length, lines.at(-1)]).toEqual([
		1001,
		'[203 more of 1203 files left out; narrow it with path or pattern]',
	]);
});

test('an empty folder and a file instead of a folder are reported', async () => {
	const {stateFolder, context} = await makeWorkspace();
	expect(await createListFiles({stateFolder}).run({}, context)).toBe('[no files]');
	await writeAll(context.workspace, {'a.txt': ''});
	await expect(createListFiles({stateFolder}).run({path: 'a.txt'}, context)).rejects.toThrow('“a.txt” is a file');
});

test('[12] [13] a repository cannot make git run its programs', async () => {
	const {root, workspace, stateFolder, context} = await makeWorkspace({
		'a.txt': '',
		'evil.sh': `#!/bin/sh\ntouch "$HOME/ran"\n`,
	});
	await chmod(join(workspace, 'evil.sh'), 0o755);
	git(workspace, 'init', '-q');
	git(workspace, 'config', 'core.fsmonitor', `touch ${root}/ran; ${workspace}/evil.sh`);
	expect(await createListFiles({stateFolder}).run({}, context)).toBe('a.txt\nevil.sh');
	expect(await createListFiles({stateFolder}).run({}, {...context, workspace: root})).not.toMatch(/^ran$/m);
});

test('git settings of the folder cannot lead the list to files outside [13]', async () => {
	const {root, workspace, stateFolder, context} = await makeWorkspace({'a.txt': ''});
	git(workspace, 'init', '-q');
	git(workspace, 'config', 'core.worktree', root);
	await writeAll(root, {'other/secret-name.txt': ''});
	expect(await createListFiles({stateFolder}).run({}, context)).toBe('a.txt');
	git(workspace, 'config', 'core.worktree', join(root, 'other'));
	expect(await createListFiles({stateFolder}).run({}, context)).toBe('a.txt');
});
