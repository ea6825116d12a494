import {execFileSync} from 'node:child_process';
import {link, lstat, mkdir, readFile, rename, rm, symlink, unlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {signal, startAgentAtWork} from './agent-at-work.ts';

/** What takes the place of `d/a.txt` between the plan of an undo and its act. */
const swaps: Readonly<Record<string, (workspace: string, outside: string) => Promise<unknown>>> = {
	'a link to a file elsewhere': async (workspace, outside) => {
		await unlink(join(workspace, 'd/a.txt'));
		await symlink(join(outside, 'a.txt'), join(workspace, 'd/a.txt'));
	},
	'a hard link to a file elsewhere': async (workspace, outside) => {
		await unlink(join(workspace, 'd/a.txt'));
		await link(join(outside, 'a.txt'), join(workspace, 'd/a.txt'));
	},
	'a folder': async workspace => {
		await unlink(join(workspace, 'd/a.txt'));
		await mkdir(join(workspace, 'd/a.txt'));
	},
	'a pipe': async workspace => {
		await unlink(join(workspace, 'd/a.txt'));
		execFileSync('mkfifo', [join(workspace, 'd/a.txt')]);
	},
	'a link in place of its folder': async (workspace, outside) => {
		await rm(join(workspace, 'd'), {recursive: true});
		await symlink(outside, join(workspace, 'd'));
	},
	'a file in place of its folder': async workspace => {
		await rm(join(workspace, 'd'), {recursive: true});
		await writeFile(join(workspace, 'd'), 'a file');
	},
	'nothing, and a file whose name differs in case alone': async workspace =>
		rename(join(workspace, 'd/a.txt'), join(workspace, 'd/A.txt')),
};

test.each(Object.keys(swaps))('[13] an undo writes through nothing that takes the place of a file: %s', async name => {
	for (const when of ['before the plan', 'after the plan']) {
		const agent = await startAgentAtWork({'d/a.txt': 'old'});
		const outside = join(agent.root, 'outside');
		await mkdir(outside);
		await writeFile(join(outside, 'a.txt'), 'new');
		await agent.edit('d/a.txt', 'new');
		const swap = () => swaps[name]?.(agent.workspace, outside);
		await (when === 'before the plan' ? swap() : undefined);
		const plan = await agent.planUndo();
		await (when === 'after the plan' ? swap() : undefined);
		const kind = async () => (await lstat(join(agent.workspace, 'd/a.txt')).catch(() => undefined))?.mode;
		const before = await kind();
		const request = {id: 'u', session: '11111111-2222-4333-8444-555555555555', how: 'undo' as const};
		const {failed} = await agent.changes.apply(plan, () => 'old', {...request, signal});
		expect(await readFile(join(outside, 'a.txt'), 'utf8'), when).toBe('new');
		expect(failed.length === 0 || (await kind()) === before, when).toBe(true);
	}
});
