import {type CompiledQuery, type KyselyPlugin, sql} from 'kysely';
import {expect, test} from 'vitest';
import {operator} from '../../../src/server/accounts/audit-log.ts';
import type {Database} from '../../../src/server/database/tables.ts';
import {assessmentHandlers} from '../../../src/server/handlers/assessments.ts';
import {environmentHandlers} from '../../../src/server/handlers/environments.ts';
import {evaluationHandlers} from '../../../src/server/handlers/evaluations.ts';
import {runHandlers} from '../../../src/server/handlers/runs.ts';
import {runtimeHandlers} from '../../../src/server/handlers/runtimes.ts';
import {sessionHandlers} from '../../../src/server/handlers/sessions.ts';
import {engine} from '../database/engine.ts';
import {createTestServer, scope as names, type TestServer} from '../harness.ts';
import {push} from '../ingest/push.ts';
import {findProjectOf} from '../rows.ts';

const rows = 3000;
const pageSize = 20;
const big = ['sessions', 'findings', 'environments', 'workflow_runs', 'runtimes', 'spans', 'session_messages'];

const uuid = (kind: number, number: number) => `00000000-0000-4000-800${kind}-${String(number).padStart(12, '0')}`;

/** Fills the lists. */
async function fill({database, owner}: TestServer): Promise<void> {
	const {organizationId, workspaceId, projectId} = await findProjectOf(database);
	const place = {organization_id: organizationId, workspace_id: workspaceId, project_id: projectId};
	const at = (number: number) => new Date(1.77e12 + ((number * 7919) % rows) * 1000).toISOString();
	const times = (number: number) => ({created_at: at(number), updated_at: at(number * 3)});
	const text = JSON.stringify({});
	const other = {id: uuid(5, 0), email: 'other@acme.example', username: 'other', created_at: at(0)};
	await database
		.insertInto('users')
		.values({...other, full_name: null, password_hash: null, totp_secret: null, totp_pending_secret: null})
		.execute();
	await database
		.insertInto('assessments')
		.values(
			[0, 1].map(number => ({
				id: uuid(2, number),
				...place,
				name: 'a',
				status: 'completed',
				detail: text,
				...times(0),
				completed_at: null,
			})),
		)
		.execute();
	for (let from = 0; from < rows; from += 200) {
		const numbers = Array.from({length: 200}, (_, index) => from + index);
		await database
			.insertInto('sessions')
			.values(
				numbers.map(number => ({
					id: uuid(1, number),
					...place,
					conversation_id: uuid(1, number),
					// Most private ones are somebody else's.
					user_id: number % 20 < 18 ? other.id : owner.id,
					model: 'some-model',
					origin: 'user' as const,
					visibility: number % 2 === 0 ? ('private' as const) : ('workspace' as const),
					labels: text,
					said_at: text,
					...times(number),
				})),
			)
			.execute();
		await database
			.insertInto('findings')
			.values(
				numbers.map(number => ({
					id: uuid(3, number),
					...place,
					assessment_id: uuid(2, number % 2),
					trace_id: String(number),
					span_id: String(number),
					attack_name: `attack ${number % 17}`,
					category: number % 5 === 0 ? null : `category ${number % 7}`,
					severity: number % 3 === 0 ? 'low' : 'high',
					severity_rank: number % 5,
					best_score: number % 4 === 0 ? null : (number % 100) / 100,
					detail: JSON.stringify({id: uuid(3, number)}),
					attack: text,
					...times(number),
				})),
			)
			.execute();
		await database
			.insertInto('environments')
			.values(
				numbers.map(number => ({
					id: uuid(4, number),
					...place,
					created_by: owner.id,
					task_ref: 'quiet',
					state: number % 100 === 0 ? ('ready' as const) : ('torn_down' as const),
					inputs: text,
					model_overrides: text,
					service_urls: text,
					...times(number),
				})),
			)
			.execute();
	}

	for (let from = 0; from < rows; from += 200) {
		const numbers = Array.from({length: 200}, (_, index) => from + index);
		await database
			.insertInto('workflow_runs')
			.values(numbers.map(number => ({id: uuid(6, number), ...place, status: 'pending' as const, ...times(number)})))
			.execute();
		await database
			.insertInto('runtimes')
			.values(
				numbers.map(number => ({
					id: uuid(7, number),
					...place,
					key: `runtime-${number}`,
					name: 'Runtime',
					config_digest: '',
					config_version: '',
					created_by: owner.id,
					status: 'idle' as const,
					task_ref: 'quiet',
					...times(number),
				})),
			)
			.execute();
	}

	await sql`analyze`.execute(database);
}

/** Returns a server's services whose questions are kept. */
function observed({services}: TestServer) {
	const questions: CompiledQuery[] = [];
	const nodes = new WeakMap<object, Parameters<KyselyPlugin['transformQuery']>[0]['node']>();
	const plugin: KyselyPlugin = {
		transformQuery({node, queryId}) {
			nodes.set(queryId, node);
			return node;
		},
		// A query inside another one is transformed, too, but has no result.
		async transformResult({queryId, result}) {
			const node = nodes.get(queryId);
			if (node) {
				questions.push(services.database.getExecutor().compileQuery(node, queryId));
			}

			return result;
		},
	};
	return {questions, services: {...services, database: services.database.withPlugin(plugin)}};
}

/** Returns the context of a request to a server whose questions are kept. */
async function observedContext(server: TestServer) {
	const {workspaceId, projectId, organizationId} = await findProjectOf(server.database);
	const {questions, services} = observed(server);
	const scope = {
		organization: {id: organizationId, slug: names.org, name: ''},
		workspace: {id: workspaceId, slug: names.workspace, name: ''},
		project: {id: projectId, slug: names.project, name: ''},
		filterProject: {id: projectId, slug: names.project, name: ''},
		role: 'owner',
	} as const;
	const context = {
		...{principal: {userId: server.owner.id, apiKeyId: null}, scope, services, headers: new Headers()},
		request: new Request('http://127.0.0.1/'),
		...{actor: operator, isAdministrator: false},
	};
	return {questions, context};
}

type Plan = Readonly<Record<string, unknown>> & {readonly Plans?: readonly Plan[]};

/**
 * Returns what of a plan must not be: a scan of a big table, and a sort of more than a page. A list with a filter may sort what an
 * index has of its rows, but reads no others.
 */
async function faultsOf(database: Database, question: CompiledQuery, isFiltered = false): Promise<readonly string[]> {
	if (engine === 'sqlite') {
		const {rows: steps} = await database.executeQuery<{parent: number; detail: string}>({
			...question,
			sql: `explain query plan ${question.sql}`,
		});
		// The beginning of a range, as long as a page.
		const small = new Set(steps.filter(({detail}) => detail === 'SCAN beginning').map(({parent}) => parent));
		return steps
			.filter(({parent, detail}) =>
				isFiltered
					? /^(?:SCAN|SEARCH) findings/.test(detail) && !/COVERING INDEX|\(id=\?\)/.test(detail)
					: (big.some(table => detail.startsWith(`SCAN ${table}`)) && !detail.includes('INDEX')) ||
						(detail.includes('TEMP B-TREE FOR ORDER BY') && parent !== 0 && !small.has(parent)),
			)
			.map(({detail}) => detail);
	}

	return await database.transaction().execute(async transaction => {
		// A small table would be read whole.
		await sql`set local enable_seqscan = off; set local enable_bitmapscan = off`.execute(transaction);
		const {rows: answer} = await transaction.executeQuery<{'QUERY PLAN': readonly {Plan: Plan}[]}>({
			...question,
			sql: `explain (analyze, format json) ${question.sql}`,
		});
		const faults: string[] = [];
		const walk = (plan: Plan, isCounted: boolean) => {
			const type = String(plan['Node Type']);
			const read =
				(Number(plan['Actual Rows']) + Number(plan['Rows Removed by Filter'] ?? 0)) * Number(plan['Actual Loops']);
			const isBig = big.includes(String(plan['Relation Name']));
			const isEnough = isCounted || (isFiltered && type === 'Index Only Scan');
			if (isBig && (type === 'Seq Scan' || (!isEnough && read > 3 * pageSize))) {
				faults.push(`${type} of ${plan['Relation Name']}: ${read} rows`);
			}

			if (type.includes('Sort') && !isFiltered && Number(plan['Actual Rows']) > 3 * pageSize) {
				faults.push(`${type}: ${plan['Actual Rows']} rows`);
			}

			// Where filter and order have to do with each other, what is read in the order of an index may be all of the table.
			const [key] = Array.isArray(plan['Sort Key']) ? plan['Sort Key'] : [];
			if (isFiltered && /^findings\.(?!created_at|id)/.test(String(key))) {
				faults.push(`${type} by ${key}, which an index has`);
			}

			plan.Plans?.forEach(child => {
				walk(child, isCounted || type === 'Aggregate');
			});
		};
		for (const {Plan: plan} of answer[0]?.['QUERY PLAN'] ?? []) {
			walk(plan, false);
		}

		return faults;
	});
}

const sorts = ['score', 'created_at', 'updated_at', 'severity', 'attack_name', 'category'] as const;
const pages = [1, 3, 148, 150];

test('each page of a long list is read from an index, and neither sorts nor reads more than its rows', async () => {
	const server = await createTestServer();
	await fill(server);
	await push(server, [
		{id: '1', attributes: {'service.evaluation.id': 'nightly', 'service.evaluation.item_count': 5}},
		{id: '2', parent: '1', attributes: {'service.evaluation.item.id': 'first'}},
	]);
	const {questions, context} = await observedContext(server);
	type Paged = (query: {page: number; page_size: number; cursor?: string}) => Promise<object> | object;
	const lists: Paged[] = [
		...[undefined, names.project].flatMap((project): Paged[] => [
			query => sessionHandlers.listSessions({params: names, query: {...query, project}}, context),
			query => environmentHandlers.listEnvironments({params: names, query: {...query, project}}, context),
			query => runHandlers.listRuns({params: names, query: {...query, project}}, context),
			query => runtimeHandlers.listRuntimes({params: names, query: {...query, project}}, context),
		]),
		...sorts.flatMap(sort_by =>
			(['asc', 'desc'] as const).map(
				(sort_dir): Paged =>
					query =>
						assessmentHandlers.listFindings({params: names, query: {...query, sort_by, sort_dir}}, context),
			),
		),
	];
	for (const list of lists) {
		for (const page of pages) {
			await list({page, page_size: pageSize});
		}

		// Here a page by its number walks through half of an index, which PostgreSQL reports as read.
		const before = questions.length;
		const middle = await list({page: 75, page_size: pageSize});
		questions.splice(engine === 'postgres' ? before : questions.length);
		for (const name of ['next_cursor', 'previous_cursor']) {
			await list({page: 1, page_size: pageSize, cursor: Reflect.get(middle, name)});
		}
	}

	await evaluationHandlers.getEvaluationTraceStats({params: {...names, evaluationId: 'nightly'}}, context);
	const faults = [];
	for (const question of questions) {
		const found = await faultsOf(server.database, question);
		if (found.length > 0) {
			faults.push([question.sql, found]);
		}
	}

	expect(questions.length).toBeGreaterThanOrEqual((pages.length + 2) * lists.length);
	expect(faults.slice(0, 3)).toEqual([]);
});

test('a list of findings with filters sorts what an index has of them, and reads the rows of its page alone', async () => {
	const server = await createTestServer();
	await fill(server);
	const {questions, context} = await observedContext(server);
	const given = {severity: 'high', category: 'category 3', attack_name: 'attack 3', assessment_id: uuid(2, 0)};
	const filterNames = Object.keys(given);
	const chosen = [...filterNames.map(name => [name]), ['severity', 'category'], filterNames];
	for (const filters of chosen) {
		const query = Object.fromEntries(filters.map(name => [name, Reflect.get(given, name)]));
		for (const sort_by of sorts) {
			for (const sort_dir of ['asc', 'desc'] as const) {
				for (const page of [1, 75]) {
					const asked = {...query, page, page_size: pageSize, sort_by, sort_dir};
					await assessmentHandlers.listFindings({params: names, query: asked}, context);
				}
			}
		}
	}

	const faults = [];
	for (const question of questions) {
		const found = await faultsOf(server.database, question, true);
		if (found.length > 0) {
			faults.push([question.sql, found]);
		}
	}

	expect(questions.length).toBeGreaterThanOrEqual(chosen.length * sorts.length * 4);
	expect(faults.slice(0, 3)).toEqual([]);
});

test('pages from the nearer end are those of the whole list, in both directions of each sort', async () => {
	const server = await createTestServer();
	await fill(server);
	const path = `/api/v1/org/${names.org}/ws/${names.workspace}/airt/projects/${names.project}/findings`;
	const idsOf = async (sort: string, direction: string, page: number) => {
		const {json} = await server.send(`${path}?sort_by=${sort}&sort_dir=${direction}&page=${page}&page_size=200`);
		expect([json.total, json.page]).toEqual([rows, page]);
		return json.findings.map(({id}: {id: string}) => id);
	};
	for (const sort of sorts) {
		for (const direction of ['asc', 'desc']) {
			const column = sort === 'score' ? 'best_score' : sort === 'severity' ? 'severity_rank' : sort;
			const sorted = await server.database
				.selectFrom('findings')
				.select('id')
				.orderBy(sql`${sql.ref(column)} ${sql.raw(direction)} nulls last`)
				.orderBy('created_at', 'desc')
				.orderBy('id')
				.execute();
			for (const page of [1, 8, 15]) {
				const wanted = sorted.slice((page - 1) * 200, page * 200).map(({id}) => id);
				expect(await idsOf(sort, direction, page)).toEqual(wanted);
			}
		}
	}
});
