import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {expect, onTestFinished, test} from 'vitest';
import {openDrafts} from '../../src/config/drafts.ts';
import {identityOf} from '../../src/storage/lock-owner.ts';
import {temporaryHome} from '../storage/temporary.ts';

/** A process that runs until the test ends it. */
function startProcess() {
	const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {stdio: 'ignore'});
	onTestFinished(() => void child.kill('SIGKILL'));
	return {
		owner: identityOf(Number(child.pid)),
		async kill() {
			child.kill('SIGKILL');
			await once(child, 'exit');
		},
	};
}

const path = () => temporaryHome().draftsFile;
const here = {folder: '/here', profile: 'local'};
const none = {stash: []};

test('a start takes over what an ended process left, and nothing of a running one', async () => {
	const file = path();
	const [running, ended] = [startProcess(), startProcess()];
	await openDrafts(file, {...here, owner: running.owner}).save({draft: {text: 'running', at: 3}, stash: ['its stash']});
	await openDrafts(file, {...here, owner: ended.owner}).save({draft: {text: 'ended', at: 1}, stash: ['a', 'b']});
	expect(await openDrafts(file, here).takeOver()).toEqual(none);
	await ended.kill();
	const next = openDrafts(file, here);
	expect(await next.takeOver()).toEqual({draft: {text: 'ended', at: 1}, stash: ['a', 'b']});
	expect(await openDrafts(file, here).takeOver()).toEqual(none);
	await next.save(none);
	await running.kill();
	expect(await openDrafts(file, here).takeOver()).toEqual({draft: {text: 'running', at: 3}, stash: ['its stash']});
});

test('of several ended processes the newest draft stays one, and the others are stashed', async () => {
	const file = path();
	for (const [text, at] of [
		['new', 9],
		['old', 5],
	] as const) {
		const drafts = openDrafts(file, here);
		await drafts.save({draft: {text, at}, stash: [`beside ${text}`]});
		await drafts.release();
	}

	expect(await openDrafts(file, here).takeOver()).toEqual({
		draft: {text: 'new', at: 9},
		stash: ['beside old', 'beside new', 'old'],
	});
});

test('another folder and another profile have their own drafts', async () => {
	const file = path();
	const drafts = openDrafts(file, here);
	await drafts.save({draft: {text: 'mine', at: 1}, stash: []});
	await drafts.release();
	expect(await openDrafts(file, {...here, folder: '/there'}).takeOver()).toEqual(none);
	expect(await openDrafts(file, {...here, profile: 'work'}).takeOver()).toEqual(none);
	expect(await openDrafts(file, here).takeOver()).toMatchObject({draft: {text: 'mine'}});
});

test('the file is private, and a draft that is sent is gone from it [10]', async () => {
	const file = path();
	const drafts = openDrafts(file, here);
	await drafts.save(none);
	expect(existsSync(file)).toBe(false);
	await drafts.save({draft: {text: 'half a thought', at: 1}, stash: []});
	expect(statSync(file).mode & 0o777).toBe(0o600);
	const {ino} = statSync(file);
	await drafts.save({draft: {text: 'half a thought', at: 1}, stash: []});
	expect(statSync(file).ino).toBe(ino);
	await drafts.save(none);
	expect(readFileSync(file, 'utf8')).not.toContain('thought');
});

test('drafts over 64 KB and more than ten stashed ones are not saved', async () => {
	const file = path();
	const drafts = openDrafts(file, here);
	const stash = Array.from({length: 12}, (_, index) => `draft ${index}`);
	await drafts.save({draft: {text: 'é'.repeat(32 * 1024 + 1), at: 1}, stash: [...stash, 'x'.repeat(64 * 1024 + 1)]});
	await drafts.release();
	expect(await openDrafts(file, here).takeOver()).toEqual({stash: stash.slice(2)});
});

test('the oldest records make room, so that the file can always be read again', async () => {
	const file = path();
	const stash = Array.from({length: 10}, () => '\u0001'.repeat(64 * 1024));
	for (const folder of ['/1', '/2', '/3']) {
		const drafts = openDrafts(file, {...here, folder});
		await drafts.save({stash});
		await drafts.release();
	}

	expect(statSync(file).size).toBeLessThan(8 * 1024 * 1024);
	expect(await openDrafts(file, {...here, folder: '/1'}).takeOver()).toEqual(none);
	expect((await openDrafts(file, {...here, folder: '/3'}).takeOver()).stash).toHaveLength(10);
});

const record = {id: 'a', ...here, savedAt: 1, stash: ['x']};

test.each([
	['no JSON', '{"drafts":['],
	['another shape', '[1,2]'],
	['no list', '{"drafts":{"0":{}}}'],
	[
		'other entries',
		JSON.stringify({drafts: [null, 7, 'x', [], {}, {...record, folder: 7}, {...record, savedAt: 'now'}]}),
	],
	['impossible times', '{"drafts":[{"id":"a","folder":"/here","profile":"local","savedAt":1e300,"stash":["x"]}]}'],
	['a draft without a time', JSON.stringify({drafts: [{...record, stash: 7, draft: {text: 'x', at: 1e15}}]})],
])('a damaged file counts as empty and is replaced: %s', async (_, content) => {
	const file = path();
	writeFileSync(file, content);
	const drafts = openDrafts(file, here);
	expect(await drafts.takeOver()).toEqual(none);
	await drafts.save({draft: {text: 'new', at: 1}, stash: []});
	await drafts.release();
	expect(await openDrafts(file, here).takeOver()).toEqual({draft: {text: 'new', at: 1}, stash: []});
});

test('a record with an unreadable owner is taken over', async () => {
	const file = path();
	writeFileSync(file, JSON.stringify({drafts: [{...record, owner: {pid: -1, host: 7}}]}));
	expect(await openDrafts(file, here).takeOver()).toEqual({stash: ['x']});
});

test('a folder in place of the file is an error for the caller', async () => {
	const file = path();
	mkdirSync(file);
	await expect(openDrafts(file, here).takeOver()).rejects.toThrow('is not a file');
});

test.runIf(process.platform === 'linux')(
	'what a killed process left is taken over before its parent notices',
	async () => {
		const file = path();
		// The shell becomes a program that never waits for the child of the shell.
		const parent = spawn('sh', ['-c', 'cat <&3 & echo $!; exec sleep 600'], {
			stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
		});
		onTestFinished(() => void parent.kill('SIGKILL'));
		const [line] = await once(parent.stdout ?? parent, 'data');
		const owner = identityOf(Number(String(line)));
		await openDrafts(file, {...here, owner}).save({draft: {text: 'left', at: 1}, stash: []});
		expect(await openDrafts(file, here).takeOver()).toEqual(none);
		process.kill(owner.pid, 'SIGKILL');
		await expect.poll(() => readFileSync(`/proc/${owner.pid}/stat`, 'utf8')).toContain(') Z ');
		expect(await openDrafts(file, here).takeOver()).toMatchObject({draft: {text: 'left'}});
	},
);
