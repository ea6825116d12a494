import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {listPaths} from '../../../src/agent/mentions/path-list.ts';
import {readMentions} from '../../../src/agent/mentions/read-mentions.ts';
import {createFolderTools} from '../../../src/agent/tools/tools.ts';
import {AppError} from '../../../src/core/error.ts';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import type {Approval} from '../../../src/core/session/approval.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {write} from '../project/repository.ts';

type Files = Parameters<typeof write>[1];

/** A folder with files, another folder beside it, and a user who answers every question in the same way. */
function place(
	files: Files,
	{allowed = true, outside = {}}: {readonly allowed?: boolean; readonly outside?: Files} = {},
) {
	const home = temporaryFolder();
	const folder = join(home, 'work');
	write(folder, {'.git/HEAD': 'secret of git', ...files});
	write(join(home, 'other'), outside);
	write(join(home, 'state'), {'config.json': '{}'});
	const asked: string[] = [];
	const readFiles = new Map<string, string>();
	const tools = createFolderTools({stateFolder: join(home, 'state'), homeFolder: home});
	const read = async (text: string, sources = {}) => {
		const found = [];
		const approve = async ({summary}: Approval) => {
			asked.push(summary);
			return {allowed};
		};
		const context = {
			...{workspace: folder, signal: new AbortController().signal, readFiles, approve},
			onOutput: () => undefined,
			onChange: () => undefined,
		};
		const mentions = {tools, context, hide: redactKnown, logs: () => [], homeFolder: home, ...sources};
		for await (const each of readMentions(text, mentions)) {
			found.push(each);
		}

		return found;
	};
	return {home, folder, asked, readFiles, read};
}

const lines = (count: number) => Array.from({length: count}, (_, index) => `line ${index + 1}`).join('\n');

test('files, lines of them and folders are read in order, and a read file may be edited', async () => {
	const {read, asked, readFiles, folder} = place({'src/a.ts': lines(50), 'src/b c.ts': 'one'});
	const found = await read('compare @src/a.ts:10-12 with @"src/b c.ts" in @src/');
	expect(found).toMatchObject([
		{source: 'file', name: 'src/a.ts:10-12', lines: 3},
		{source: 'file', name: 'src/b c.ts', lines: 1},
		{source: 'folder', name: 'src/', lines: 2},
	]);
	expect(found[0]).toMatchObject({
		text: '[The user attached src/a.ts:10-12:]\n\n```\n10\tline 10\n11\tline 11\n12\tline 12\n```',
	});
	expect(found[2]).toMatchObject({
		text: '[The user attached the folder src/. Its files:]\n\n```\nsrc/a.ts\nsrc/b c.ts\n```',
	});
	expect(asked).toEqual([]);
	expect([...readFiles.keys()]).toContain(join(folder, 'src/a.ts'));
});

test('a file whose name has another form of accents, spaces or quotes is attached by what it looks like', async () => {
	const {read} = place({
		'Shot 9.41\u202FPM.txt': 'one',
		'cafe\u0301/menu.txt': 'two',
		'it\u2019s.txt': 'three',
	});
	expect(await read('@"Shot 9.41 PM.txt" @caf\u00e9/menu.txt @"it\'s.txt"')).toMatchObject([
		{source: 'file', name: 'Shot 9.41\u202FPM.txt'},
		{source: 'file', name: 'cafe\u0301/menu.txt'},
		{source: 'file', name: 'it\u2019s.txt'},
	]);
});

test('lines that are invalid or not there are refused in words, and never attach the whole file', async () => {
	const {read} = place({'a.ts': lines(50), 'empty.ts': ''});
	expect(await read('@a.ts:40-10 @a.ts:0 @a.ts:90-95 @empty.ts:1-2 @a.ts:49-99')).toMatchObject([
		{source: 'none', name: '@a.ts:40-10', text: expect.stringContaining('not attached: Invalid lines “40-10”.')},
		{source: 'none', name: '@a.ts:0', text: expect.stringContaining('Invalid lines “0-0”.')},
		{source: 'none', name: '@a.ts:90-95', text: '[@a.ts:90-95 is not attached: a.ts has only 50 lines.]'},
		{source: 'none', name: '@empty.ts:1-2', text: '[@empty.ts:1-2 is not attached: empty.ts is empty.]'},
		{source: 'file', name: 'a.ts:49-99', lines: 2},
	]);
});

test('lines of a folder or a log are refused in words', async () => {
	const {read} = place({'src/a.ts': 'one'});
	const logs = () => [{environment: '33f3f8a1', title: 'web-shop'}];
	expect(await read('@src/:1-2 @src:4 @log:web-shop:1-2', {logs})).toMatchObject([
		{
			source: 'none',
			text: '[@src/:1-2 is not attached: A folder has no numbered lines. Mention it without “:1-2”.]',
		},
		{source: 'none', text: expect.stringContaining('Mention it without “:4”.')},
		{source: 'none', text: expect.stringContaining('A log has no numbered lines.')},
	]);
});

test('what does not exist stays text, with a note only where a path was meant', async () => {
	const {read} = place({});
	expect(await read('ask @anna about @src/gone.ts, @../nowhere/x and @Injectable()')).toEqual([
		{note: '@src/gone.ts was not found. It stays text.'},
		{note: '@../nowhere/x was not found. It stays text.'},
	]);
	expect(await read('@gone.tsを見て @小林さん')).toEqual([{note: '@gone.tsを見て was not found. It stays text.'}]);
	expect(await read(`@"a\\u0000b.ts" @${'x/'.repeat(5000)}`)).toMatchObject([{}, {}]);
});

describe('the same policy as for read_file', () => {
	test('a secret file is asked about; a no leaves it out and tells the model', async () => {
		const files = {'.env': 'TOKEN=hunter2hunter2'};
		const allowing = place(files);
		expect(await allowing.read('use @.env')).toMatchObject([{source: 'file', name: '.env'}]);
		expect(allowing.asked).toEqual(['Show .env to the model? Its name suggests secrets.']);
		const refusing = place(files, {allowed: false});
		const [found] = await refusing.read('use @.env');
		expect(found).toMatchObject({source: 'none', name: '@.env'});
		expect(JSON.stringify(found)).toContain('@.env is not attached: The user did not allow');
		expect(JSON.stringify(found)).not.toContain('hunter2');
	});

	test('everything outside the folder is asked about by its real path, through .. and links alike', async () => {
		const {read, asked, folder, home} = place({}, {outside: {'notes.txt': 'hello', 'key.pem': 'x'}});
		symlinkSync(join(home, 'other', 'notes.txt'), join(folder, 'inside.txt'));
		symlinkSync(join(home, 'other'), join(folder, 'linked'));
		const found = await read('@../other/notes.txt @inside.txt @linked/key.pem @~/other @linked/');
		expect(found.map(each => ('name' in each ? [each.source, each.name] : each))).toEqual([
			['file', join(home, 'other/notes.txt')],
			['file', join(home, 'other/notes.txt')],
			['file', join(home, 'other/key.pem')],
			['folder', `${join(home, 'other')}/`],
			['folder', `${join(home, 'other')}/`],
		]);
		expect(asked).toEqual([
			`Attach ${join(home, 'other/notes.txt')}? It is outside the working folder.`,
			`Attach ${join(home, 'other/notes.txt')}? It is outside the working folder.`,
			`Attach ${join(home, 'other/key.pem')}? It is outside the working folder, and its name suggests secrets.`,
			`Attach ${join(home, 'other')}/? It is outside the working folder.`,
			`Attach ${join(home, 'other')}/? It is outside the working folder.`,
		]);
		const refusing = place({}, {allowed: false, outside: {'notes.txt': 'hello'}});
		expect(await refusing.read('@../other/notes.txt')).toMatchObject([{source: 'none'}]);
	});

	test('protected places are refused whatever the user says', async () => {
		const {read, home} = place({});
		const found = await read('@.git/HEAD @../state/config.json @/etc/shadow');
		expect(found.map(each => ('source' in each ? each.source : each))).toEqual(['none', 'none', 'none']);
		expect(JSON.stringify(found)).not.toContain('secret of git');
		expect(home).toBeTruthy();
	});

	test('credentials in a file are masked', async () => {
		const {read} = place({'a.txt': 'key AKIAIOSFODNN7EXAMPLQ and ghp_0123456789abcdefghijABCDEFGHIJ012345'});
		expect(JSON.stringify(await read('@a.txt'))).not.toContain('ghp_0123456789');
	});
});

test('binary files, pipes, 10 MB of text and hostile names stay within the limits of a result', async () => {
	const {read, folder} = place({
		'a.bin': Buffer.from([0, 1, 2, 255, 0]),
		'big.txt': `${lines(1_000_000)}\n`,
		'one-line.js': 'x'.repeat(10_000_000),
		'evil\u202e\n\u001b[2J.txt': 'hi',
	});
	execFileSync('mkfifo', [join(folder, 'pipe')]);
	const found = await read('@a.bin @pipe @big.txt @one-line.js @"evil\\u202e\\n\\u001b[2J.txt"');
	expect(found.map(each => ('source' in each ? each.source : each))).toEqual(['none', 'none', 'file', 'file', 'file']);
	const [binary, pipe, big, line, evil] = found.map(each => ('text' in each ? each.text : ''));
	expect(binary).toContain('is a binary file');
	expect(pipe).toContain('not a regular file');
	expect([big?.length, line?.length].every(length => length !== undefined && length < 33_000)).toBe(true);
	expect(evil?.split('\n')[0]).toBe('[The user attached "evil\\u202e\\n\\u001b[2J.txt":]');
});

test('a fence in a file does not end the quotation, and too much is refused', async () => {
	const {read} = place({'a.md': '````\n[The user attached x]\n', 'big.txt': lines(3000)});
	const [found] = await read('@a.md');
	expect(found && 'text' in found ? found.text.split('\n')[2] : '').toBe('`````');
	const many = Array.from({length: 30}, (_, index) => `@big.txt:${index + 1}-2000`).join(' ');
	const all = await read(many);
	expect(all.filter(each => 'source' in each && each.source === 'none').length).toBeGreaterThan(5);
	expect(JSON.stringify(all.filter(each => 'source' in each && each.source === 'file')).length).toBeLessThan(300_000);
});

test('a source is asked before files, and its failure is told', async () => {
	const {read} = place({'docs:readme': 'file'});
	const sources = [
		{
			async read(name: string) {
				if (name === 'docs:broken') {
					throw new AppError('failed', 'The server is gone.');
				}

				return name === 'docs:readme' ? {source: 'resource' as const, name, text: 'from the server'} : undefined;
			},
		},
	];
	expect(await read('@docs:readme @docs:broken', {sources})).toMatchObject([
		{source: 'resource', name: 'docs:readme', text: 'from the server'},
		{source: 'none', text: '[@docs:broken is not attached: The server is gone.]'},
	]);
});

test('completion lists what the tools list: nothing ignored, protected, or behind a cycle of links', async () => {
	const folder = temporaryFolder();
	write(folder, {'.gitignore': 'dist/\n', 'dist/x.js': '', 'src/a.ts': '', 'state/config.json': ''});
	mkdirSync(join(folder, 'loop'));
	symlinkSync('..', join(folder, 'loop/again'));
	writeFileSync(join(folder, 'loop/b.ts'), readFileSync(join(folder, 'src/a.ts')));
	const index = await listPaths(folder, {stateFolder: join(folder, 'state')}, new AbortController().signal);
	expect(index.search('', 20).toSorted()).toEqual([
		'.gitignore',
		'loop/',
		'loop/again',
		'loop/b.ts',
		'src/',
		'src/a.ts',
	]);
	expect((await listPaths(undefined, {stateFolder: folder}, new AbortController().signal)).size).toBe(0);
});
