import {lstat, mkdir, readFile, rename, symlink, unlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import {createFolderTools} from '../../../src/agent/tools/tools.ts';
import {createWriteFile} from '../../../src/agent/tools/write-file.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import {openTools} from './open-tools.ts';
import {snapshot} from './snapshot.ts';

describe('nothing is written', () => {
	test('without the user', async () => {
		const {read, edit, write, workspace, context} = await openTools({'a.txt': 'a\n'}, false);
		await read('a.txt');
		const before = await snapshot(workspace);
		await expect(edit('a.txt', 'a', 'b')).rejects.toThrow('The user did not allow this change of “a.txt”.');
		await expect(write('x/y.txt', 'b')).rejects.toThrow('did not allow');
		expect(await snapshot(workspace)).toEqual(before);
		expect(context.readFiles.size).toBe(1);
	});

	test('to a file that the model has not read, or that changed since', async () => {
		const {read, edit, write, text, path, asked} = await openTools({'a.txt': 'a\n'});
		await expect(edit('a.txt', 'a', 'b')).rejects.toThrow('you have not read it in this session');
		await expect(write('a.txt', 'b')).rejects.toThrow('you have not read it');
		await read('a.txt');
		await writeFile(path('a.txt'), 'a and more\n');
		await expect(edit('a.txt', 'a', 'b')).rejects.toThrow('was changed since you read it');
		expect([asked, await text('a.txt')]).toEqual([[], 'a and more\n']);
	});

	test('to a file that changes while the user decides', async () => {
		const {read, edit, write, text, path, workspace} = await openTools({'a.txt': 'a\n'}, async ({summary}) => {
			await writeFile(path(summary.includes('new') ? 'new.txt' : 'a.txt'), 'mine\n');
			return true;
		});
		await read('a.txt');
		await expect(edit('a.txt', 'a', 'b')).rejects.toThrow('“a.txt” was changed meanwhile.');
		await expect(write('new.txt', 'b')).rejects.toThrow('“new.txt” exists by now.');
		expect([await text('a.txt'), await text('new.txt')]).toEqual(['mine\n', 'mine\n']);
		expect(Object.keys(await snapshot(workspace)).toSorted()).toEqual(['a.txt', 'new.txt']);
	});

	test('[13] through a folder that is swapped for a link while the user decides', async () => {
		let swaps = 0;
		const {root, read, edit, write, path, text} = await openTools({'src/a.txt': 'a\n'}, async () => {
			await rename(path('src'), path(`old-${++swaps}`));
			await symlink(root, path('src'));
			return true;
		});
		await writeFile(join(root, 'a.txt'), 'a\n');
		await read('src/a.txt');
		await expect(edit('src/a.txt', 'a', 'b')).rejects.toThrow('is a link or a file');
		await unlink(path('src'));
		await mkdir(path('src'));
		await expect(write('src/new.txt', 'b')).rejects.toThrow('is a link or a file');
		expect([await readFile(join(root, 'a.txt'), 'utf8'), await text('old-1/a.txt')]).toEqual(['a\n', 'a\n']);
		await expect(lstat(join(root, 'new.txt'))).rejects.toThrow('ENOENT');
	});

	test.each([
		['.bashrc', 'protected'],
		['.BashRC', 'protected'],
		['.config/fish/config.fish', 'protected'],
		['.ssh/authorized_keys', 'protected'],
		['.gitconfig', 'protected'],
		['repo/.git/hooks/pre-commit', 'protected'],
		['repo/.g\u200Bit/config', 'protected'],
		['repo/GIT~1/config', 'protected'],
		['to-ssh/config', 'is a link or a file'],
		['dangling', 'is a link that leads to no file'],
		['../outside.txt', 'outside the working folder'],
	])('[13] in %j, which does not exist yet, even if everything is allowed', async (name, message) => {
		const {root, places} = await openTools({}, true);
		const home = join(root, 'home');
		await mkdir(join(home, 'repo'), {recursive: true});
		await symlink('.ssh', join(home, 'to-ssh'));
		await symlink('.profile', join(home, 'dangling'));
		const before = await snapshot(root);
		const [{context}] = [await openTools()];
		const tool = createWriteFile(places);
		await expect(tool.run({path: name, content: 'x'}, {...context, workspace: home})).rejects.toThrow(message);
		await expect(tool.run({path: `${home}/${name}`, content: 'x'}, {...context, workspace: home})).rejects.toThrow();
		expect(await snapshot(root)).toEqual(before);
	});

	test('to binary, huge, special and write-protected files', async () => {
		const latin = Buffer.from('caf\xe9 d\xc3\xa9j\xc3\xa0\n', 'latin1');
		const {read, edit, write, path, bytes} = await openTools({
			'a.bin': Buffer.from([1, 0, 2]),
			'l.txt': latin,
			'r.txt': 'a\n',
		});
		await expect(write('a.bin', 'x')).rejects.toThrow('binary');
		await read('l.txt');
		await expect(edit('l.txt', 'caf', 'x')).rejects.toThrow('its encoding is not certain');
		expect(await bytes('l.txt')).toEqual(latin);
		await expect(write('big.txt', 'x'.repeat(17 * 1024 * 1024))).rejects.toThrow('too large');
		await expect(write('nul.txt', 'a\0b')).rejects.toThrow('NUL');
		await expect(write('.', 'x')).rejects.toThrow('is a folder');
		await mkdir(path('folder'));
		await expect(write('folder', 'x')).rejects.toThrow('is a folder');
		await expect(write('r.txt/below', 'x')).rejects.toThrow('is a link or a file');
		await read('r.txt');
		await expect(write('r.txt', 'a\n')).rejects.toThrow('has this content already');
	});

	test('where *** would replace a credential that the model has not seen [8]', async () => {
		const key = `ghp_${'a1B2'.repeat(9)}`;
		const config = `name: a\ntoken: ${key}\nport: 1\n`;
		const {read, edit, write, text} = await openTools({'config.yml': config});
		const shown = (await read('config.yml')) ?? '';
		expect(shown).toContain('token: ***');
		await expect(write('config.yml', 'name: b\ntoken: ***\nport: 1\n')).rejects.toThrow('would replace a credential');
		await expect(edit('config.yml', 'token: ***', 'token: x')).rejects.toThrow('*** hides a credential');
		expect(await text('config.yml')).toBe(config);
		await edit('config.yml', 'port: 1', 'port: 2');
		expect(await text('config.yml')).toBe(config.replace('1\n', '2\n').replace(/port.*/, 'port: 2'));
	});
});

test('100 hostile calls without approval leave every byte as it is', async () => {
	const {root, context, places, workspace} = await openTools(
		{'a.txt': 'a\n', '.env': 'KEY=1\n', 'src/b.ts': 'b\n', '.git/config': 'x\n'},
		false,
	);
	const tools = createFolderTools(places).filter(({name}) => /^(?:edit|write)_file$/.test(name));
	const reads = createReadFile(places);
	await reads.run({path: 'a.txt'}, context);
	await reads.run({path: 'src/b.ts'}, context);
	const before = await snapshot(root);
	const paths = ['a.txt', '.env', 'src/b.ts', '.git/config', '../outside.txt', '/etc/passwd', 'new/x', 'src', '', '\0'];
	const bodies: readonly JsonObject[] = [
		{content: 'x'},
		{edits: [{old_text: 'a', new_text: 'x'}]},
		{edits: []},
		{edits: 'all', content: 5},
		{content: 'x', approved: true},
	];
	let calls = 0;
	for (const tool of tools) {
		for (const path of paths) {
			for (const body of bodies) {
				calls++;
				await expect(tool.run({path: `${path}`, ...body}, context)).rejects.toThrow();
			}
		}
	}

	expect(calls).toBe(100);
	expect(await snapshot(root)).toEqual(before);
	expect(workspace.startsWith(root)).toBe(true);
});
