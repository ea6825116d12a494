import {execFileSync} from 'node:child_process';
import {readdir, utimes} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {cleanStore} from '../../../src/agent/changes/change-store.ts';
import {type ObjectStore, openObjectStore} from '../../../src/agent/changes/object-store.ts';
import {saveTree} from '../../../src/agent/changes/tree.ts';
import {temporaryFolder} from '../../storage/temporary.ts';

const dayMs = 24 * 60 * 60 * 1000;

async function storeWith(sessions: Readonly<Record<string, string>>) {
	const store = await openObjectStore(join(temporaryFolder(), 'changes', 'folder'));
	const trees: Record<string, string> = {};
	for (const [session, text] of Object.entries(sessions)) {
		const id = await store.put('blob', Buffer.from(text));
		trees[session] = await saveTree(store, {session}, new Map([['d/a.txt', {mode: 'file', id} as const]]), 'test');
	}

	return {store, trees};
}

const ageOf = (store: ObjectStore, session: string, atMs: number) =>
	utimes(join(store.path, 'refs/heads', session), atMs / 1000, atMs / 1000);

test('is a repository that git can read', async () => {
	const {store, trees} = await storeWith({one: 'text of one\n'});
	const git = (...args: readonly string[]) =>
		execFileSync('git', ['--git-dir', store.path, ...args], {encoding: 'utf8'});
	expect(git('fsck', '--strict', '--full')).not.toMatch(/error|missing/);
	expect(git('show', `${trees['one']}:d/a.txt`)).toBe('text of one\n');
	expect(git('log', '--format=%s', 'one')).toBe('test\n');
});

test('deletes the contents of sessions that changed nothing for 30 days, and no others', async () => {
	const {store, trees} = await storeWith({old: 'old', young: 'young'});
	const nowMs = Date.now() + 40 * dayMs;
	await ageOf(store, 'young', nowMs - 29 * dayMs);
	await cleanStore(store, {nowMs});
	expect(await readdir(join(store.path, 'refs/heads'))).toEqual(['young']);
	await expect(store.get('tree', trees['old'] ?? '')).rejects.toMatchObject({code: 'not-found'});
	expect(await store.get('tree', trees['young'] ?? '')).toBeInstanceOf(Buffer);
});

test('deletes the oldest sessions while there is too much, but never those of the last day', async () => {
	const {store} = await storeWith({a: 'a'.repeat(100), b: 'b'.repeat(100), c: 'c'.repeat(100)});
	const nowMs = Date.now() + 10 * dayMs;
	await ageOf(store, 'a', nowMs - 3 * dayMs);
	await ageOf(store, 'b', nowMs - dayMs / 2);
	await ageOf(store, 'c', nowMs);
	await cleanStore(store, {nowMs, maxBytes: 1});
	expect(await readdir(join(store.path, 'refs/heads'))).toEqual(['b', 'c']);
});

test('cleans once a day, and leaves young objects that no session has yet', async () => {
	const {store, trees} = await storeWith({old: 'old'});
	const loose = await store.put('blob', Buffer.from('about to be used'));
	await cleanStore(store, {nowMs: Date.now()});
	expect(await store.get('blob', loose)).toBeInstanceOf(Buffer);
	await ageOf(store, 'old', 0);
	await cleanStore(store, {nowMs: Date.now() + dayMs / 2});
	expect(await store.get('tree', trees['old'] ?? '')).toBeInstanceOf(Buffer);
});
