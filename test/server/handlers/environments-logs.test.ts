import {expect, test} from 'vitest';
import {createTestServer, inWorkspace} from '../harness.ts';
import {eventually} from '../sandboxes/sandbox.ts';
import {addTask, listener} from '../sandboxes/task-folder.ts';

/** Creates a server with one environment that logs requests, and functions to read its log. */
async function serverWithLog() {
	const server = await createTestServer();
	await addTask(server, 'listens', {services: {web: {}}}, {'main.mjs': listener});
	const body = {task_ref: 'listens'};
	const {json} = await server.send(`${inWorkspace}/environments`, {method: 'POST', body});
	const path = `${inWorkspace}/environments/${json.id}/logs`;
	const tail = async (query = '', headers: Readonly<Record<string, string>> = {}) => {
		const answer = await server.send(`${path}${query}`, {headers});
		const {status, headers: given, text, json} = answer;
		const numberOf = (name: string) => Number(given.get(name));
		const logs: string = json?.logs;
		return {
			...{status, text, json, logs, tag: given.get('etag') ?? ''},
			...{start: numberOf('x-log-start'), offset: numberOf('x-log-offset'), ended: given.get('x-log-ended')},
		};
	};
	await eventually(async () => (await tail()).logs.endsWith('listens\n'));
	const ask = async (word: string) => {
		await fetch(`${json.service_urls.web.url}${word}`);
		await eventually(async () => (await tail()).logs.includes(word));
	};
	return {server, path, tail, ask};
}

test('the offset of one response is the next `after`, and nothing is missing or repeated', async () => {
	const {tail, ask} = await serverWithLog();
	const first = await tail();
	expect([first.status, first.start, first.offset]).toEqual([200, 0, Buffer.byteLength(first.logs)]);
	const none = await tail(`?after=${first.offset}`);
	expect([none.logs, none.start, none.offset]).toEqual(['', first.offset, first.offset]);

	await ask('apples');
	const second = await tail(`?after=${first.offset}`);
	expect([second.logs, second.start]).toEqual(['asked /apples\n', first.offset]);
	await ask('pears');
	const third = await tail(`?after=${second.offset}`);
	expect(third.logs).toBe('asked /pears\n');
	expect((await tail('?after=0')).logs).toBe(`${first.logs}${second.logs}${third.logs}`);
});

test('an `after` past the end returns the whole tail, because it is a new log', async () => {
	const {tail} = await serverWithLog();
	const whole = await tail();
	for (const after of [whole.offset + 1, Number.MAX_SAFE_INTEGER]) {
		const past = await tail(`?after=${after}`);
		expect([past.logs, past.start, past.offset]).toEqual([whole.logs, 0, whole.offset]);
	}
});

test('an unchanged log is 304 without a body, and a changed one is 200', async () => {
	const {tail, ask} = await serverWithLog();
	const {tag, offset} = await tail();
	expect(tag).toMatch(/^"\d+-\d+"$/);
	for (const given of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
		const same = await tail('', {'if-none-match': given});
		expect([same.status, same.text, same.tag, same.offset]).toEqual([304, '', tag, offset]);
	}

	await ask('more');
	const changed = await tail('', {'if-none-match': tag});
	expect([changed.status, changed.tag === tag]).toEqual([200, false]);
});

test('the log of a sandbox that was stopped is marked as ended, whole, and also with 304', async () => {
	const {server, path, tail} = await serverWithLog();
	expect((await tail()).ended).toBeNull();
	await server.send(`${path.replace(/logs$/, 'stop')}`, {method: 'POST'});
	const {ended, logs, tag} = await tail();
	expect([ended, logs.trimEnd().split('\n').at(-1)]).toEqual(['torn_down', expect.stringContaining('[sandbox]')]);
	expect(await tail('', {'if-none-match': tag})).toMatchObject({status: 304, ended: 'torn_down'});
});

test('[24] an invalid `after` is 422', async () => {
	const {tail} = await serverWithLog();
	const msg = 'must be an offset in bytes, as X-Log-Offset gave it';
	for (const after of ['-1', '1.5', 'x', '', '1e3', '99999999999999999999']) {
		const {status, json} = await tail(`?after=${after}`);
		expect([status, json.errors]).toEqual([422, [{loc: ['query', 'after'], msg, type: 'invalid_offset'}]]);
	}
});

test('[26] the log of another user’s environment looks like an unknown one', async () => {
	const {server, path} = await serverWithLog();
	const stranger = await server.foundAnother('rival');
	const mine = path.replace('/acme/', '/rival/');
	const nothing = path.replace(/environments\/.{8}/, 'environments/00000000');
	const asked = [
		await server.send(mine, {key: stranger.key}),
		await server.send(path, {key: stranger.key}),
		await server.send(nothing),
	];
	expect(asked.map(({status, text}) => [status, text])).toEqual(Array(3).fill([404, asked[2]?.text]));
	expect((await server.send(`${inWorkspace}/environments/x/logs`)).status).toBe(422);
	const member = await server.join('member');
	expect((await server.send(path, {key: member.key})).status).toBe(200);
});

test('the log of a sandbox on another machine is rejected, not shown as empty', async () => {
	const {server, tail} = await serverWithLog();
	const machine = await server.services.sandboxes.provider.machine();
	await server.database.updateTable('sandboxes').set({machine: 'other'}).execute();
	const {status, json} = await tail();
	expect([status, json.type]).toEqual([502, 'sandbox_provider_error']);
	await server.database.updateTable('sandboxes').set({machine}).execute();
});
