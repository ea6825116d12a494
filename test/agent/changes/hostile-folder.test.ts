import {chmod, mkdir, readdir, readFile, symlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test, vi} from 'vitest';
import {openObjectStore} from '../../../src/agent/changes/object-store.ts';
import {filesOf, type KnownFiles, scanFolder} from '../../../src/agent/changes/scan-folder.ts';
import {diffTrees, writeTree} from '../../../src/agent/changes/tree.ts';
import {git, makeWorkspace, writeAll} from '../tools/workspace.ts';
import {signal, startAgentAtWork} from './agent-at-work.ts';

test('[13] runs nothing that a repository asks for: hooks, filters, fsmonitor, textconv, submodules', async () => {
	const work = await startAgentAtWork({'a.txt': 'a\r\n', 'b.secret': 'b'});
	const {workspace, root} = work;
	git(workspace, 'init', '-q');
	const canary = join(root, 'canary');
	const evil = join(root, 'evil.sh');
	await writeFile(evil, `#!/bin/sh\ntouch ${canary}\ncat\n`);
	await chmod(evil, 0o755);
	for (const hook of await readdir(join(workspace, '.git/hooks'))) {
		await writeFile(join(workspace, '.git/hooks', hook.replace('.sample', '')), `#!/bin/sh\ntouch ${canary}\n`, {
			mode: 0o755,
		});
	}

	await writeAll(workspace, {
		'.gitattributes': '* filter=evil diff=evil text=auto eol=lf ident merge=evil\n',
		'.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::${evil}\n\tupdate = !${evil}\n`,
		'.git/config': `[core]\n\tfsmonitor = ${evil}\n\thooksPath = ${root}\n\tpager = ${evil}\n\tworktree = ${root}\n[filter "evil"]\n\tclean = ${evil}\n\tsmudge = ${evil}\n\trequired = true\n[diff "evil"]\n\ttextconv = ${evil}\n\tcommand = ${evil}\n`,
		'x/.git': `gitdir: ${root}\n`,
		'x/inner.txt': 'inner',
	});
	await work.run(async () => {
		await writeFile(join(workspace, 'a.txt'), 'changed\n');
		await writeFile(join(workspace, 'x/inner.txt'), 'changed');
	});
	expect((await work.review()).map(({path}) => path)).toEqual(['a.txt', 'x/inner.txt']);
	expect(await work.undo()).toMatchObject({restored: ['a.txt', 'x/inner.txt'], failed: []});
	expect(await readFile(join(workspace, 'a.txt'), 'latin1')).toBe('a\r\n');
	expect(await readdir(root)).not.toContain('canary');
});

test('[13] links to outside are links, and pipes and loops are passed over', async () => {
	const work = await startAgentAtWork({'a.txt': 'a'});
	await symlink(work.root, join(work.workspace, 'out'));
	await symlink('.', join(work.workspace, 'loop'));
	const {execFileSync} = await import('node:child_process');
	execFileSync('mkfifo', [join(work.workspace, 'pipe')]);
	await work.run(() => writeFile(join(work.workspace, 'a.txt'), 'b'));
	expect(await work.undo()).toMatchObject({restored: ['a.txt'], failed: []});
	expect(work.notices).toEqual([]);
});

test('reads a thousand files once, and then only what changed', async () => {
	const {root, workspace} = await makeWorkspace();
	await Promise.all(Array.from({length: 50}, (_, folder) => mkdir(join(workspace, `d${folder}`))));
	const paths = Array.from({length: 1000}, (_, index) => `d${index % 50}/f${index}.txt`);
	for (const path of paths) {
		await writeFile(join(workspace, path), `content of ${path}\n`);
	}

	const store = await openObjectStore(join(root, 'changes', 'store'));
	const put = vi.fn(store.put);
	const bounds = {workspace, hidden: []};
	// As if the files had been there for a while.
	const now = () => Date.now() + 60_000;
	const scan = (known: KnownFiles) => scanFolder({folder: workspace, bounds, store: {put}, known, signal, now});
	const first = await scan(new Map());
	expect(first.size).toBe(1000);
	put.mockClear();
	const before = await writeTree(store, filesOf(first));
	await writeFile(join(workspace, 'd7/f7.txt'), 'changed');
	const after = await writeTree(store, filesOf(await scan(first)));
	expect((await diffTrees(store, before, after)).map(({path}) => path)).toEqual(['d7/f7.txt']);
	expect(put).toHaveBeenCalledTimes(1);
});

test('a folder that is too large is said once, and edits can still be taken back', async () => {
	const {root, workspace} = await makeWorkspace({'a.txt': 'a'.repeat(100), 'b.txt': 'b'});
	const store = await openObjectStore(join(root, 'changes', 'store'));
	const scan = {folder: workspace, bounds: {workspace, hidden: []}, store, known: new Map(), signal};
	await expect(scanFolder({...scan, maxBytes: 50})).rejects.toThrow(
		'too large to save before commands (too many bytes)',
	);
	await expect(scanFolder({...scan, timeoutMs: -1})).rejects.toThrow(
		'too large to save before commands (it took too long)',
	);
});

test('a store that cannot be written does not stop the agent, and is said once', async () => {
	const {workspace, edit, stateFolder, notices, undo} = await startAgentAtWork({'a.txt': 'a'});
	await writeFile(join(stateFolder, 'changes'), 'in the way');
	await edit('a.txt', 'b');
	await edit('a.txt', 'c');
	expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('c');
	expect(notices).toEqual([expect.stringContaining('This change can’t be undone later: ')]);
	await expect(undo()).rejects.toThrow('is not a folder');
});

test('a file that the system does not let us look at is named with the reason', async () => {
	const {workspace, tracker, record, notices} = await startAgentAtWork();
	const path = join(workspace, 'x'.repeat(300));
	record(await tracker.before('call-1', {kind: 'edit', path}, signal));
	expect(notices).toEqual([`This change can’t be undone later: Cannot read ${path}: the name is too long.`]);
});
