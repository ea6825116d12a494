// Measures lists, statistics, pushes of spans and the upgrade itself at the size of a company, before and after:
//   node test/bench/data.mjs <older>/dist/service.js dist/service.js [--spans 1000000]
// on SQLite, or on PostgreSQL if SERVICE_BENCH_DATABASE is the URL of an empty database. Compare the two columns with each
// other, never with numbers of another machine.
import {execFileSync, spawn} from 'node:child_process';
import {randomBytes, randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {parseArgs} from 'node:util';
import autocannon from 'autocannon';
import pg from 'pg';

const {values, positionals} = parseArgs({
	allowPositionals: true,
	options: {spans: {type: 'string', default: '1000000'}},
});
const [older, newer] = positionals;
const spans = Number(values.spans);
const sizes = {sessions: 50_000, findings: 100_000, environments: 20_000, runs: 20_000, assessments: 50};
const {SERVICE_BENCH_DATABASE: url} = process.env;

const home = mkdtempSync(join(tmpdir(), 'service-bench-'));
const place = ['--data', join(home, 'data'), ...(url ? ['--database', url] : [])];
const env = {PATH: process.env.PATH, SERVICE_HOME: home, SERVICE_SEAL_KEY: Buffer.alloc(32, 1).toString('base64url')};
const run = (program, ...args) =>
	execFileSync(process.execPath, [program, 'serve', ...args, ...place, '--json'], {env});

/** Executes statements that both engines understand. */
async function execute(statements) {
	if (url) {
		const client = new pg.Client({connectionString: url});
		await client.connect();
		for (const statement of [...statements, 'analyze']) {
			await client.query(statement);
		}

		await client.query('vacuum');
		await client.end();
		return;
	}

	const require = createRequire(import.meta.url);
	const {DatabaseSync} = require('@photostructure/sqlite');
	const database = new DatabaseSync(join(home, 'data', 'service.db'));
	for (const statement of ['pragma synchronous = off', 'begin', ...statements, 'commit']) {
		database.exec(statement);
	}

	database.close();
}

const digits = (number, length) => `substr('000000000000', 1, ${length} - length(${text(number)})) || ${text(number)}`;
const text = number => `cast(${number} as text)`;
const uuid = (kind, number) => `'00000000-0000-4000-800${kind}-' || ${digits(number, 12)}`;
const time = number =>
	`'2026-' || ${digits(`1 + (${number}) % 12`, 2)} || '-' || ${digits(`1 + (${number}) / 12 % 28`, 2)} || 'T' || ${digits(`(${number}) / 336 % 24`, 2)} || ':' || ${digits(`(${number}) / 8064 % 60`, 2)} || ':00.000Z'`;

/** Returns the statement that fills a table with numbered rows. */
function fill(table, count, row) {
	return `with recursive series(n) as (select 0 union all select n + 1 from series where n + 1 < ${count})
		insert into ${table} (${Object.keys(row).join(', ')}) select ${Object.values(row).join(', ')} from series`;
}

/** Fills the database as an older version would have. */
function rowsOf({org_id, workspace_id, project_id, user_id}) {
	const scope = {
		organization_id: `'${org_id}'`,
		workspace_id: `'${workspace_id}'`,
		project_id: `'${project_id}'`,
	};
	const times = {created_at: time('n'), updated_at: time('n * 7')};
	const evaluated = Math.floor(spans / 5);
	return [
		fill('sessions', sizes.sessions, {
			id: uuid(1, 'n'),
			...scope,
			conversation_id: uuid(1, 'n'),
			user_id: `'${user_id}'`,
			model: `'some-model'`,
			title: `'Session ' || ${text('n')}`,
			origin: `'user'`,
			visibility: `case when n % 3 = 0 then 'private' else 'workspace' end`,
			labels: `'{}'`,
			said_at: `'{}'`,
			...times,
		}),
		fill('session_messages', sizes.sessions * 10, {
			session_id: uuid(1, `n % ${sizes.sessions}`),
			message_id: `'message/' || ${text('n')}`,
			span_id: `'0000000000000000'`,
			role: `case when n % 3 = 0 then 'tool' else 'assistant' end`,
			input_tokens: '100',
			cache_read_input_tokens: '10',
			cache_creation_input_tokens: '1',
			output_tokens: '20',
			tool_call_count: '1',
			is_generation: '1',
			at_us: 'n * 1000',
		}),
		fill('assessments', sizes.assessments, {
			id: uuid(2, 'n'),
			...scope,
			name: `'Assessment ' || ${text('n')}`,
			status: `'completed'`,
			detail: `'{}'`,
			...times,
		}),
		fill('findings', sizes.findings, {
			id: uuid(3, 'n'),
			...scope,
			assessment_id: uuid(2, `n % ${sizes.assessments}`),
			trace_id: digits('n', 12),
			span_id: digits('n', 12),
			attack_name: `'attack ' || ${text('n % 17')}`,
			category: `case when n % 5 = 0 then null else 'category ' || ${text('n % 7')} end`,
			severity: `'high'`,
			severity_rank: 'n % 5',
			best_score: 'case when n % 4 = 0 then null else n * 7 % 1000 / 1000.0 end',
			detail: `'{"text": "${'x'.repeat(600)}"}'`,
			attack: `'{"text": "${'x'.repeat(300)}"}'`,
			...times,
		}),
		fill('environments', sizes.environments, {
			id: uuid(4, 'n'),
			...scope,
			created_by: `'${user_id}'`,
			task_ref: `'web-shop'`,
			state: `case when n % 100 = 0 then 'ready' else 'torn_down' end`,
			inputs: `'{}'`,
			model_overrides: `'{}'`,
			service_urls: `'{}'`,
			...times,
		}),
		fill('spans', spans, {
			organization_id: `'${org_id}'`,
			trace_id: `'00000000000000000000' || ${digits('n / 20', 12)}`,
			span_id: `'0000' || ${digits('n', 12)}`,
			workspace_id: `'${workspace_id}'`,
			project_id: `'${project_id}'`,
			user_id: `'${user_id}'`,
			parent_span_id: `case when n % 20 = 0 then null else '0000' || ${digits('n / 20 * 20', 12)} end`,
			name: `'chat some-model'`,
			type: `case n % 4 when 0 then 'chat' when 1 then 'execute_tool' when 2 then 'agent' else 'task' end`,
			kind: '1',
			started_at_us: '1767225600000000 + cast(n as bigint) * 1000',
			ended_at_us: '1767225600500000 + cast(n as bigint) * 1000',
			status_code: 'case when n % 50 = 0 then 2 else 1 end',
			attributes: `'{"gen_ai.request.model":"some-model","gen_ai.usage.input_tokens":100,"text":"${'y'.repeat(300)}"}'`,
			resource: `'{"service.name":"bench","service.version":"1"}'`,
			events: `'[]'`,
			session_id: uuid(1, `n / 20 % ${sizes.sessions}`),
			evaluation_id: `case when n < ${evaluated} then 'nightly' else null end`,
			evaluation_item_id: `case when n < ${evaluated} then 'item ' || ${text('n / 100')} else null end`,
			received_at: time('n'),
		}),
	];
}

/** Returns the requests of the lists, by name. */
function lists({org, workspace, project}) {
	const inWorkspace = `/api/v1/org/${org}/ws/${workspace}`;
	const pages = (name, path, total) => [
		[`${name}, page 1`, `${path}page=1&page_size=20`],
		[`${name}, last`, `${path}page=${Math.ceil(total / 20)}&page_size=20`],
	];
	const sorts = ['score', 'created_at', 'updated_at', 'severity', 'attack_name', 'category'];
	return [
		...pages('sessions', `${inWorkspace}/sessions?`, sizes.sessions),
		...pages('sessions of a project', `${inWorkspace}/sessions?project=${project}&`, sizes.sessions),
		...pages('environments', `${inWorkspace}/environments?`, sizes.environments),
		...sorts.flatMap(sort =>
			['desc', 'asc'].flatMap(direction =>
				pages(
					`findings by ${sort} ${direction}`,
					`${inWorkspace}/airt/projects/${project}/findings?sort_by=${sort}&sort_dir=${direction}&`,
					sizes.findings,
				),
			),
		),
		['assessments', `${inWorkspace}/airt/assessments?page=1&page_size=20`],
		['statistics of an evaluation', `${inWorkspace}/evaluation/nightly/traces`],
	];
}

const batch = 500;

/** Returns a request body with the spans of some agents' turns. */
function pushOf(first) {
	const attribute = (key, value) => ({key, value: {[typeof value === 'number' ? 'intValue' : 'stringValue']: value}});
	const traces = Array.from({length: batch / 25}, () => randomBytes(16).toString('hex'));
	return JSON.stringify({
		resourceSpans: [
			{
				resource: {attributes: [attribute('service.name', 'bench')]},
				scopeSpans: [
					{
						spans: Array.from({length: batch}, (_, index) => {
							const trace = Math.floor(index / 25);
							return {
								traceId: traces[trace],
								spanId: randomBytes(8).toString('hex'),
								name: 'chat some-model',
								kind: 3,
								startTimeUnixNano: `${1_790_000_000_000 + first + index}000000`,
								endTimeUnixNano: `${1_790_000_000_500 + first + index}000000`,
								attributes: [
									attribute('gen_ai.operation.name', index % 3 === 0 ? 'execute_tool' : 'chat'),
									attribute('gen_ai.conversation.id', `conversation ${traces[trace]}`),
									attribute('gen_ai.request.model', 'some-model'),
									attribute('gen_ai.usage.input_tokens', 100),
									attribute('gen_ai.usage.output_tokens', 20),
									attribute('text', 'z'.repeat(300)),
								],
							};
						}),
					},
				],
			},
		],
	});
}

async function median(count, work) {
	const times = [];
	for (let round = 0; round < count; round++) {
		const started = performance.now();
		await work();
		times.push(performance.now() - started);
	}

	return times.sort((one, other) => one - other)[Math.floor(count / 2)];
}

async function measure(program, scope, rounds) {
	const child = spawn(process.execPath, [program, 'serve', ...place, '--port', '0', '--json'], {
		env,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	try {
		const {value: line} = await createInterface({input: child.stdout})[Symbol.asyncIterator]().next();
		const {url: server} = JSON.parse(line);
		const headers = {authorization: `Bearer ${scope.api_key}`};
		const get = async path => {
			const response = await fetch(`${server}${path}`, {headers});
			const body = await response.text();
			if (!response.ok) {
				throw new Error(`${path}: ${response.status} ${body}`);
			}
		};
		const result = {};
		for (const [name, path] of lists(scope)) {
			result[`${name}, ms`] = await median(rounds, () => get(path)).catch(error => console.error(error.message));
		}

		const bodies = Array.from({length: 40}, (_, index) => pushOf(index * batch));
		const push = async body => {
			const response = await fetch(`${server}/api/v1/org/${scope.org}/otel/traces`, {
				method: 'POST',
				headers: {...headers, 'content-type': 'application/json'},
				body,
			});
			if (!response.ok) {
				throw new Error(`push: ${response.status} ${await response.text()}`);
			}
		};
		await push(pushOf(1_000_000));
		const started = performance.now();
		const next = bodies.values();
		await Promise.all(
			[1, 2, 3, 4].map(async () => {
				for (const body of next) {
					await push(body);
				}
			}),
		);
		result['pushed spans/s'] = (bodies.length * batch * 1000) / (performance.now() - started);
		for (const connections of [16, 128]) {
			const path = `/api/v1/org/${scope.org}/ws/${scope.workspace}/airt/assessments`;
			const {requests, non2xx, errors} = await autocannon({url: `${server}${path}`, headers, connections, duration: 5});
			result[`reads with ${connections} connections/s`] = non2xx + errors > 0 ? undefined : requests.average;
		}

		return result;
	} finally {
		child.kill('SIGINT');
		await once(child, 'exit');
	}
}

try {
	const made = JSON.parse(
		run(older, 'init', '--org', `bench-${randomUUID()}`, '--workspace', 'main', '--project', 'web'),
	);
	const scope = {...made, org: made.org, workspace: made.workspace, project: made.project};
	await execute([]);
	const ids = await idsOf(scope);
	let started = performance.now();
	await execute(rowsOf(ids));
	console.error(`filled in ${Math.round((performance.now() - started) / 1000)} s`);
	const before = await measure(older, scope, 1);
	started = performance.now();
	run(newer, 'migrate');
	const migrated = (performance.now() - started) / 1000;
	console.error(`upgraded in ${migrated.toFixed(1)} s`);
	await execute([]);
	const after = await measure(newer, scope, 5);
	console.log(`${url ? 'PostgreSQL' : 'SQLite'}, ${spans} spans; upgrade: ${migrated.toFixed(1)} s`);
	for (const [name, value] of Object.entries(after)) {
		console.log(`${name}: ${before[name]?.toFixed(1)} -> ${value?.toFixed(1)}`);
	}
} finally {
	rmSync(home, {recursive: true, force: true});
}

/** Returns the ids of the scope that `serve init` made. */
async function idsOf({org, user_id}) {
	const query = `select organizations.id as org_id, workspaces.id as workspace_id, projects.id as project_id
		from organizations join workspaces on organization_id = organizations.id join projects on workspace_id = workspaces.id
		where organizations.slug = '${org}'`;
	if (url) {
		const client = new pg.Client({connectionString: url});
		await client.connect();
		const {rows} = await client.query(query);
		await client.end();
		return {...rows[0], user_id};
	}

	const require = createRequire(import.meta.url);
	const {DatabaseSync} = require('@photostructure/sqlite');
	const database = new DatabaseSync(join(home, 'data', 'service.db'));
	const row = database.prepare(query).get();
	database.close();
	return {...row, user_id};
}
