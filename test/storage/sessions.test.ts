import {appendFileSync, mkdirSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {Home} from '../../src/storage/home.ts';
import {createJournal} from '../../src/storage/journal.ts';
import {findSession, listSessions} from '../../src/storage/sessions.ts';
import {recorded, run} from './records.ts';
import {temporaryFolder, temporaryHome} from './temporary.ts';

const one = '11111111-0000-4000-8000-000000000001';
const two = '11111111-0000-4000-8000-000000000002';
const three = '33333333-0000-4000-8000-000000000003';

async function save(
	home: Home,
	folder: string,
	session: string,
	events: readonly AgentEvent[],
	from = 0,
): Promise<string> {
	const journal = await createJournal({home, folder, session});
	for (const record of recorded(events, session, from)) {
		journal.append(record);
	}

	await journal.close();
	return journal.path;
}

test('sessions are listed newest first, of one folder or of all', async () => {
	const home = temporaryHome();
	const [here, there] = [temporaryFolder(), temporaryFolder()];
	expect(await listSessions(home)).toEqual([]);
	const first = await save(home, here, one, [
		...run('first\n  question'),
		{type: 'rename', title: 'Old'},
		{type: 'rename', title: 'New'},
	]);
	const second = await save(home, there, two, run('x'.repeat(300), 'openai/gpt'), 100);

	const older = {
		id: one,
		path: first,
		folder: here,
		title: 'New',
		about: 'first question',
		preview: 'first question',
		latest: 'first question',
		updatedAt: '2026-01-01T00:00:06.000Z',
		messages: 2,
		model: 'custom/demo',
	};
	const newer = {
		id: two,
		path: second,
		folder: there,
		title: '',
		about: `${'x'.repeat(47)}…`,
		preview: `${'x'.repeat(199)}…`,
		latest: `${'x'.repeat(199)}…`,
		updatedAt: '2026-01-01T00:01:44.000Z',
		messages: 2,
		model: 'openai/gpt',
	};
	expect(await listSessions(home)).toEqual([newer, older]);
	expect(await listSessions(home, {folder: here})).toEqual([older]);
	expect(await listSessions(home, {folder: temporaryFolder()})).toEqual([]);
});

test('a long session is listed with its title, first message, model and count, at any place of the file', async () => {
	const home = temporaryHome();
	const delta = (messageId: string): AgentEvent => ({type: 'text-delta', id: 't', messageId, text: 'ä'.repeat(1000)});
	const many = (messageId: string) => Array.from({length: 100}, () => delta(messageId));
	const events: AgentEvent[] = [
		...many('m1'),
		...run(`“Hello”\n${'x'.repeat(90_000)}`),
		{type: 'rename', title: 'In “the” middle'},
		...many('m2'),
		...many('m3'),
	];
	await save(home, temporaryFolder(), one, events);
	const [summary] = await listSessions(home);
	expect(summary).toMatchObject({
		title: 'In “the” middle',
		messages: 4,
		model: 'custom/demo',
		updatedAt: '2026-01-01T00:05:05.000Z',
	});
	expect(summary?.preview).toMatch(/^“Hello” x+…$/);
});

test('a line cut off at the end of a session changes nothing in the list', async () => {
	const home = temporaryHome();
	const path = await save(home, temporaryFolder(), one, run('whole'));
	const [before] = await listSessions(home);
	appendFileSync(path, '{"v":1,"seq":9,"at":"2027-01-01T00:00:00.000Z","event":{"type":"user-mess');
	expect(await listSessions(home)).toEqual([before]);
});

test('broken, empty and foreign files do not keep the others from being listed', async () => {
	const home = temporaryHome();
	const folder = temporaryFolder();
	const path = await save(home, folder, one, run('good'));
	const place = join(path, '..');
	writeFileSync(join(place, `${two}.jsonl`), '{{{');
	utimesSync(join(place, `${two}.jsonl`), 1, 1);
	mkdirSync(join(place, `${three}.jsonl`));
	writeFileSync(join(place, 'notes.txt'), '');
	writeFileSync(join(home.sessions, 'stray'), '');
	rmSync(join(place, 'folder.json'));
	expect(
		(await listSessions(home)).map(({id, preview, folder: owner, updatedAt}) => [id, preview, owner, updatedAt]),
	).toEqual([
		[one, 'good', '', '2026-01-01T00:00:04.000Z'],
		[two, '', '', '1970-01-01T00:00:01.000Z'],
	]);
});

test('a session is found by its id and by a beginning that no other has', async () => {
	const home = temporaryHome();
	const folder = temporaryFolder();
	await save(home, folder, one, run('1'));
	await save(home, folder, two, run('2'));
	await save(home, temporaryFolder(), three, run('3'));
	expect((await findSession(home, two)).id).toBe(two);
	expect((await findSession(home, '3333')).id).toBe(three);
	expect((await findSession(home, three.toUpperCase())).id).toBe(three);
	await expect(findSession(home, '3333', {folder})).rejects.toMatchObject({code: 'not-found'});
	await expect(findSession(home, '../../etc')).rejects.toMatchObject({code: 'not-found'});
	await expect(findSession(home, '333')).rejects.toMatchObject({
		code: 'usage',
		message: 'Session id “333” is too short.',
	});
	await expect(findSession(home, '1111')).rejects.toMatchObject({
		code: 'usage',
		message: expect.stringMatching(new RegExp(`^“1111” matches 2 sessions: (${one}, ${two}|${two}, ${one})\\.$`)),
	});
});
