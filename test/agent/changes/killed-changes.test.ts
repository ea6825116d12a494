import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {buildOnce} from '../../build-once.ts';
import {makeWorkspace} from '../tools/workspace.ts';
import {startAgentAtWork} from './agent-at-work.ts';

const texts = ['old line\n', 'the new line\n'];
const worker = await buildOnce('change-worker', new URL('change-worker.ts', import.meta.url), {
	loader: {'.md': 'text'},
	banner: {js: "import {createRequire} from 'node:module';const require=createRequire(import.meta.url);"},
});

test.each(['restore', 'write', 'edit'])('kill -9 while files are changed by %s leaves each old or new', async way => {
	const {workspace, stateFolder} = await makeWorkspace();
	for (const delayMs of [1, 8, 17, 29, 43]) {
		const child = spawn(process.execPath, [worker, way, workspace, stateFolder, ...texts], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		await once(child.stdout, 'data');
		await sleep(delayMs);
		child.kill('SIGKILL');
		const [status] = await once(child, 'exit');
		expect(status).toBe(null);
		for (const name of (await readdir(workspace)).filter(each => each.endsWith('.txt'))) {
			const text = await readFile(join(workspace, name), 'utf8');
			expect(texts.map(each => each.repeat(20_000)).includes(text), name).toBe(true);
		}
	}
});

test('an undo that was killed is repeated for the rest', async () => {
	const {workspace, edit, planUndo, undo} = await startAgentAtWork({'a.txt': 'a', 'b.txt': 'b'});
	await edit('a.txt', 'A');
	await edit('b.txt', 'B');
	// The first file was restored when the process was killed, before anything was recorded.
	await writeFile(join(workspace, 'a.txt'), 'a');
	expect((await planUndo()).files).toMatchObject([
		{path: 'a.txt', state: 'done'},
		{path: 'b.txt', state: 'ready'},
	]);
	expect(await undo()).toMatchObject({restored: ['b.txt'], failed: []});
});
