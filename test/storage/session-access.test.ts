import {appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import type {AgentEvent, Recorded} from '../../src/core/session/event.ts';
import type {JournalState} from '../../src/storage/journal-writer.ts';
import {createSessionAccess} from '../../src/storage/session-access.ts';
import {recorded, run, sessionId} from './records.ts';
import {temporaryFolder, temporaryHome} from './temporary.ts';

const now = () => '2026-02-01T00:00:00.000Z';

function access() {
	const home = temporaryHome();
	const states: JournalState[] = [];
	const sessions = createSessionAccess({home, folder: temporaryFolder(), onState: state => states.push(state), now});
	/** Writes a session as a run of the program leaves it. */
	const write = async (events: readonly AgentEvent[], id = sessionId) => {
		const journal = await sessions.create(id);
		for (const record of recorded(events, id)) {
			journal.append(record);
		}

		await journal.close();
		return sessions.find(id);
	};

	return {home, states, sessions, write};
}

const linesIn = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n');
const recordsIn = (path: string) => linesIn(path).map((line): Recorded => JSON.parse(line));

describe('a new session', () => {
	test('creates no file before its first message', async () => {
		const {home, sessions} = access();
		const journal = await sessions.create(sessionId);
		const [first, message] = recorded(run('Hello'));
		for (const record of first ? [first] : []) {
			journal.append(record);
		}

		await journal.flush();
		expect([existsSync(journal.path), existsSync(home.sessions) && readdirSync(home.sessions)]).not.toContain(true);
		for (const record of message ? [message] : []) {
			journal.append(record);
		}

		await journal.close();
		expect(recordsIn(journal.path).map(({event}) => event.type)).toEqual(['run-start', 'user-message']);
	});

	test('is the latest one, and read as it was written', async () => {
		const {sessions, write} = access();
		await write(run('Hello'));
		const latest = await sessions.findOrLatest(undefined);
		const {records, transcript} = await sessions.read(latest);
		expect(records).toEqual(recorded(run('Hello')));
		expect(transcript.settled).toMatchObject([{text: 'Hello'}, {text: 'Hello.'}]);
		expect(await sessions.list(false)).toEqual([latest]);
	});

	test('whose first message never reached the disk is not the latest one', async () => {
		const {sessions, write} = access();
		const {path} = await write(run('Hello'));
		writeFileSync(path.replace(sessionId, '11111111-2222-4333-8444-555555555555'), '', {mode: 0o600});
		expect(await sessions.list(false)).toHaveLength(2);
		expect(await sessions.findOrLatest(undefined)).toMatchObject({id: sessionId});
	});
});

test('a folder without sessions says what to do', async () => {
	await expect(access().sessions.findOrLatest(undefined)).rejects.toMatchObject({
		code: 'not-found',
		message: 'No sessions in this folder yet.',
		hint: 'Send a message to start one, or list all folders with `sessions --all`.',
	});
});

describe('a session that is resumed', () => {
	test('continues after its last record', async () => {
		const {sessions, write} = access();
		const file = await write(run('Hello'));
		const {transcript, journal, notices} = await sessions.resume(file);
		expect([transcript.seq, transcript.run, notices]).toEqual([4, undefined, []]);
		for (const record of recorded(run('Again'), sessionId, transcript.seq + 1)) {
			journal.append(record);
		}

		await journal.close();
		expect(recordsIn(file.path).map(({seq}) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
	});

	test('with a torn end tells so, sets it aside and loses nothing whole [17]', async () => {
		const {sessions, write} = access();
		const file = await write(run('Hello'));
		const whole = linesIn(file.path);
		appendFileSync(file.path, '{"v":1,"seq":5,"at":"2026-01-');
		const {transcript, journal, notices} = await sessions.resume(file);
		await journal.close();
		expect(notices).toEqual([
			expect.stringMatching(/^The last record of this session was cut off; it was moved to .+\.$/),
		]);
		expect([linesIn(file.path), transcript.seq]).toEqual([whole, 4]);
	});

	test('whose run never ended shows it interrupted, and so its open call, without another record [17]', async () => {
		const {sessions, write} = access();
		const cut: readonly AgentEvent[] = [
			...run('Hello').slice(0, 2),
			{type: 'tool-call', id: 'c1', messageId: 'm1', name: 'read_file', arguments: {}},
		];
		const file = await write(cut);
		const {transcript, journal} = await sessions.resume(file);
		await journal.close();
		expect([transcript.run, transcript.seq, transcript.open]).toEqual([undefined, 2, []]);
		expect(transcript.settled).toMatchObject([
			{kind: 'user'},
			{kind: 'tool', status: 'interrupted'},
			{kind: 'end', reason: 'interrupted'},
		]);
		expect(recordsIn(file.path)).toHaveLength(3);
	});

	test('keeps records that it does not know, tells of them, and goes on behind them [17]', async () => {
		const {sessions, write} = access();
		const file = await write(run('Hello'));
		const unknown = '{"v":1,"seq":5,"at":"","session":"x","server":"local","event":{"type":"of-the-future"}}';
		appendFileSync(file.path, `${unknown}\nnonsense\nmore\n`);
		const {transcript, journal, notices} = await sessions.resume(file);
		for (const record of recorded(run('Again'), sessionId, transcript.seq + 1)) {
			journal.append(record);
		}

		await journal.close();
		expect(notices).toEqual([
			'Unreadable and not shown: 2 lines of this session. The file is unchanged.',
			'From a newer version and not shown: 1 record of this session. The file is unchanged.',
		]);
		const lines = linesIn(file.path);
		expect(lines.slice(5, 8)).toEqual([unknown, 'nonsense', 'more']);
		expect(JSON.parse(lines[8] ?? '')).toMatchObject({seq: 6});
	});

	test('is refused where another window has it open', async () => {
		const {sessions, write} = access();
		const file = await write(run('Hello'));
		const {journal} = await sessions.resume(file);
		await expect(sessions.resume(file)).rejects.toMatchObject({code: 'conflict'});
		await expect(sessions.record(file, {type: 'rename', title: 'x'})).rejects.toMatchObject({code: 'conflict'});
		await journal.close();
		await (await sessions.resume(file)).journal.close();
	});
});

describe('a session that is renamed', () => {
	test('gets one record behind its last one, and shows it', async () => {
		const {sessions, write} = access();
		const file = await write(run('Hello'));
		await sessions.record(file, {type: 'rename', title: 'Greeting'});
		expect(recordsIn(file.path).at(-1)).toEqual({
			v: 1,
			seq: 5,
			at: now(),
			session: sessionId,
			server: 'local',
			event: {type: 'rename', title: 'Greeting'},
		});
		expect((await sessions.find(sessionId.slice(0, 8))).title).toBe('Greeting');
		expect((await sessions.read(file)).transcript.title).toBe('Greeting');
	});
});

test('a session whose reading was aborted is free for the next one who opens it', async () => {
	const {sessions, write} = access();
	const file = await write(run('Hello'));
	const abort = new AbortController();
	const opening = sessions.resume(file, abort.signal);
	abort.abort(new Error('enough'));
	await expect(opening).rejects.toThrow('enough');
	const {journal, transcript} = await sessions.resume(file, new AbortController().signal);
	expect(transcript.settled).toMatchObject([{text: 'Hello'}, {text: 'Hello.'}]);
	await journal.close();
});
