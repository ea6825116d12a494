import {expect, test} from 'vitest';
import {parseRetention, startRetention, sweepRetention} from '../../../src/server/retention/retention.ts';
import {resolve, upload} from '../artifacts/artifacts.ts';
import {createTestServer} from '../harness.ts';
import {push} from '../ingest/push.ts';

const day = 24 * 60 * 60 * 1000;

test('days are those of all kinds, or of each', () => {
	expect(parseRetention('90')).toEqual({spans: 90, logs: 90, findings: 90});
	expect(parseRetention('spans=30,findings=365')).toEqual({spans: 30, findings: 365});
});

test.each([
	['0', '--retention of 0 days would delete everything at once.'],
	['spans=0', '--retention of 0 days would delete everything at once.'],
	['spans=00', '--retention of 0 days would delete everything at once.'],
	['', '--retention needs whole days up to 36500, not “”.'],
	['-1', '--retention needs whole days up to 36500, not “-1”.'],
	['1.5', '--retention needs whole days up to 36500, not “1.5”.'],
	['99999', '--retention needs whole days up to 36500, not “99999”.'],
	['forever', '--retention needs whole days up to 36500, not “forever”.'],
	['billing=3', '--retention knows no “billing”, only spans, logs, findings, artifacts.'],
	['spans=3,spans=4', '--retention “spans=3,spans=4” names a kind twice.'],
])('“%s” is refused', (text, message) => {
	expect(() => parseRetention(text)).toThrow(message);
});

/** Returns a server with a session, a span without one and an assessment of 1 March, and the same of ten days later. */
async function filled() {
	const server = await createTestServer();
	for (const [name, start] of [
		['old', 0],
		['new', 864_000],
	] as const) {
		await push(server, [
			{id: `${start}1`, start, attributes: {'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': name}},
			{id: `${start}2`, start},
			{id: `${start}3`, start, attributes: {'service.span.type': 'assessment', 'service.airt.assessment.id': name}},
		]);
		server.advance(10 * day);
	}

	const left = async () => ({
		sessions: (await server.database.selectFrom('sessions').select('conversation_id').execute()).map(
			({conversation_id}) => conversation_id,
		),
		spans: (await server.database.selectFrom('spans').select('span_id').execute()).length,
		assessments: (await server.database.selectFrom('assessments').select('id').execute()).length,
	});
	return {server, left};
}

test('artifacts are removed after days of their own, and the organization has their bytes again', async () => {
	const server = await createTestServer();
	const stored = async () =>
		(await server.database.selectFrom('stored_bytes').select('bytes').executeTakeFirst())?.bytes;
	await push(server, [{id: '1', attributes: {'dreadnode.artifacts': [{oid: 'old'}]}}]);
	const before = await stored();
	await upload(server, 'old', 'some bytes');
	// The files have the time of the machine.
	server.advance(Date.now() - server.services.now().getTime() + 10 * day);
	await sweepRetention(server.services, {artifacts: 11});
	expect(await stored()).toBe(Number(before) + 10);
	await sweepRetention(server.services, {artifacts: 9});
	expect(await stored()).toBe(before);
	expect((await resolve(server, 'old')).status).toBe(404);
	expect(await server.database.selectFrom('spans').select('span_id').execute()).toHaveLength(1);
});

test('what is older than it is kept is deleted, each kind after its own days', async () => {
	const {server, left} = await filled();
	await sweepRetention(server.services, {spans: 30, findings: 30});
	expect(await left()).toMatchObject({spans: 6, assessments: 2});
	await sweepRetention(server.services, {findings: 15});
	expect(await left()).toMatchObject({spans: 6, assessments: 1});
	await sweepRetention(server.services, {spans: 15});
	expect(await left()).toEqual({sessions: ['new'], spans: 3, assessments: 1});
	await sweepRetention(server.services, {spans: 1, findings: 1});
	expect(await left()).toEqual({sessions: [], spans: 0, assessments: 0});
});

test('of the servers on a database one deletes at a time, and stops when it closes', async () => {
	const {server, left} = await filled();
	const keepers = [1, 2].map(() => startRetention(server.services, {spans: 15, findings: 15}, 5));
	await expect.poll(left).toEqual({sessions: ['new'], spans: 3, assessments: 1});
	await Promise.all(keepers.map(keeper => keeper.close()));
	// The next server that starts need not wait.
	expect(await server.database.selectFrom('sweeps').select('name').execute()).toEqual([]);
	server.advance(100 * day);
	expect(await left()).toMatchObject({spans: 3});
});
