// Measures lists, statistics, pushes of spans and the upgrade itself at the size of a company:
//   node test/bench/data.mjs [<older>/dist/service.js] dist/service.js [--spans 1000000] [--keep <folder>]
// on SQLite, or on PostgreSQL if SERVICE_BENCH_DATABASE is the URL of an empty database on this machine. With an older build,
// the older one fills the database, and the newer one upgrades it. `--keep` fills a database once, for later runs. A list has
// two figures: milliseconds until its answer, and of processor time, of the server and of PostgreSQL. Compare the
// columns of one run with each other, never with numbers of another machine.
import {execFileSync, spawn} from 'node:child_process';
import {randomUUID} from 'node:crypto';
import {once} from 'node:events';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import process from 'node:process';
import {createInterface} from 'node:readline';
import {parseArgs} from 'node:util';
import autocannon from 'autocannon';
import pg from 'pg';
import {batch, pushOf} from './push-body.mjs';
import {cpuOf, postgresCpu} from './server-time.mjs';

const {values, positionals} = parseArgs({
	allowPositionals: true,
	options: {spans: {type: 'string', default: '1000000'}, keep: {type: 'string'}},
});
const newer = positionals.at(-1);
const older = positionals.length > 1 ? positionals[0] : undefined;
const spans = Number(values.spans);
const sizes = {
	sessions: 50_000,
	findings: 100_000,
	environments: 20_000,
	runs: 20_000,
	runtimes: 5000,
	assessments: 5000,
	members: 5000,
	invitations: 5000,
	entries: 100_000,
	places: 2000,
};
const {SERVICE_BENCH_DATABASE: url} = process.env;

const home = values.keep ?? mkdtempSync(join(tmpdir(), 'service-bench-'));
mkdirSync(home, {recursive: true});
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
	for (const statement of ['pragma synchronous = off', 'begin', ...statements, 'commit', 'analyze']) {
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

const only = (row, name) => ({[name]: row[name]});

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
		fill('users', sizes.members, {
			id: uuid(5, 'n'),
			email: `'user-' || ${digits('n', 6)} || '@bench.example'`,
			username: `'user-' || ${digits('n', 6)}`,
			is_administrator: '0',
			...only(times, 'created_at'),
		}),
		fill('members', sizes.members, {
			organization_id: `'${org_id}'`,
			user_id: uuid(5, 'n'),
			role: `'member'`,
			...only(times, 'created_at'),
		}),
		fill('invitations', sizes.invitations, {
			id: uuid(6, 'n'),
			organization_id: `'${org_id}'`,
			email: `'guest-' || ${text('n')} || '@bench.example'`,
			role: `'member'`,
			code_hash: text('n'),
			invited_by: `'${user_id}'`,
			expires_at: time('n'),
			...only(times, 'created_at'),
		}),
		fill('audit_log', sizes.entries, {
			id: uuid(7, 'n'),
			at: time('n'),
			organization_id: `case when n % 2 = 0 then '${org_id}' else null end`,
			actor_kind: `'user'`,
			actor_id: `'${user_id}'`,
			actor: `'admin@bench.example'`,
			act: `'member.add'`,
			subject: `'user-' || ${text('n')}`,
			details: `'{}'`,
		}),
		fill('organizations', sizes.places, {
			id: uuid(8, 'n'),
			slug: `'org-' || ${digits('n', 6)}`,
			name: `'Organization'`,
			...times,
		}),
		fill('members', sizes.places, {
			organization_id: uuid(8, 'n'),
			user_id: `'${user_id}'`,
			role: `'member'`,
			...only(times, 'created_at'),
		}),
		fill('workspaces', sizes.places, {
			id: uuid(9, 'n'),
			organization_id: `'${org_id}'`,
			slug: `'ws-' || ${digits('n', 6)}`,
			name: `'Workspace'`,
			...only(times, 'created_at'),
		}),
		fill('projects', sizes.places, {
			id: uuid('a', 'n'),
			workspace_id: `'${workspace_id}'`,
			slug: `'project-' || ${digits('n', 6)}`,
			name: `'Project'`,
			...only(times, 'created_at'),
		}),
		fill('workflow_runs', sizes.runs, {
			id: uuid('b', 'n'),
			...scope,
			title: `'Run'`,
			status: `'completed'`,
			...times,
		}),
		fill('runtimes', sizes.runtimes, {
			id: uuid('c', 'n'),
			...scope,
			key: `'runtime-' || ${text('n')}`,
			name: `'Runtime'`,
			config_digest: `''`,
			config_version: `''`,
			created_by: `'${user_id}'`,
			status: `'idle'`,
			task_ref: `'web-shop'`,
			...times,
		}),
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
			severity: `case n % 5 when 0 then 'info' when 1 then 'low' when 2 then 'medium' when 3 then 'high' else 'critical' end`,
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
	const inOrg = `/api/v1/org/${org}`;
	const inWorkspace = `${inOrg}/ws/${workspace}`;
	const pages = (name, path, total) => [
		[`${name}, page 1`, `${path}page=1&page_size=20`],
		[`${name}, middle`, `${path}page=${Math.ceil(total / 40)}&page_size=20`],
		[`${name}, last`, `${path}page=${Math.ceil(total / 20)}&page_size=20`],
	];
	const findings = `${inWorkspace}/airt/projects/${project}/findings?`;
	const sorts = ['score', 'created_at', 'updated_at', 'severity', 'attack_name', 'category'];
	const filters = {
		'severity=high': sizes.findings / 5,
		'category=category%201': sizes.findings / 7,
		'attack_name=attack%203': sizes.findings / 17,
		[`assessment_id=00000000-0000-4000-8002-000000000007`]: sizes.findings / sizes.assessments,
	};
	const orders = sorts.flatMap(sort => ['desc', 'asc'].map(direction => [sort, direction]));
	return [
		...pages('sessions', `${inWorkspace}/sessions?`, sizes.sessions),
		...pages('sessions of a project', `${inWorkspace}/sessions?project=${project}&`, sizes.sessions),
		...pages('environments', `${inWorkspace}/environments?`, sizes.environments),
		...pages('environments of a project', `${inWorkspace}/environments?project=${project}&`, sizes.environments),
		...pages('runs', `${inWorkspace}/workflows/runs?`, sizes.runs),
		...pages('runtimes', `${inWorkspace}/runtimes?`, sizes.runtimes),
		...pages('runtimes of a project', `${inWorkspace}/runtimes?project=${project}&`, sizes.runtimes),
		...orders.flatMap(([sort, direction]) =>
			pages(`findings by ${sort} ${direction}`, `${findings}sort_by=${sort}&sort_dir=${direction}&`, sizes.findings),
		),
		...Object.entries(filters).flatMap(([filter, total]) =>
			orders.flatMap(([sort, direction]) =>
				pages(
					`findings with ${filter} by ${sort} ${direction}`,
					`${findings}${filter}&sort_by=${sort}&sort_dir=${direction}&`,
					total,
				),
			),
		),
		...pages('assessments', `${inWorkspace}/airt/assessments?`, sizes.assessments),
		...pages('members', `${inOrg}/members?`, sizes.members),
		...pages('invitations', `${inOrg}/invitations?`, sizes.invitations),
		...pages('workspaces', `${inOrg}/ws?`, sizes.places),
		...pages('projects', `${inWorkspace}/projects?`, sizes.places),
		...pages('organizations', '/api/v1/org?', sizes.places),
		...pages('users', '/api/v1/admin/users?', sizes.members),
		...pages('organizations of the server', '/api/v1/admin/organizations?', sizes.places),
		['audit log', `${inOrg}/audit-log?limit=20`],
		['audit log of the server', '/api/v1/admin/audit-log?limit=20&until=2026-02-01T00:00:00Z'],
		['spans', `${inWorkspace}/spans?limit=20`],
		['spans of a project', `${inWorkspace}/spans?limit=20&project=${project}`],
		['spans of a session', `${inWorkspace}/spans?limit=20&session=00000000-0000-4000-8001-000000000007`],
		['attacks of an assessment', `${inWorkspace}/airt/assessments/00000000-0000-4000-8002-000000000007/traces/attacks`],
		['statistics of an evaluation', `${inWorkspace}/evaluation/nightly/traces`],
	];
}

/** Returns the median of some runs, and the processor time of each. */
async function timed(count, cpu, work) {
	const times = [];
	const before = cpu();
	for (let round = 0; round < count; round++) {
		const started = performance.now();
		await work();
		times.push(performance.now() - started);
	}

	return {ms: times.sort((one, other) => one - other)[Math.floor(count / 2)], cpuMs: (cpu() - before) / count};
}

async function measure(program, scope, rounds) {
	const child = spawn(process.execPath, [program, 'serve', ...place, '--port', '0', '--json'], {
		env,
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const databaseCpu = await postgresCpu(url);
	const cpu = () => cpuOf(child.pid) + databaseCpu();
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
			await get(path).catch(error => console.error(error.message));
			const {ms, cpuMs} = await timed(rounds, cpu, () => get(path).catch(() => undefined));
			result[`${name}, ms`] = ms;
			result[`${name}, ms of processor time`] = cpuMs;
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
		const cpuBefore = cpu();
		const next = bodies.values();
		await Promise.all(
			[1, 2, 3, 4].map(async () => {
				for (const body of next) {
					await push(body);
				}
			}),
		);
		result['pushed spans/s'] = (bodies.length * batch * 1000) / (performance.now() - started);
		result['pushed spans/s of processor time'] = (bodies.length * batch * 1000) / (cpu() - cpuBefore);
		for (const connections of [16, 128]) {
			const path = `/api/v1/org/${scope.org}/ws/${scope.workspace}/airt/assessments?page_size=20`;
			const loadedFrom = cpu();
			const {requests, non2xx, errors} = await autocannon({url: `${server}${path}`, headers, connections, duration: 5});
			const isWhole = non2xx + errors === 0;
			result[`reads with ${connections} connections/s`] = isWhole ? requests.average : undefined;
			result[`reads with ${connections} connections/s of processor time`] = isWhole
				? (requests.total * 1000) / (cpu() - loadedFrom)
				: undefined;
		}

		return result;
	} finally {
		child.kill('SIGINT');
		await once(child, 'exit');
	}
}

/** Returns the scope of a filled database, which `--keep` keeps. */
async function filled(program) {
	const kept = join(home, 'scope.json');
	if (existsSync(kept)) {
		return JSON.parse(readFileSync(kept, 'utf8'));
	}

	const scope = JSON.parse(
		run(program, 'init', '--org', `bench-${randomUUID()}`, '--workspace', 'main', '--project', 'web'),
	);
	const started = performance.now();
	await execute(rowsOf(await idsOf(scope)));
	console.error(`filled in ${Math.round((performance.now() - started) / 1000)} s`);
	writeFileSync(kept, JSON.stringify(scope));
	return scope;
}

try {
	const scope = await filled(older ?? newer);
	const before = older ? await measure(older, scope, 1) : {};
	const started = performance.now();
	run(newer, 'migrate');
	const migrated = (performance.now() - started) / 1000;
	await execute([]);
	const after = await measure(newer, scope, 9);
	console.log(`${url ? 'PostgreSQL' : 'SQLite'}, ${spans} spans; upgrade: ${migrated.toFixed(1)} s`);
	for (const [name, value] of Object.entries(after)) {
		console.log(`${name}: ${before[name] === undefined ? '' : `${before[name].toFixed(1)} -> `}${value?.toFixed(1)}`);
	}
} finally {
	if (values.keep === undefined) {
		rmSync(home, {recursive: true, force: true});
	}
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
