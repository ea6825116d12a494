import {expect, test} from 'vitest';
import {user} from '../core/records.ts';
import {dataOf, drawn, testContext} from './context.ts';

test('new starts an empty session and keeps the previous one', async () => {
	const {runInApp, store} = testContext();
	const before = store.getState().transcript.session;
	expect(await runInApp('new')).toEqual({kind: 'text', text: 'New session.'});
	expect(store.getState().transcript).toMatchObject({seq: -1, settled: []});
	expect(store.getState().transcript.session).not.toBe(before);
});

test('clear and quit return a result for the screen', async () => {
	const {run, runInApp} = testContext();
	expect(await runInApp('clear')).toEqual({kind: 'panel', panel: {show: 'clear'}});
	expect(await runInApp('q')).toEqual({kind: 'quit'});
	const begin = 'Start the app with `$`: it begins with a new session.';
	const end = 'End a host with `$ host stop`, and a server with Ctrl+C where it runs.';
	for (const [name, hint] of Object.entries({new: begin, clear: begin, quit: end})) {
		await expect(run(name)).rejects.toMatchObject({message: `${name} works inside the app only.`, hint});
	}
});

test('a shell is told what to type instead of a command of the app, with its arguments', async () => {
	const {run} = testContext();
	const hints = [
		[['compact', 'keep', 'all names'], "Resume a session with `$ -c`, then type /compact now keep 'all names'."],
		[['rewind'], 'Resume a session with `$ -c`, then type /rewind.'],
		[['plan'], 'Start the app with `$`, then type /plan.'],
		[['logs'], 'Show the log of a sandbox: `$ env logs <environment>`'],
		[['watch', 'ERROR'], 'Start the app with `$`, then type /watch start ERROR.'],
	] as const;
	for (const [words, hint] of hints) {
		await expect(run(...words)).rejects.toMatchObject({code: 'usage', hint});
	}
});

test('usage, rename and export in the app act on the session on screen', async () => {
	const {runInApp, store} = testContext();
	expect(drawn(await runInApp('usage'), 80)).toContain('Nothing used yet. Send a message first.');
	await expect(runInApp('export')).rejects.toMatchObject({code: 'usage'});

	const {session} = store.getState().transcript;
	store
		.getState()
		.applyRecords([{v: 1, seq: 0, at: '2026-01-01T00:00:00Z', session, server: 'local', event: user('Hi')}]);
	expect(dataOf(await runInApp('usage'))).toMatchObject({usage: {total_message_count: 1}});
});

test.each([80, 120])('help for a noun and a command is drawn at %d columns', async width => {
	const {run, runInApp} = testContext();
	expect(drawn(await run('help', 'session'), width).split('\n')).toEqual([
		'A session on this machine, or of the platform.',
		'',
		'command            what it does',
		'session list       List the sessions of the workspace, latest first',
		'session saved      List the sessions of this folder, newest first',
		'session show       Show a session saved on this machine, and what it used',
		'session unarchive  Restore a session from the archive',
		'session delete     Delete a session of the platform with its spans',
		'session export     Write the spans of a session, a line of JSON each',
		'',
		'service session list',
		'service sessions --all --json',
		'service session show',
		'service session unarchive 7d9f3a52',
		'service session delete 7d9f3a52 --yes',
		'service session export 7d9f3a52',
		'',
		'service session <verb> --help for details.',
		'service sessions alone is session saved.',
	]);
	expect(drawn(await runInApp('help', 'sessions'), width).split('\n')).toEqual([
		'List the sessions of this folder, newest first.',
		'',
		'Usage: /sessions [--all]',
		'',
		'--all  of every folder',
		'',
		'/sessions --all --json',
	]);
});

test('help accepts nothing, a noun, a command, an alias and a slash', async () => {
	const {run, runInApp} = testContext();
	const paths = async (...words: string[]) => {
		const data = dataOf(await runInApp('help', ...words));
		return Array.isArray(data) ? data.map(({command}) => command) : data;
	};

	expect(await paths()).toEqual(expect.arrayContaining(['login', 'keys set', 'quit']));
	expect(await paths('keys')).toEqual(['keys set', 'keys list', 'keys remove']);
	expect(await paths('/keys', 'set')).toMatchObject({command: 'keys set'});
	for (const flag of ['--help', '-h']) {
		expect(dataOf(await runInApp('keys', flag))).toEqual(dataOf(await runInApp('help', 'keys')));
		expect(dataOf(await runInApp('model', flag))).toEqual(dataOf(await runInApp('help', 'model')));
		expect(dataOf(await runInApp('keys', 'set', flag))).toMatchObject({command: 'keys set'});
	}
	expect(await paths('exit')).toMatchObject({command: 'quit'});
	expect(drawn(await run('?', 'logout'), 80)).toBe(
		'Log out of the active profile and revoke its tokens.\n\nUsage: service logout\n\nservice logout\n\nservice --help lists the flags of every command, such as --json.',
	);
	await expect(run('help', 'lgoin')).rejects.toMatchObject({hint: expect.stringContaining('Did you mean `login`?')});
});
