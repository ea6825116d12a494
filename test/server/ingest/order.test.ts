import fc from 'fast-check';
import {expect, test} from 'vitest';
import {ingest} from '../../../src/server/ingest/ingest.ts';
import {decodeTraces} from '../../../src/server/ingest/otlp/decode.ts';
import {engine} from '../database/engine.ts';
import {createTestServer, type TestServer} from '../harness.ts';
import {type Given, toRequest} from './push.ts';

const uuid = (digit: number) => '00000000-0000-4000-8000-000000000000'.replace(/0$/, String(digit));
const few = (words: readonly string[]) => fc.option(fc.constantFrom(...words), {nil: undefined, freq: 2});

/** What a span may contain, from everything that feeds something. */
const attributes = fc.record(
	{
		'gen_ai.conversation.id': few([uuid(1), 'a conversation']),
		'gen_ai.operation.name': few(['chat', 'execute_tool', 'invoke_agent']),
		'gen_ai.response.id': few(['m1', 'm2']),
		'gen_ai.request.model': few(['gpt-4o', 'claude-sonnet-4-5']),
		'gen_ai.usage.input_tokens': fc.option(fc.nat(1000), {nil: undefined}),
		'gen_ai.usage.output_tokens': fc.option(fc.nat(1000), {nil: undefined}),
		'gen_ai.input.messages': few(['[{"role":"user","content":"Hello"}]', '[{"role":"user","content":"Bye"}]', '[]']),
		'service.span.type': few(['compaction', 'assessment', 'attack', 'trial', 'workflow_run']),
		'service.session.title': few(['One', 'Two']),
		'service.session.archived': fc.option(fc.boolean(), {nil: undefined}),
		'service.session.frozen_by': few(['user', 'evaluation']),
		'service.evaluation.id': few(['nightly']),
		'service.airt.assessment.id': few([uuid(2), uuid(3)]),
		'service.airt.assessment.name': few(['First', 'Second']),
		'service.airt.trial.score': fc.option(fc.constantFrom(0.25, 0.5, 0.75), {nil: undefined}),
		'service.workflow.run.id': few([uuid(4)]),
		'service.workflow.run.title': few(['Sweep', 'Mop']),
		'service.item.type': few(['notes', 'hosts']),
		'service.item.id': few(['one', 'two']),
		'service.item.data': few(['{"a":1}', '{"a":2}']),
		'service.item.json_schema': few(['{"title":"1"}', '{"title":"2"}']),
		'dreadnode.artifacts': few(['[{"oid":"x","size_bytes":1}]']),
	},
	{requiredKeys: []},
);

/**
 * Spans of two traces: each may have any of them as parent, including itself and later ones, which real spans never
 * have.
 */
const spans = fc
	.array(fc.record({attributes, parent: fc.nat(8), trace: fc.nat(1), end: fc.nat(20), failed: fc.boolean()}), {
		minLength: 1,
		maxLength: 7,
	})
	.map(given =>
		given.map(
			({parent, trace, end, ...rest}, index): Given => ({
				...rest,
				id: String(index + 1),
				trace: String(trace + 1),
				...(parent < index && {parent: String(parent + 1)}),
				// No two end at the same time: if two differ at the same time, either may win.
				end: 10 + end + index / 10,
				attributes: JSON.parse(JSON.stringify(rest.attributes)),
			}),
		),
	);

/** Returns everything derived from spans, without arrival times. */
async function derived({database}: TestServer) {
	const all = {
		spans: await database.selectFrom('spans').selectAll().orderBy('trace_id').orderBy('span_id').execute(),
		sessions: await database.selectFrom('sessions').selectAll().orderBy('id').execute(),
		messages: await database
			.selectFrom('session_messages')
			.selectAll()
			.orderBy('session_id')
			.orderBy('message_id')
			.execute(),
		compactions: await database.selectFrom('session_compactions').selectAll().orderBy('span_id').execute(),
		assessments: await database.selectFrom('assessments').selectAll().orderBy('id').execute(),
		findings: await database.selectFrom('findings').selectAll().orderBy('id').execute(),
		runs: await database.selectFrom('workflow_runs').selectAll().orderBy('id').execute(),
		items: await database.selectFrom('items').selectAll().orderBy('id').execute(),
		schemas: await database.selectFrom('item_schemas').selectAll().orderBy('item_type').execute(),
		artifacts: await database.selectFrom('artifacts').selectAll().orderBy('trace_id').execute(),
	};
	return JSON.parse(JSON.stringify(all), (key, value) =>
		key === 'said_at' ? Object.entries(JSON.parse(value)).sort() : value,
	);
}

async function forget({database}: TestServer): Promise<void> {
	for (const table of [
		'spans',
		'sessions',
		'assessments',
		'workflow_runs',
		'items',
		'item_schemas',
		'artifacts',
	] as const) {
		await database.deleteFrom(table).execute();
	}
}

test('derived data depends neither on the order of spans, nor on their requests, nor on repetition', async () => {
	const server = await createTestServer();
	const {id} = await server.database.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
	const sender = {organizationId: id, userId: server.owner.id, now: server.services.now(), storageLimit: 1e9};
	const push = async (given: readonly Given[]) => {
		const body = new TextEncoder().encode(JSON.stringify(toRequest(given)));
		const {spans: decoded} = await decodeTraces(body, {contentType: 'application/json'});
		expect(await ingest(server.database, sender, decoded)).toEqual([]);
	};
	await fc.assert(
		fc.asyncProperty(spans, fc.array(fc.nat(), {minLength: 10, maxLength: 10}), async (given, order) => {
			await forget(server);
			await push(given);
			const expected = await derived(server);
			await push(given);
			expect(await derived(server)).toEqual(expected);

			await forget(server);
			const shuffled = given
				.map((span, index) => ({span, rank: order[index] ?? 0}))
				.sort((a, b) => a.rank - b.rank)
				.map(({span}) => span);
			const cut = (order[9] ?? 0) % (given.length + 1);
			await push(shuffled.slice(0, cut));
			for (const span of shuffled.slice(cut)) {
				await push([span]);
			}

			expect(await derived(server)).toEqual(expected);
		}),
		{numRuns: engine === 'sqlite' ? 40 : 15},
	);
});
