import {appendFileSync, readFileSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {readLedger} from '../../src/storage/read-ledger.ts';
import {createSessionAccess} from '../../src/storage/session-access.ts';
import {said, start, used, user} from '../core/records.ts';
import {temporaryFolder, temporaryHome} from './temporary.ts';

const from = Date.UTC(2026, 0, 10);
const to = Date.UTC(2026, 0, 11);

/** Returns a home whose sessions have these events, a minute apart from the given time on. */
async function sessionsOf(...all: ReadonlyArray<readonly [beginning: number, events: readonly AgentEvent[]]>) {
	const home = temporaryHome();
	const sessions = createSessionAccess({home, folder: temporaryFolder(), onState: () => undefined});
	const paths: string[] = [];
	for (const [beginning, events] of all) {
		const session = crypto.randomUUID();
		const journal = await sessions.create(session);
		for (const [seq, event] of events.entries()) {
			const at = new Date(beginning + seq * 60_000).toISOString();
			journal.append({v: 1, seq, at, session, server: 'local', event});
		}

		await journal.close();
		paths.push(journal.path);
	}

	return {home, paths};
}

const talk = (...usages: readonly AgentEvent[]) => [start, user('"type":"usage"'), said('Hi'), ...usages];

test('the requests of a time are read from all sessions, a copied one once, with the last word on each', async () => {
	const {home, paths} = await sessionsOf(
		[from, talk(used('m1', 5), used('m1', 9, 1), used('m2', 3))],
		[from + 1000, talk(used('m1', 9, 1), used('m3', 4))],
		[from - 180_000, talk(used('before', 7))],
		[to, talk(used('after', 7))],
	);
	appendFileSync(paths[0] ?? '', '{"type":"usage" and no JSON\n{"event":{"type":"usage"}}\n{"type":"usage"');
	const {requests, leftOut} = await readLedger(home, {from, to});
	expect([...requests].map(([id, {usage}]) => [id, usage.input]).toSorted()).toEqual([
		['before', 7],
		['m1', 9],
		['m2', 3],
		['m3', 4],
	]);
	expect(leftOut).toBe(0);
});

test('files that were not written since are not opened, and the newest are read first', async () => {
	const {home, paths} = await sessionsOf(
		[from, talk(used('old', 1))],
		[from, talk(used('new', 2))],
		[from, talk(used('newest', 3))],
	);
	const [old = '', recent = '', newest = ''] = paths;
	utimesSync(old, (from - 1000) / 1000, (from - 1000) / 1000);
	utimesSync(recent, (from + 1000) / 1000, (from + 1000) / 1000);
	utimesSync(newest, (from + 2000) / 1000, (from + 2000) / 1000);
	const all = await readLedger(home, {from, to});
	expect([...all.requests.keys()].toSorted()).toEqual(['new', 'newest']);
	const some = await readLedger(home, {from, to, maxBytes: 1500});
	expect([[...some.requests.keys()], some.leftOut]).toEqual([['newest'], 1]);
});

test('a thousand sessions are read', async () => {
	const {home, paths} = await sessionsOf([from, talk(used('m-0', 1))]);
	const [first = ''] = paths;
	const text = readFileSync(first, 'utf8');
	for (let index = 1; index < 1000; index++) {
		const path = join(first, '..', `${crypto.randomUUID()}.jsonl`);
		writeFileSync(path, text.replaceAll('m-0', `m-${index}`), {mode: 0o600});
	}

	const {requests, leftOut} = await readLedger(home, {from, to});
	expect([requests.size, leftOut]).toEqual([1000, 0]);
});
