import {chmod, lstat, mkdir, readdir, readFile, readlink, rename, rm, stat, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {inflateSync} from 'node:zlib';
import {expect, test} from 'vitest';
import {createChanges} from '../../../src/agent/changes/changes.ts';
import type {ObjectStore} from '../../../src/agent/changes/object-store.ts';
import {signal, startAgentAtWork} from './agent-at-work.ts';

const text = (folder: string, path: string) => readFile(join(folder, path), 'utf8');

test('takes back an edit, and brings it back', async () => {
	const {workspace, edit, undo, redo} = await startAgentAtWork({'a.txt': 'one\r\ntwo\r\n'});
	await edit('a.txt', 'one\r\n2\r\n');
	expect(await undo()).toMatchObject({restored: ['a.txt'], failed: []});
	expect(await text(workspace, 'a.txt')).toBe('one\r\ntwo\r\n');
	expect(await redo()).toMatchObject({restored: ['a.txt']});
	expect(await text(workspace, 'a.txt')).toBe('one\r\n2\r\n');
	expect(await undo()).toMatchObject({restored: ['a.txt']});
	expect(await text(workspace, 'a.txt')).toBe('one\r\ntwo\r\n');
});

test('shows a change in the encoding of its file, before and after, and takes it back byte for byte', async () => {
	// Two lines of GBK, and two of Windows-1252.
	const chinese = Buffer.from(
		'2320d5e2cac7d2bbb8f6b2e2cad4a3acced2c3c7d0deb8c4cbfc0a6e616d65203d2022d6d0b9fa220a',
		'hex',
	);
	const western = Buffer.from('Der K\xE4se ist sch\xF6n.\nGr\xFC\xDFe aus M\xFCnchen.\n', 'latin1');
	const {workspace, edit, review, undo} = await startAgentAtWork({'a.py': chinese, 'b.txt': western});
	await edit('a.py', Buffer.concat([chinese.subarray(0, -4), Buffer.from('c8cb220a', 'hex')]));
	await edit('b.txt', 'Der Käse ist schön.\nGrüße aus Köln.\n');
	const lines = (await review()).flatMap(({hunks}) =>
		hunks.flatMap(hunk => hunk.lines.map(line => line.sign + line.text)),
	);
	expect(lines).toEqual([
		...[' # 这是一个测试，我们修改它', '-name = "中国"', '+name = "中人"'],
		...['-Der Käse ist schön.', '-Grüße aus München.', '+Der Käse ist schön.', '+Grüße aus Köln.'],
	]);
	await undo();
	expect(await readFile(join(workspace, 'a.py'))).toEqual(chinese);
	expect(await readFile(join(workspace, 'b.txt'))).toEqual(western);
});

test('goes further back each time, message by message', async () => {
	const {workspace, edit, undo, say} = await startAgentAtWork({'a.txt': '1'});
	await edit('a.txt', '2');
	say('message-2');
	await edit('a.txt', '3');
	await edit('b/c.txt', 'new');
	say('message-3');
	expect(await undo()).toMatchObject({restored: ['a.txt', 'b/c.txt']});
	expect(await text(workspace, 'a.txt')).toBe('2');
	expect(await readdir(workspace)).toEqual(['a.txt']);
	await undo();
	expect(await text(workspace, 'a.txt')).toBe('1');
	expect(await undo()).toMatchObject({restored: [], event: undefined});
});

test('takes back everything that a command did: bytes, modes, links, deleted, renamed and new files', async () => {
	const binary = Buffer.from([0, 1, 2, 255, 13, 10, 0]);
	const {workspace, run, undo, redo} = await startAgentAtWork({
		...{'crlf.txt': 'a\r\nb\r\n', 'bin.dat': binary, 'empty.txt': '', 'gone/deep.txt': 'deep', 'old.txt': 'old'},
		...{
			'run.sh': '#!/bin/sh\n',
			'.gitattributes': '* text=auto eol=lf filter=evil\n*.dat working-tree-encoding=UTF-16\n',
		},
	});
	const at = (path: string) => join(workspace, path);
	await symlink('crlf.txt', at('link'));
	const before = await stat(at('run.sh'));
	await run(async () => {
		await writeFile(at('crlf.txt'), 'a\nb\n');
		await writeFile(at('bin.dat'), 'text now');
		await writeFile(at('empty.txt'), 'no longer');
		await rm(at('gone'), {recursive: true});
		await rename(at('old.txt'), at('renamed.txt'));
		await chmod(at('run.sh'), 0o755);
		await rm(at('link'));
		await symlink('/etc/passwd', at('link'));
		await mkdir(at('made/by/command'), {recursive: true});
		await writeFile(at('made/by/command/x'), 'x');
	});
	const {restored, failed} = await undo();
	expect(failed).toEqual([]);
	expect(restored).toHaveLength(9);
	expect(await readFile(at('crlf.txt'))).toEqual(Buffer.from('a\r\nb\r\n'));
	expect(await readFile(at('bin.dat'))).toEqual(binary);
	expect(await text(workspace, 'empty.txt')).toBe('');
	expect(await text(workspace, 'gone/deep.txt')).toBe('deep');
	expect(await text(workspace, 'old.txt')).toBe('old');
	expect((await stat(at('run.sh'))).mode).toBe(before.mode);
	expect(await readlink(at('link'))).toBe('crlf.txt');
	expect((await readdir(workspace)).sort()).toEqual(
		['.gitattributes', 'bin.dat', 'crlf.txt', 'empty.txt', 'gone', 'link', 'old.txt', 'run.sh'].sort(),
	);
	await redo();
	expect(await readlink(at('link'))).toBe('/etc/passwd');
	expect((await stat(at('run.sh'))).mode & 0o111).toBe(0o111);
	expect(await text(workspace, 'made/by/command/x')).toBe('x');
});

test('takes back permissions, and brings them back', async () => {
	const {workspace, run, review, undo, redo, planUndo} = await startAgentAtWork({key: 'k', 'run.sh': 'r', gone: 'g'});
	const at = (path: string) => join(workspace, path);
	const modes = async (...paths: readonly string[]) =>
		Promise.all(paths.map(async path => ((await stat(at(path))).mode & 0o777).toString(8)));
	await chmod(at('key'), 0o600);
	await chmod(at('run.sh'), 0o750);
	await chmod(at('gone'), 0o440);
	await run(async () => {
		await chmod(at('key'), 0o666);
		await chmod(at('run.sh'), 0o640);
		await rm(at('gone'));
	});
	expect((await review()).map(({path, note}) => [path, note])).toEqual([
		['gone', ''],
		['key', 'permissions 666, before 600'],
		['run.sh', 'no longer executable'],
	]);
	expect(await undo()).toMatchObject({failed: []});
	expect(await modes('key', 'run.sh', 'gone')).toEqual(['600', '750', '440']);
	expect(await redo()).toMatchObject({failed: []});
	expect(await modes('key', 'run.sh')).toEqual(['666', '640']);
	await chmod(at('key'), 0o644);
	expect((await planUndo()).files).toMatchObject([{path: 'gone'}, {path: 'key', state: 'changed'}, {path: 'run.sh'}]);
});

test('reads as much of the store after 40 messages as after 4, and each tree of a session once', async () => {
	const {root, workspace, stateFolder, openStore, edit, say, steps} = await startAgentAtWork({'a.txt': '0\n'});
	let reads = 0;
	const counting = async (folder: string): Promise<ObjectStore> => {
		const store = await openStore(folder);
		return {
			...store,
			get(type, id) {
				reads++;
				return store.get(type, id);
			},
		};
	};
	const places = {stateFolder, homeFolder: join(root, 'home')};
	const changes = createChanges({folder: workspace, places, openStore: counting});
	const readsAfter = async (messages: number) => {
		while (steps().length < messages) {
			say(`message-${steps().length}`);
			await edit('a.txt', `${steps().length + 1}\n`);
		}

		reads = 0;
		const {files} = await changes.plan(steps(), await changes.lastOf(steps(), signal), signal);
		expect(files).toMatchObject([{path: 'a.txt', state: 'ready'}]);
		return reads;
	};
	const few = await readsAfter(4);
	expect(await readsAfter(40)).toBe(few);
	// A step begins with the tree that the one before it ended with.
	reads = 0;
	await changes.pathsOf(steps(), signal);
	expect(reads).toBe(41);
});

test('asks about a file that the user changed since, and can keep both changes', async () => {
	const lines = Array.from({length: 20}, (_, index) => `line ${index}\n`);
	const {workspace, edit, planUndo, undo, redo} = await startAgentAtWork({'a.txt': lines.join('')});
	await edit('a.txt', lines.with(2, 'agent\n').join(''));
	await writeFile(join(workspace, 'a.txt'), lines.with(2, 'agent\n').with(15, 'mine\n').join(''));
	expect((await planUndo()).files).toMatchObject([{path: 'a.txt', state: 'changed'}]);

	expect(await undo('merged')).toMatchObject({restored: ['a.txt']});
	expect(await text(workspace, 'a.txt')).toBe(lines.with(15, 'mine\n').join(''));
	await redo();
	expect(await undo('mine')).toMatchObject({restored: []});
	expect(await text(workspace, 'a.txt')).toBe(lines.with(2, 'agent\n').with(15, 'mine\n').join(''));
});

test('asks about a file that the user changed between two edits of the agent', async () => {
	const {workspace, edit, planUndo, undo, redo} = await startAgentAtWork({'a.txt': 'one\n'});
	await edit('a.txt', 'one\ntwo\n');
	await writeFile(join(workspace, 'a.txt'), 'mine\none\ntwo\n');
	await edit('a.txt', 'mine\none\ntwo\nthree\n');
	expect((await planUndo()).files).toMatchObject([{state: 'changed'}]);
	await undo('old');
	expect(await text(workspace, 'a.txt')).toBe('one\n');
	await redo();
	expect(await text(workspace, 'a.txt')).toBe('mine\none\ntwo\nthree\n');
});

test('never deletes a file that a changed .gitignore reveals, and keeps one that it hides', async () => {
	const {workspace, run, undo} = await startAgentAtWork({'.gitignore': 'build\n', 'build/out': 'mine', 'src.txt': 's'});
	const {ctimeMs} = await stat(join(workspace, 'build/out'));
	await expect.poll(() => Date.now() > ctimeMs + 100, {interval: 10}).toBe(true);
	await run(async () => {
		await writeFile(join(workspace, '.gitignore'), 'src.txt\n');
		await writeFile(join(workspace, 'new.txt'), 'new');
	});
	expect(await undo()).toMatchObject({restored: ['.gitignore', 'new.txt'], failed: []});
	expect(await text(workspace, 'build/out')).toBe('mine');
	expect(await text(workspace, 'src.txt')).toBe('s');
});

test('[13] never stores or restores secrets, git data and what is too large, and says so', async () => {
	const {workspace, run, edit, planUndo, root} = await startAgentAtWork({
		'.env': 'KEY=canary-1',
		'.git/config': 'g',
		'a.txt': 'a',
	});
	await run(async () => {
		await writeFile(join(workspace, '.env'), 'KEY=canary-2');
		await writeFile(join(workspace, '.git/config'), 'changed');
		await writeFile(join(workspace, 'huge.bin'), Buffer.alloc(17 * 1024 * 1024));
	});
	await edit('.env', 'KEY=canary-3!', 'edit-secret');
	const {files} = await planUndo();
	expect(files).toMatchObject([
		{path: '.env', state: 'lost'},
		{path: 'huge.bin', state: 'lost'},
	]);
	for (const entry of await readdir(join(root, '.service'), {recursive: true, withFileTypes: true})) {
		if (entry.isFile() && /^[\da-f]{38}$/.test(entry.name)) {
			expect(inflateSync(await readFile(join(entry.parentPath, entry.name))).toString('latin1')).not.toContain(
				'canary',
			);
		}
	}
});

test('treats a repository in the folder as a plain folder', async () => {
	const {workspace, run, undo} = await startAgentAtWork({
		'sub/.git/HEAD': 'ref',
		'sub/a.txt': 'a',
		'sub/.gitignore': 'x',
	});
	await run(() => writeFile(join(workspace, 'sub/a.txt'), 'changed'));
	expect(await undo()).toMatchObject({restored: ['sub/a.txt']});
	expect(await text(workspace, 'sub/a.txt')).toBe('a');
});

test('[13] does not follow a folder that became a link', async () => {
	const {workspace, root, edit, undo} = await startAgentAtWork({'d/a.txt': 'a'});
	await edit('d/a.txt', 'b');
	await rename(join(workspace, 'd'), join(root, 'moved'));
	await symlink(join(root, 'moved'), join(workspace, 'd'));
	const {failed, restored} = await undo('old');
	expect(restored).toEqual([]);
	expect(failed).toHaveLength(1);
	expect(await text(root, 'moved/a.txt')).toBe('b');
	expect((await lstat(join(workspace, 'd'))).isSymbolicLink()).toBe(true);
});

test('an interrupted call is ended with the run', async () => {
	const {workspace, tracker, record, undo} = await startAgentAtWork({'a.txt': 'a'});
	const act = {kind: 'command', command: 'x', folder: workspace, containment: 'none'} as const;
	record(await tracker.before('call', act, new AbortController().signal));
	await writeFile(join(workspace, 'a.txt'), 'half');
	record(await tracker.end());
	expect(await undo()).toMatchObject({restored: ['a.txt']});
	expect(await text(workspace, 'a.txt')).toBe('a');
});

test('asks about files of a call whose end was never saved', async () => {
	const {workspace, tracker, record, planUndo} = await startAgentAtWork({'a.txt': 'a', 'b.txt': 'b'});
	const act = {kind: 'command', command: 'x', folder: workspace, containment: 'none'} as const;
	record(await tracker.before('call', act, new AbortController().signal));
	await writeFile(join(workspace, 'a.txt'), 'half');
	expect((await planUndo()).files).toMatchObject([{path: 'a.txt', state: 'changed'}]);
});

test('keeps its store private', async () => {
	const {root, edit} = await startAgentAtWork({'a.txt': 'a'});
	await edit('a.txt', 'b');
	for (const entry of await readdir(join(root, '.service/changes'), {recursive: true, withFileTypes: true})) {
		expect((await stat(join(entry.parentPath, entry.name))).mode & 0o077).toBe(0);
	}
});
