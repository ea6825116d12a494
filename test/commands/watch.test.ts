import {expect, test} from 'vitest';
import {printResult} from '../../src/headless/print.ts';
import {output} from '../headless/output.ts';
import {api, inWorkspace} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';
const logs = {[`GET ${inWorkspace}/environments/${id}/logs`]: {json: {logs: 'ready\n'}}};

/** Returns the app, connected to a server with one log. */
async function app(answers: readonly (string | undefined)[] = []) {
	const {env, seen} = await api(logs);
	const here = testContext({env, answers});
	return {...here, seen, watches: () => here.store.getState().watches};
}

test('a watch is listed until it is stopped', async () => {
	const {runInApp, watches} = await app();
	const begun = await runInApp('watch', 'timed? out|level>=error', id, '--every', '30s');
	expect(drawn(begun, 80).split('\n')).toEqual([
		'Watching 0b5e0a1c for timed? out|level>=error. You will be notified, at most',
		'every 30 s.',
		'Stop it: /watch stop 1',
	]);
	await expect.poll(() => watches()[0]?.state).toBe('live');
	const listed = await runInApp('watch');
	expect(drawn(listed, 80).split('\n')).toEqual([
		'watch  environment  looks for                found  does                 log',
		'    1  0b5e0a1c     timed? out|level>=error      0  notifies every 30 s  live',
	]);
	expect(drawn(listed, 120)).toContain('notifies every 30 s  live');
	expect(dataOf(listed)).toEqual([
		{
			number: 1,
			condition: 'timed? out|level>=error',
			environment: id,
			server: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
			every_seconds: 30,
			ask: null,
			turns_per_hour: null,
			found: 0,
			state: 'live',
			started_at: expect.stringMatching(/Z$/),
		},
	]);

	expect(drawn(await runInApp('watch', 'stop', '1'), 80)).toBe('Stopped watch 1.');
	expect([watches(), drawn(await runInApp('watch'), 80)]).toEqual([
		[],
		'No active watches. Start one: /watch start <condition> <environment>',
	]);
});

test('a watch that asks the agent shows its limits and starts after confirmation', async () => {
	const {runInApp, watches, asked, store} = await app([undefined, 'yes']);
	store.getState().setModel('openai/gpt-x');
	const words = ['watch', 'error', id, '--ask', 'Why?', '--every', '5m', '--turns', '3'];
	expect(drawn(await runInApp(...words), 80)).toBe('Watch not started.');
	expect([asked, watches()]).toEqual([['Allow it?'], []]);
	const begun = await runInApp(...words);
	expect(drawn(begun, 120)).toContain('The agent will be asked, at most every 5 min and 3 times an hour.');
	expect(dataOf(begun)).toMatchObject({number: 1, ask: 'Why?', turns_per_hour: 3, every_seconds: 300});
	expect(drawn(await runInApp('watch'), 120)).toContain('asks, 0 of 3 turns this hour');
});

test('watch start without an id uses the log in front, else the latest sandbox', async () => {
	const {runInApp, watches, store, folder, home} = await app();
	await expect(runInApp('watch', 'error')).rejects.toMatchObject({code: 'usage', message: 'No sandbox given.'});
	store.setState({logFocus: id});
	await runInApp('watch', 'error');
	store.setState({logFocus: '*', valuesOf: kind => (kind === 'environment' ? [id] : [])});
	await runInApp('watch', 'warn');
	expect(watches().map(({environment}) => environment)).toEqual([id, id]);
	expect([folder, home].every(Boolean)).toBe(true);
});

test('watch stop accepts a number or --all', async () => {
	const {runInApp, watches} = await app();
	expect(drawn(await runInApp('watch', 'stop'), 80)).toBe('No active watches.');
	for (const condition of ['a', 'b', 'c']) {
		await runInApp('watch', condition, id);
	}

	await expect(runInApp('watch', 'stop')).rejects.toMatchObject({
		code: 'usage',
		message: 'Several watches are active.',
	});
	await expect(runInApp('watch', 'stop', '9')).rejects.toMatchObject({code: 'not-found'});
	expect(dataOf(await runInApp('watch', 'stop', '2'))).toEqual([2]);
	expect(watches().map(({condition}) => condition)).toEqual(['a', 'c']);
	const stopped = await runInApp('watch', 'stop', '--all');
	expect([drawn(stopped, 80), dataOf(stopped), watches()]).toEqual(['Stopped all 2 watches.', [1, 3], []]);
	await runInApp('watch', 'd', id);
	expect(drawn(await runInApp('watch', 'stop'), 80)).toBe('Stopped watch 4.');
});

test.each([
	[['error', id, '--every', '1s'], '--every takes a time between 5s and 24h, not “1s”.'],
	[['level>=loud', id], 'Invalid level “loud”.'],
	[['a(', id], 'Invalid regex “a(”: unterminated group.'],
	[['error', id, '--ask', ' '], '--ask needs a prompt.'],
	[['error', id, '--ask', 'Why?', '--notify'], "--ask and --notify can't be combined."],
	[['error', id, '--turns', '0'], '--turns takes a number from 1 to 60.'],
	[['error', id, '--turns', 'many'], '--turns must be a whole number.'],
	[['error', 'short'], 'Invalid sandbox id “short”.'],
])('%j is refused before any request', async (words, message) => {
	const {runInApp, seen, watches} = await app();
	await expect(runInApp('watch', ...words)).rejects.toMatchObject({code: 'usage', message});
	expect([seen, watches()]).toEqual([[], []]);
});

test('an unknown sandbox is an error, and no watch starts', async () => {
	const {runInApp, watches} = await app();
	await expect(runInApp('watch', 'error', id.replace('0', '1'))).rejects.toMatchObject({code: 'not-found'});
	expect(watches()).toEqual([]);
});

test('watch works in the app only', async () => {
	const {run} = await app();
	await expect(run('watch', 'error', id)).rejects.toMatchObject({
		code: 'usage',
		message: 'watch start works inside the app only.',
	});
});

test('the data of the list is one JSON document', async () => {
	const {runInApp} = await app();
	await runInApp('watch', 'error', id);
	const pipe = output();
	printResult(await runInApp('watch'), pipe, {json: true, env: {}});
	expect(JSON.parse(pipe.text())).toMatchObject([{number: 1, condition: 'error'}]);
});
