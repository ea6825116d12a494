import {randomUUID} from 'node:crypto';
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {expect, test} from 'vitest';
import {secret} from '../../src/core/secrets/secret.ts';
import {createJournal, openJournal} from '../../src/storage/journal.ts';
import type {JournalState} from '../../src/storage/journal-writer.ts';
import {thisProcess} from '../../src/storage/lock-owner.ts';
import {folderSlug, makeSessionFolder, sessionFolder} from '../../src/storage/session-folder.ts';
import {linesOf, recorded, run, sessionId} from './records.ts';
import {temporaryFolder, temporaryHome} from './temporary.ts';

const id = sessionId;

test('records come back as they were given, from a file for its owner alone [10] [17]', async () => {
	const home = temporaryHome();
	const folder = temporaryFolder();
	const journal = await createJournal({home, folder, session: id});
	const records = recorded(run('hello'));
	for (const record of records) {
		journal.append(record);
	}

	expect(await journal.flush()).toEqual({saved: true});
	expect(readFileSync(journal.path, 'utf8')).toBe(linesOf(records));
	expect(statSync(journal.path).mode & 0o777).toBe(0o600);
	expect(statSync(dirname(journal.path)).mode & 0o777).toBe(0o700);
	expect(journal.path).toBe(join(home.sessions, folderSlug(folder), `${id}.jsonl`));
	await journal.close();
	expect(readdirSync(dirname(journal.path)).sort()).toEqual([`${id}.jsonl`, 'folder.json']);

	const opened = await openJournal({id, path: journal.path});
	expect({...opened, journal: undefined}).toEqual({
		records,
		nextSeq: 5,
		unknown: 0,
		skipped: 0,
		wholeBytes: linesOf(records).length,
		tornBytes: 0,
		tornIsRecord: false,
		journal: undefined,
		setAside: undefined,
	});
	await opened.journal.close();
});

test('a session without a message leaves no file', async () => {
	const home = temporaryHome();
	const journal = await createJournal({home, folder: temporaryFolder(), session: id});
	for (const record of recorded([{type: 'rename', title: 'Nothing'}])) {
		journal.append(record);
	}

	expect(await journal.close()).toEqual({saved: true});
	expect(readdirSync(home.path)).toEqual([]);
});

test('a link and the folder that it names share their sessions; folders of one name do not', async () => {
	const home = temporaryHome();
	const [one, two] = ['one', 'two'].map(name => join(temporaryFolder(), name, 'My Project!'));
	for (const folder of [one, two]) {
		mkdirSync(folder ?? '', {recursive: true});
	}

	const link = join(temporaryFolder(), 'link');
	symlinkSync(one ?? '', link);
	const placeOf = async (folder: string | undefined) =>
		basename(dirname((await createJournal({home, folder: folder ?? '', session: id})).path));
	expect(await placeOf(link)).toBe(await placeOf(one));
	expect(await placeOf(two)).not.toBe(await placeOf(one));
	expect(await placeOf(one)).toMatch(/^my-project-[\da-f]{10}$/);
	expect(folderSlug('/')).toMatch(/^folder-[\da-f]{10}$/);
	expect(folderSlug(`/${'../'.repeat(99)}${'長い'.repeat(99)}`)).toMatch(/^[^/]{40}-[\da-f]{10}$/);
});

test('a torn tail is set aside, the rest goes on from a fresh line [17]', async () => {
	const path = join(temporaryFolder(), `${id}.jsonl`);
	const [first, second, third] = recorded(run('hello'));
	const whole = linesOf([first, second].flatMap(record => record ?? []));
	writeFileSync(path, `${whole}{"v":1,"seq":2,"at":"20`);
	const opened = await openJournal({id, path});
	expect([opened.records, opened.nextSeq, opened.tornBytes, opened.setAside]).toEqual([
		[first, second],
		2,
		23,
		`${path}.torn`,
	]);
	expect(readFileSync(`${path}.torn`, 'utf8')).toBe('{"v":1,"seq":2,"at":"20\n');
	if (third) {
		opened.journal.append(third);
	}

	await opened.journal.close();
	expect(readFileSync(path, 'utf8')).toBe(`${whole}${JSON.stringify(third)}\n`);
});

test('a last record that lacks its line end alone is kept [17]', async () => {
	const path = join(temporaryFolder(), `${id}.jsonl`);
	const records = recorded(run('hello'));
	writeFileSync(path, linesOf(records.slice(0, 2)).trimEnd());
	const opened = await openJournal({id, path});
	expect([opened.records, opened.setAside]).toEqual([records.slice(0, 2), undefined]);
	for (const record of records.slice(2)) {
		opened.journal.append(record);
	}

	await opened.journal.close();
	expect(readFileSync(path, 'utf8')).toBe(linesOf(records));
});

test('unknown records are kept byte for byte, bad lines are counted and never fatal [17]', async () => {
	const path = join(temporaryFolder(), `${id}.jsonl`);
	const [first, ...rest] = recorded(run('hello'));
	const strange = [
		'{"v":2,"seq":40,  "event":{"type":"hologram"}}',
		'not json',
		'[1]',
		'',
		`{"seq":"x","deep":${'['.repeat(5000)}${']'.repeat(5000)}}`,
		'\u0000\ufffd',
	];
	const text = `${JSON.stringify(first)}\n${strange.join('\n')}\n`;
	writeFileSync(path, text);
	const opened = await openJournal({id, path});
	expect([opened.records, opened.nextSeq, opened.unknown, opened.skipped]).toEqual([[first], 41, 2, 3]);
	for (const record of rest) {
		opened.journal.append(record);
	}

	await opened.journal.close();
	expect(readFileSync(path, 'utf8')).toBe(text + linesOf(rest));
});

test('a line too long for memory is skipped [17]', async () => {
	const path = join(temporaryFolder(), `${id}.jsonl`);
	const records = recorded(run('hello'));
	writeFileSync(path, `{"v":1,"text":"${'x'.repeat(33 * 1024 * 1024)}"}\n${linesOf(records)}`);
	const opened = await openJournal({id, path});
	await opened.journal.close();
	expect([opened.records, opened.skipped]).toEqual([records, 1]);
});

test('a file that cannot be read, or is a link, is an error with a hint [10]', async () => {
	const folder = temporaryFolder();
	const path = join(folder, `${id}.jsonl`);
	await expect(openJournal({id, path})).rejects.toThrow(`Cannot read ${path}: no such file or folder.`);
	writeFileSync(join(folder, 'real'), '');
	symlinkSync(join(folder, 'real'), path);
	await expect(openJournal({id, path})).rejects.toThrow(`Cannot read ${path}: it is a symbolic link.`);
	expect(readdirSync(folder).sort()).toEqual([basename(path), 'real'].sort());
});

test('one process writes a session; a second one is told which', async () => {
	const path = join(temporaryFolder(), `${id}.jsonl`);
	writeFileSync(path, linesOf(recorded(run('hello'))));
	const {journal} = await openJournal({id, path});
	await expect(openJournal({id, path})).rejects.toMatchObject({
		code: 'conflict',
		message: expect.stringContaining(`process ${process.pid}`),
		hint: expect.stringContaining('start a new session'),
	});
	await journal.close();
	await (await openJournal({id, path})).journal.close();
	expect(existsSync(`${path}.lock`)).toBe(false);
});

test('a write error is a state, and missed records are written first once writing works again [19]', async () => {
	const home = temporaryHome();
	const states: JournalState[] = [];
	const onState = (state: JournalState) => states.push(state);
	const journal = await createJournal({home, folder: temporaryFolder(), session: id, onState});
	const records = recorded(run('hello'));
	writeFileSync(home.sessions, 'a file where the folder should be');
	for (const record of records.slice(0, 3)) {
		journal.append(record);
	}

	const reason = `${home.sessions} is not a folder.`;
	expect(await journal.flush()).toEqual({saved: false, reason});
	rmSync(home.sessions);
	for (const record of records.slice(3)) {
		journal.append(record);
	}

	expect(await journal.flush()).toEqual({saved: true});
	expect(readFileSync(journal.path, 'utf8')).toBe(linesOf(records));
	expect(states).toEqual([{saved: false, reason}, {saved: true}]);
	await journal.close();
});

test('an existing file is never overwritten', async () => {
	const home = temporaryHome();
	const folder = temporaryFolder();
	const journal = await createJournal({home, folder, session: id});
	mkdirSync(dirname(journal.path), {recursive: true});
	writeFileSync(journal.path, 'precious');
	for (const record of recorded(run('hello'))) {
		journal.append(record);
	}

	expect(await journal.close()).toEqual({saved: false, reason: 'it already exists'});
	expect(readFileSync(journal.path, 'utf8')).toBe('precious');
	renameSync(journal.path, `${journal.path}.old`);
});

test('a journal never holds a secret [8]', async () => {
	const journal = await createJournal({home: temporaryHome(), folder: temporaryFolder(), session: id});
	const key = secret('sk-ant-0123456789');
	for (const record of recorded(run(`my key is ${key} and ${JSON.stringify({key})}`))) {
		journal.append(record);
	}

	await journal.close();
	expect(readFileSync(journal.path, 'utf8')).not.toContain('0123456789');
});

test('[17] the lock of a session that was killed before its first line is deleted by the next session, and no other', async () => {
	const home = temporaryHome();
	const folder = temporaryFolder();
	const place = await sessionFolder(home, folder);
	makeSessionFolder(place);
	const lockOf = (id: string) => join(place.path, `${id}.jsonl.lock`);
	const [killed, running, saved] = [randomUUID(), randomUUID(), randomUUID()];
	const gone = JSON.stringify({...thisProcess(), pid: 2 ** 22 + 1});
	writeFileSync(lockOf(killed), gone);
	writeFileSync(lockOf(running), JSON.stringify(thisProcess()));
	writeFileSync(lockOf(saved), gone);
	writeFileSync(join(place.path, `${saved}.jsonl`), '');
	const session = randomUUID();
	const journal = await createJournal({home, folder, session});
	for (const record of recorded(run('Hello'), session)) {
		journal.append(record);
	}

	await journal.flush();
	const locks = readdirSync(place.path).filter(name => name.endsWith('.lock'));
	expect(locks.map(name => join(place.path, name)).sort()).toEqual(
		[lockOf(running), lockOf(saved), lockOf(session)].sort(),
	);
	await journal.close();
});
