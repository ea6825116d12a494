import {readFile, unlink, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {startAgentAtWork} from './agent-at-work.ts';

const text = (folder: string, path: string) => readFile(join(folder, path), 'utf8');
const paths = (files: readonly {readonly path: string}[]) => files.map(({path}) => path);

test('what a background job changes after its call belongs to the agent, and is asked about', async () => {
	const {workspace, startJob, review, planUndo, undo, redo} = await startAgentAtWork({'a.txt': 'old\n'});
	const end = await startJob('1');
	await writeFile(join(workspace, 'a.txt'), 'built\n');
	await writeFile(join(workspace, 'out.txt'), 'new\n');
	await end();
	await writeFile(join(workspace, 'mine.txt'), 'mine\n');
	expect(paths(await review())).toEqual(['a.txt', 'out.txt']);
	expect((await planUndo()).files).toMatchObject([
		{path: 'a.txt', state: 'changed', job: '1'},
		{path: 'out.txt', state: 'changed', job: '1'},
	]);

	expect(await undo('mine')).toMatchObject({restored: []});
	expect(await text(workspace, 'a.txt')).toBe('built\n');
	await redo();
	expect(await undo('old')).toMatchObject({restored: ['a.txt', 'out.txt']});
	expect(await text(workspace, 'a.txt')).toBe('old\n');
	expect(await text(workspace, 'mine.txt')).toBe('mine\n');
});

test('what a running job has changed so far is known too', async () => {
	const {workspace, startJob, review, planUndo} = await startAgentAtWork({'a.txt': 'old\n'});
	await startJob('1');
	await writeFile(join(workspace, 'a.txt'), 'built\n');
	expect(paths(await review())).toEqual(['a.txt']);
	expect((await planUndo()).files).toMatchObject([{path: 'a.txt', state: 'changed', job: '1'}]);
});

test('an edit beside a running job is taken back without asking, and without what the job changed', async () => {
	const {workspace, startJob, edit, run, say, planUndo} = await startAgentAtWork({'a.txt': 'a\n', 'b.txt': 'b\n'});
	const end = await startJob('1');
	await writeFile(join(workspace, 'job.txt'), 'job\n');
	say('message-2');
	await edit('a.txt', 'edited\n');
	await run(() => writeFile(join(workspace, 'b.txt'), 'by a command\n'));
	expect((await planUndo()).files).toMatchObject([
		{path: 'a.txt', state: 'ready'},
		{path: 'b.txt', state: 'ready'},
	]);
	await end();
	expect(paths((await planUndo()).files)).toEqual(['a.txt', 'b.txt']);
});

test('a file that both a job and the user changed is the user’s, too', async () => {
	const {workspace, startJob, planUndo} = await startAgentAtWork({'a.txt': 'old\n'});
	const end = await startJob('1');
	await writeFile(join(workspace, 'a.txt'), 'built\n');
	await end();
	await writeFile(join(workspace, 'a.txt'), 'built\nmine\n');
	const {files} = await planUndo();
	expect(files).toMatchObject([{path: 'a.txt', state: 'changed'}]);
	expect(files[0]?.job).toBe(undefined);
});

test('what the user restores while a job runs is not the job’s', async () => {
	const {workspace, startJob, edit, undo, review} = await startAgentAtWork({'a.txt': 'old\n'});
	const end = await startJob('1');
	await edit('a.txt', 'edited\n');
	await undo();
	await writeFile(join(workspace, 'job.txt'), 'job\n');
	await end();
	expect(await text(workspace, 'a.txt')).toBe('old\n');
	expect(paths(await review())).toEqual(['job.txt']);
});

test('two jobs are named together, up to the end of the last one', async () => {
	const {workspace, startJob, planUndo} = await startAgentAtWork({'a.txt': 'old\n'});
	const endFirst = await startJob('1');
	const endSecond = await startJob('2');
	await writeFile(join(workspace, 'a.txt'), 'one\n');
	await endFirst();
	await writeFile(join(workspace, 'b.txt'), 'two\n');
	await endSecond();
	expect((await planUndo()).files).toMatchObject([
		{path: 'a.txt', job: '1, 2'},
		{path: 'b.txt', job: '1, 2'},
	]);
});

test('a job that changes nothing leaves nothing to undo', async () => {
	const {workspace, startJob, review, undo} = await startAgentAtWork({'a.txt': 'old\n'});
	const end = await startJob('1');
	await end();
	await unlink(join(workspace, 'a.txt'));
	expect(await review()).toEqual([]);
	expect(await undo()).toMatchObject({restored: [], event: undefined});
});

test('nothing is recorded after the session was closed', async () => {
	const {workspace, startJob, tracker, steps} = await startAgentAtWork({'a.txt': 'old\n'});
	const end = await startJob('1');
	await writeFile(join(workspace, 'a.txt'), 'built\n');
	await tracker.close();
	await end();
	expect(steps().map(({job, after}) => [job, after !== undefined])).toEqual([
		[undefined, true],
		['1', false],
	]);
});
