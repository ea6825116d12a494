import {appendFileSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {createSessionAccess} from '../../src/storage/session-access.ts';
import {said, start, used, user} from '../core/records.ts';
import {temporaryFolder, temporaryHome} from './temporary.ts';

const id = (digit: string) => `${digit.repeat(8)}-5a37-4c8e-9d3a-000000000000`;

/** Two sessions of one folder, the first with the usage of two messages, of which one was told twice. */
async function twoSessions() {
	const home = temporaryHome();
	const sessions = createSessionAccess({home, folder: temporaryFolder(), onState: () => undefined});
	const told = [
		[start, user('"type":"usage"'), said('Hi'), used('m1', 5), used('m1', 9, 1), used('m2', 3)],
		[start, user('Hi')],
	];
	for (const [index, events] of told.entries()) {
		const session = id(`${index + 1}`);
		const journal = await sessions.create(session);
		for (const [seq, event] of events.entries()) {
			journal.append({v: 1, seq, at: `2026-01-0${2 - index}T00:00:00Z`, session, server: 'local', event});
		}

		await journal.close();
	}

	return {sessions, home, files: await sessions.list(true)};
}

const usage = (input: number, output = 0) => ({input, cacheRead: 0, cacheWrite: 0, output, reasoning: 0});

test('what each message used is read, the last word on a message alone', async () => {
	const {sessions, files} = await twoSessions();
	const [file] = files;
	appendFileSync(file?.path ?? '', '{"type":"usage" and no JSON\n{"event":{"type":"usage"}}\n');
	expect(await sessions.usageOf(files)).toEqual(
		new Map([
			[
				id('1'),
				[
					{model: 'custom/demo', usage: usage(9, 1), current: true, at: '2026-01-02T00:00:00Z'},
					{model: 'custom/demo', usage: usage(3), current: true, at: '2026-01-02T00:00:00Z'},
				],
			],
			[id('2'), []],
		]),
	);
});

test('a large, missing or linked file is skipped [10]', async () => {
	const {sessions, home, files} = await twoSessions();
	const [first] = files;
	const link = join(home.sessions, 'link.jsonl');
	symlinkSync(first?.path ?? '', link);
	appendFileSync(first?.path ?? '', `${' '.repeat(33 * 1024 * 1024)}\n`);
	const others = [link, '/nowhere/at/all'].map((path, index) => ({id: id(`${index + 7}`), path, folder: ''}));
	expect([...(await sessions.usageOf([...others, ...files])).keys()]).toEqual([id('2')]);
});
