import {randomUUID} from 'node:crypto';
import fc from 'fast-check';
import {sql} from 'kysely';
import {expect, test} from 'vitest';
import type {Database, Queries} from '../../../src/server/database/tables.ts';
import {keptTotal} from '../../../src/server/handlers/page.ts';
import {createTestServer} from '../harness.ts';
import {type Given, push} from '../ingest/push.ts';
import {findProjectOf} from '../rows.ts';
import {engine} from './engine.ts';

const id = fc.integer({min: 1, max: 30}).map(String);
const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, {nil: undefined});

/** Any span: few ids, so that spans come twice, parents come later, and items and conversations have several. */
const span: fc.Arbitrary<Given> = fc
	.record({
		id,
		parent: maybe(id),
		trace: fc.constantFrom('1', '2'),
		failed: fc.boolean(),
		conversation: maybe(fc.constantFrom('one', 'two')),
		evaluation: maybe(fc.constantFrom('nightly', 'weekly')),
		item: maybe(fc.constantFrom('a', 'b', 'c')),
		type: fc.constantFrom('chat', 'execute_tool', 'task', 'attack'),
		assessment: maybe(fc.constantFrom('probe', 'scan')),
		run: maybe(fc.constantFrom('r1', 'r2')),
		visibility: maybe(fc.constantFrom('private', 'workspace')),
		message: maybe(fc.constantFrom('m1', 'm2')),
	})
	.map(({conversation, evaluation, item, type, message, parent, assessment, run, visibility, ...given}) => ({
		...given,
		...(parent !== undefined && {parent}),
		attributes: {
			'gen_ai.operation.name': type,
			...(conversation && {'gen_ai.conversation.id': conversation}),
			...(evaluation && {'service.evaluation.id': evaluation}),
			...(item && {'service.evaluation.item.id': item}),
			...(message && {'gen_ai.response.id': message}),
			...(assessment && {'service.airt.assessment.id': assessment}),
			...(run && {'service.workflow.run.id': run}),
			...(visibility && {'service.session.visibility': visibility}),
		},
	}));

const act = fc.oneof(
	{weight: 4, arbitrary: fc.record({push: fc.array(fc.array(span, {maxLength: 20}), {minLength: 1, maxLength: 3})})},
	{weight: 1, arbitrary: fc.record({forget: fc.array(id, {minLength: 1, maxLength: 8})})},
	{weight: 1, arbitrary: fc.record({end: fc.constantFrom('one', 'two')})},
	{weight: 1, arbitrary: fc.record({empty: fc.constantFrom('findings', 'assessments', 'workflow_runs')})},
);

/** Each row of a list, once for each scope of it. */
const listed = [
	...['workspace_id', 'project_id'].map(
		scope =>
			`select 'sessions' as list, ${scope} as scope_id, case when visibility = 'private' then user_id else '' end as owner from sessions`,
	),
	...[
		['environments', 'workspace_id'],
		['environments', 'project_id'],
		['workflow_runs', 'workspace_id'],
		['workflow_runs', 'project_id'],
		['assessments', 'workspace_id'],
		['findings', 'project_id'],
		['findings', 'assessment_id'],
	].map(([table, scope]) => `select '${table}', ${scope}, '' from ${table}`),
];

/** Returns all kept counts, and what counting returns. */
async function countsOf(database: Database) {
	const read = async (query: string) => (await sql.raw<Record<string, unknown>>(query).execute(database)).rows;
	const numbers = (rows: readonly Record<string, unknown>[]) =>
		rows.map(row => Object.values(row).map(value => (/^\d+$/.test(String(value)) ? Number(value) : value)));
	const pairs = [
		[
			'select session_id, messages from session_counts',
			"select session_id, count(*) from session_messages where role not in ('tool', 'request', 'task') group by 1",
		],
		[
			'select evaluation_id, type, spans, errors, roots from evaluation_types',
			'select evaluation_id, type, count(*) as spans, sum(case when status_code = 2 then 1 else 0 end) as errors, sum(case when parent_span_id is null then 1 else 0 end) as roots from spans where evaluation_id is not null group by 1, 2',
		],
		[
			"select list || '/' || scope_id, owner, sum(total) from list_totals group by 1, 2 having sum(total) <> 0",
			`select list || '/' || scope_id, owner, count(*) from (${listed.join(' union all ')}) listed where scope_id is not null group by 1, 2`,
		],
		[
			'select evaluation_id, item_id, spans from evaluation_items',
			'select evaluation_id, evaluation_item_id, count(*) from spans where evaluation_id is not null and evaluation_item_id is not null group by 1, 2',
		],
	] as const;
	const found = [];
	for (const [kept, counted] of pairs) {
		found.push([
			numbers(await read(`${kept} order by 1, 2`)),
			numbers(await read(`${counted} order by 1, 2`)),
		] as const);
	}

	return found;
}

test('kept counts are what counting returns, after any pushes at once, duplicates and deletions', async () => {
	const server = await createTestServer();
	const {database} = server;
	await fc.assert(
		fc.asyncProperty(fc.array(act, {minLength: 1, maxLength: 6}), async acts => {
			for (const each of acts) {
				if ('push' in each) {
					await Promise.all(each.push.map(spans => push(server, spans)));
				} else if ('forget' in each) {
					const ids = each.forget.map(number => number.padStart(16, '0'));
					await database.deleteFrom('spans').where('span_id', 'in', ids).execute();
				} else if ('empty' in each) {
					await database.deleteFrom(each.empty).execute();
				} else {
					await database.deleteFrom('sessions').where('conversation_id', '=', each.end).execute();
				}
			}

			for (const [kept, counted] of await countsOf(database)) {
				expect(kept).toEqual(counted);
			}

			await database.deleteFrom('spans').execute();
			for (const table of ['sessions', 'assessments', 'workflow_runs'] as const) {
				await database.deleteFrom(table).execute();
			}

			expect((await countsOf(database)).flat().flat()).toEqual([]);
		}),
		{numRuns: engine === 'sqlite' ? 50 : 10},
	);
});

test('nobody waits for a total that another transaction has changed, and a read between them counts what is committed', async ({
	skip,
}) => {
	skip(engine === 'sqlite', 'one transaction writes at once');
	const {database, owner} = await createTestServer();
	const {organizationId, workspaceId, projectId} = await findProjectOf(database);
	const time = new Date(0).toISOString();
	const add = async (queries: Queries, count: number) => {
		for (let each = 0; each < count; each++) {
			await queries
				.insertInto('workflow_runs')
				.values({
					...{id: randomUUID(), organization_id: organizationId, workspace_id: workspaceId, project_id: projectId},
					...{status: 'pending', claimed_by: owner.id, created_at: time, updated_at: time},
				})
				.execute();
		}
	};
	const totalOf = async () =>
		Number((await keptTotal(database, {list: 'workflow_runs', scopeId: projectId}).executeTakeFirstOrThrow()).total);
	await add(database, 40);
	await database.transaction().execute(async transaction => {
		await sql`set local lock_timeout = 1000`.execute(transaction);
		await add(transaction, 70);
		// Both merge, since each adds more often than totals are merged.
		await database.transaction().execute(async other => {
			await sql`set local lock_timeout = 1000`.execute(other);
			await add(other, 70);
			await other
				.deleteFrom('workflow_runs')
				.where('id', 'in', other.selectFrom('workflow_runs').select('id').limit(5))
				.execute();
			expect(await totalOf()).toBe(40);
		});
		expect(await totalOf()).toBe(105);
	});
	expect(await totalOf()).toBe(175);
	const {length} = await database.selectFrom('list_totals').select('total').where('scope_id', '=', projectId).execute();
	expect(length).toBeLessThan(180);
});
