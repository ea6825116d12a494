import {execFileSync} from 'node:child_process';
import {mkdir, rename, symlink, writeFile} from 'node:fs/promises';
import {createServer} from 'node:net';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {boundsOf, locate, openInside, openLocated} from '../../../src/agent/policy/bounds.ts';
import {createListFiles} from '../../../src/agent/tools/list-files.ts';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import {createSearchText, findRipgrep} from '../../../src/agent/tools/search-text.ts';
import {createFolderTools} from '../../../src/agent/tools/tools.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import {makeWorkspace, toolContext} from '../tools/workspace.ts';

const refusals: readonly (readonly [path: string, message: string])[] = [
	['../outside.txt', 'outside the working folder'],
	['src/../../outside.txt', 'outside the working folder'],
	['/etc/passwd', 'outside the working folder'],
	['/proc/self/environ', 'outside the working folder'],
	['../missing.txt', 'outside the working folder'],
	['missing/../../../missing.txt', 'outside the working folder'],
	['link-out', 'outside the working folder'],
	['folder-out/outside.txt', 'outside the working folder'],
	['folder-out/missing.txt', 'outside the working folder'],
	['.git/config', 'protected'],
	['.GIT/config', 'protected'],
	['src/.git', 'protected'],
	['missing.txt', 'File not found: “missing.txt”'],
	['a\0b', 'NUL'],
	['x'.repeat(4097), 'The path is too long'],
	[`${'x/'.repeat(256)}a`, 'The path is too long'],
	['src', 'is a folder'],
];

const moreArguments: Readonly<Record<string, JsonObject>> = {
	search_text: {pattern: 'x'},
	edit_file: {edits: [{old_text: 'a', new_text: 'b'}]},
	write_file: {content: 'b'},
};

test.each(refusals)('[13] %j is refused by every tool: %s', async (path, message) => {
	const {root, workspace, stateFolder, context} = await makeWorkspace({
		'src/a.ts': 'a',
		'.git/config': 'key = 1',
		'src/.git': 'x',
	});
	await symlink(join(root, 'outside.txt'), join(workspace, 'link-out'));
	await symlink(root, join(workspace, 'folder-out'));
	const tools = createFolderTools({stateFolder}).filter(
		({name, parameters}) =>
			'path' in Object(parameters['properties']) &&
			(path !== 'src' || name === 'read_file') &&
			(path !== 'missing.txt' || name !== 'write_file'),
	);
	for (const tool of tools) {
		const args = {path, ...moreArguments[tool.name]};
		await expect(tool.run(args, context)).rejects.toThrow(message);
	}
});

test('[13] our own state is refused and never listed or found, even inside the working folder', async () => {
	const {root, stateFolder, context} = await makeWorkspace({'a.txt': 'a secret key'});
	const [listFiles, readFile, searchText] = createFolderTools({stateFolder});
	const around = {...context, workspace: root};
	await expect(readFile?.run({path: '.service/config.json'}, around)).rejects.toThrow('protected');
	expect(await listFiles?.run({}, around)).toBe('outside.txt\nproject/a.txt');
	expect(await searchText?.run({pattern: 'secret'}, around)).toBe('project/a.txt:1:a secret key');
	expect(await searchText?.run({pattern: 'secret', glob: '**/config.json'}, around)).toBe('[no matches]');
});

test('[13] files in which programs keep secrets are refused and never listed or found, linked or not', async () => {
	const {root, workspace, stateFolder} = await makeWorkspace({
		'.ssh/id_ed25519': 'one key',
		'.netrc': 'one password',
		'.config/gh/hosts.yml': 'one token',
		'.config/fish/config.fish': 'one setting',
		'src/.ssh/notes.md': 'one note',
		'dotfiles/aws/credentials': 'one secret',
		'.bash_history': 'one command',
	});
	await symlink('dotfiles/aws', join(workspace, '.aws'));
	const context = {workspace, ...toolContext()};
	const places = {stateFolder, homeFolder: workspace};
	const seen = ['.aws', '.config/fish/config.fish', 'src/.ssh/notes.md'];
	expect(await createListFiles(places).run({}, context)).toBe(seen.join('\n'));
	for (const ripgrep of [findRipgrep, async () => undefined]) {
		const search = createSearchText({...places, ripgrep});
		expect(await search.run({pattern: 'one'}, context)).toBe(
			'.config/fish/config.fish:1:one setting\nsrc/.ssh/notes.md:1:one note',
		);
		await expect(search.run({pattern: 'one', path: '.ssh'}, context)).rejects.toThrow('protected');
	}

	const hidden = ['.ssh/id_ed25519', '.netrc', '.aws/credentials', 'dotfiles/aws/credentials', '.gnupg/missing'];
	for (const path of hidden) {
		await expect(createReadFile(places).run({path}, context)).rejects.toThrow('protected');
	}

	// Seen from outside and from inside.
	for (const [folder, path] of [
		[root, 'project/.netrc'],
		[join(workspace, '.ssh'), 'id_ed25519'],
	] as const) {
		await expect(createReadFile(places).run({path}, {...context, workspace: folder})).rejects.toThrow('protected');
	}
});

test.each(['/etc/shadow', '/etc/shadow-', '/etc/gshadow-', '/etc/sudoers.d/team', '/etc/ssl/private/web.key'])(
	'[13] %s of the system is refused to who works in /etc, there or not',
	async path => {
		const bounds = await boundsOf('/etc', {stateFolder: '/nowhere'});
		await expect(locate(path, bounds)).rejects.toThrow('protected');
	},
);

test('[13] the environment of the process is refused, even if the working folder is /', async () => {
	const {stateFolder} = await makeWorkspace();
	await expect(openInside('/proc/self/environ', await boundsOf('/', {stateFolder}))).rejects.toThrow('protected');
});

test('[13] a folder swapped for a link between check and opening gains nothing', async () => {
	const {root, workspace, stateFolder} = await makeWorkspace({'docs/outside.txt': 'inside'});
	const bounds = await boundsOf(workspace, {stateFolder});
	const located = await locate('docs/outside.txt', bounds);
	await rename(join(workspace, 'docs'), join(workspace, 'old'));
	await symlink(root, join(workspace, 'docs'));
	await expect(openLocated(located, bounds)).rejects.toThrow('outside the working folder');
});

test('[13] a file swapped for a link between check and opening gains nothing', async () => {
	const {root, workspace, stateFolder} = await makeWorkspace({'a.txt': 'inside'});
	const bounds = await boundsOf(workspace, {stateFolder});
	const located = await locate('a.txt', bounds);
	await rename(join(workspace, 'a.txt'), join(workspace, 'b.txt'));
	await symlink(join(root, 'outside.txt'), join(workspace, 'a.txt'));
	await expect(openLocated(located, bounds)).rejects.toThrow('not a regular file');
});

test.runIf(process.platform !== 'win32')('a pipe and a socket are refused without waiting for them', async () => {
	const {workspace, stateFolder} = await makeWorkspace();
	execFileSync('mkfifo', [join(workspace, 'pipe')]);
	const server = createServer().listen(join(workspace, 'socket'));
	onTestFinished(() => new Promise(resolve => server.close(() => resolve())));
	for (const path of ['pipe', 'socket']) {
		await expect(openInside(path, await boundsOf(workspace, {stateFolder}))).rejects.toThrow('not a regular file');
	}
});

test('a link within the workspace is followed, and its target is shown', async () => {
	const {workspace, stateFolder} = await makeWorkspace({'real/a.txt': 'a'});
	await mkdir(join(workspace, 'links'));
	await symlink('../real/a.txt', join(workspace, 'links/a'));
	await writeFile(join(workspace, '..hidden'), 'a name that begins with two dots is no way out');
	expect((await locate('links/a', await boundsOf(workspace, {stateFolder}))).shown).toBe('real/a.txt');
	expect((await locate('..hidden', await boundsOf(workspace, {stateFolder}))).shown).toBe('..hidden');
});
