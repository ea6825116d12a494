import {randomUUID} from 'node:crypto';
import {sql} from 'kysely';
import {expect, test} from 'vitest';
import type {Database} from '../../../src/server/database/tables.ts';
import {createTestServer} from '../harness.ts';
import {toRequest, tracesPath} from './push.ts';

const rivalPath = '/api/v1/org/rival/otel/traces';

const tables = ['sessions', 'assessments', 'workflow_runs', 'items'] as const;

const spanOf = (id: string) => ({
	id: '1',
	attributes: {
		'gen_ai.conversation.id': id,
		'service.airt.assessment.id': id,
		'service.workflow.run.id': id,
		'service.item.id': id,
		'service.item.type': 'notes',
		'service.item.data': '{}',
	},
});

/** Returns how many of a database's connections wait for another one. */
async function countWaiting(database: Database): Promise<number> {
	const {rows} = await sql`
		select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
	return rows.length;
}

/** Another organization takes these UUIDs while a push that names them waits for a table lock. */
test.each([
	['sessions', 'assessments', ['sessions']],
	['everything', 'spans', tables],
	...tables.map(table => [table, undefined, [table]] as const),
] as const)('what a rival takes in the middle of a push is left to the rival: %s', async (_, stop, taken) => {
	const server = await createTestServer();
	const rival = await server.foundAnother();
	const [id, before] = [randomUUID(), randomUUID()];
	const push = async (path: string, name: string, key: string) =>
		(await server.send(path, {method: 'POST', body: toRequest([spanOf(name)]), key})).json;
	expect(await push(rivalPath, before, rival.key)).toEqual({});
	const pushing = await server.database.transaction().execute(async transaction => {
		const take = async () => {
			for (const table of taken) {
				await transaction.updateTable(table).set({id}).where('id', '=', before).execute();
			}
		};
		await (stop === undefined
			? take()
			: sql`lock table ${sql.table(stop)} in access exclusive mode`.execute(transaction));
		const result = push(tracesPath, id, server.owner.key);
		await expect.poll(() => countWaiting(server.database)).toBe(1);
		await (stop === undefined ? undefined : take());
		return {result};
	});
	expect(await pushing.result).toEqual({});
	for (const table of tables) {
		const rows = await server.database.selectFrom(table).select('workspace_id').execute();
		expect([table, rows.length, new Set(rows.map(row => row.workspace_id)).size]).toEqual([table, 2, 2]);
	}
});
