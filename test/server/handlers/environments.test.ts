import {mkdir, readFile, truncate, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {environmentSchema} from '../../../src/contract/resources/environment.ts';
import {hashToken} from '../../../src/server/accounts/token.ts';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {eventually} from '../sandboxes/sandbox.ts';
import {addTask, listener} from '../sandboxes/task-folder.ts';

const path = `${inWorkspace}/environments`;

const create = (server: TestServer, body: Readonly<Record<string, unknown>>, key?: string) =>
	server.send(path, {method: 'POST', body, ...(key && {key})});

const logsOf = async (server: TestServer, id: string) => (await server.send(`${path}/${id}/logs`)).json.logs as string;

/** Updates an environment and returns its state. */
async function stateOf(server: TestServer, id: string): Promise<string> {
	await updateSandboxes(server.services);
	const row = await server.database.selectFrom('environments').select('state').where('id', '=', id).executeTakeFirst();
	return row?.state ?? 'none';
}

test('a web shop environment is ready at once, with its URL in the instruction and a live log', async () => {
	const server = await createTestServer();
	const {status, json} = await create(server, {
		task_ref: 'web-shop@1.0.0',
		inputs: {shop_name: 'Tea & co', visits_per_minute: 6000},
		project_id: 'web',
		timeout_sec: 600,
	});
	const environment = environmentSchema.parse(json);
	const port = Number(environment.service_urls?.['web']?.['port']);
	const url = `http://127.0.0.1:${port}/`;
	expect([status, environment]).toEqual([
		200,
		{
			id: expect.stringMatching(/^[\da-f-]{36}$/),
			state: 'ready',
			task_ref: 'web-shop@1.0.0',
			created_at: '2026-03-01T12:00:00.000Z',
			expires_at: '2026-03-01T12:10:00.000Z',
			error: null,
			execute_token: expect.stringMatching(/^svx_[\w-]{43}$/),
			instruction: expect.stringContaining(`The shop “Tea & co” answers at ${url} (`),
			service_urls: {web: {url, port, protocol: 'http'}},
			task_verification: expect.objectContaining({path: '/diagnosis'}),
		},
	]);
	const shop = await (await fetch(url)).json();
	expect(shop).toMatchObject({shop: 'Tea & co'});
	await eventually(async () => /"level":"info".*agent=visitor/s.test(await logsOf(server, environment.id)));
	const diagnosis = await fetch(`${url}diagnosis`, {method: 'POST', body: '{"currency": "GBP"}'});
	expect(await diagnosis.json()).toEqual({right: true});
});

test('a task that needs more than this server offers is refused before anything is paid for', async () => {
	const server = await createTestServer();
	await addTask(server, 'boxed', {image: 'registry.example/node:22'});
	const refused = await create(server, {task_ref: 'boxed'});
	expect([refused.status, refused.json.detail]).toEqual([
		409,
		'The task names an image, which needs a server started with `--engine docker` or `--engine kubernetes`.',
	]);
	expect(await server.database.selectFrom('sandboxes').select('id').execute()).toEqual([]);
});

test('[26] the execute token is returned once, and only its hash is stored', async () => {
	const server = await createTestServer();
	await addTask(server, 'listens', {services: {web: {}}}, {'main.mjs': listener});
	const {json} = await create(server, {task_ref: 'listens'});
	const row = await server.database.selectFrom('environments').selectAll().executeTakeFirstOrThrow();
	const stored = await server.database.selectFrom('execute_tokens').selectAll().executeTakeFirstOrThrow();
	expect(stored).toMatchObject({environment_id: row.id, token_hash: hashToken(json.execute_token)});
	expect(JSON.stringify([row, stored])).not.toContain(json.execute_token);
	expect((await server.send(`${inWorkspace}/environments/${row.id}`)).json.execute_token).toBe(null);
});

test('an organization cannot exceed its capacity, even with concurrent requests', async () => {
	const server = await createTestServer();
	await server.database.updateTable('organizations').set({sandbox_capacity: 2}).execute();
	await addTask(server, 'listens', {services: {web: {}}}, {'main.mjs': listener});
	const answers = await Promise.all([1, 2, 3, 4].map(() => create(server, {task_ref: 'listens'})));
	expect(answers.map(({status}) => status).sort()).toEqual([200, 200, 409, 409]);
	expect(answers.find(({status}) => status === 409)?.json).toEqual({
		code: 409,
		detail: 'The organization has 2 of 2 sandboxes in use, running or paused. Stop one, or wait for one to end.',
		type: 'org_sandbox_capacity_exceeded_error',
	});
});

test('the time limit is the requested one within the organization’s maximum', async () => {
	const server = await createTestServer();
	await addTask(server, 'sleeps', {command: ['sleep', '100'], timeout_sec: 100});
	const lifeOf = async (timeout?: number) => {
		const {json} = await create(server, {task_ref: 'sleeps', ...(timeout && {timeout_sec: timeout})});
		return (Date.parse(json.expires_at) - Date.parse(json.created_at)) / 1000;
	};
	expect([await lifeOf(), await lifeOf(50), await lifeOf(1e9)]).toEqual([100, 50, 86_400]);
	await server.database.updateTable('organizations').set({runtime_seconds_max: 70}).execute();
	expect([await lifeOf(), await lifeOf(50)]).toEqual([70, 50]);
});

test('[14] inputs are data that no shell or template expands', async () => {
	const server = await createTestServer();
	const main =
		'import {readdirSync, readFileSync} from "node:fs"; console.log(readFileSync(".task.json", "utf8")); console.log(readdirSync(".").join());';
	await addTask(
		server,
		'hostile',
		{inputs: {text: {type: 'string'}}, instruction: 'Do {{inputs.text}}', build: [['true']]},
		{'main.mjs': main},
	);
	const text = '"; touch evil; $(touch evil) `touch evil` \'\n{{services.web.url}} $HOME \u001B[2J --eval';
	const {json} = await create(server, {task_ref: 'hostile', inputs: {text}, model_overrides: {judge: '$(id)'}});
	expect(json.instruction).toBe(`Do ${text}`);
	await eventually(async () => (await stateOf(server, json.id)) === 'torn_down');
	const [, context = ''] = /\n(\{.*\})\n\.task\.json,main\.mjs\n/.exec(await logsOf(server, json.id)) ?? [];
	expect(JSON.parse(context)).toEqual({
		task: {name: 'hostile', version: '1.0.0'},
		inputs: {text},
		model_overrides: {judge: '$(id)'},
	});
});

test.each<[string, Record<string, unknown>, number, string]>([
	['no reference', {task_ref: '../../etc/passwd'}, 422, 'body.task_ref must be [org/]name[@version].'],
	[
		'an unknown task',
		{task_ref: 'nothing'},
		404,
		'No task “nothing”. This organization can use broken-cart@1.0.0, nightly-import@1.0.0, web-shop@',
	],
	['an unknown version', {task_ref: 'web-shop@9'}, 404, 'No task “web-shop@9”. This organization can use'],
	[
		'an unknown input',
		{task_ref: 'web-shop', inputs: {x: 1}},
		422,
		'Unknown input “x”. web-shop accepts shop_name, visits_per_minute.',
	],
	[
		'a wrong input',
		{task_ref: 'web-shop', inputs: {visits_per_minute: '1'}},
		422,
		'body.inputs.visits_per_minute must',
	],
	[
		'another project',
		{task_ref: 'web-shop', project_id: 'other'},
		404,
		'Project not found in this workspace: “other”.',
	],
	['no time', {task_ref: 'web-shop', timeout_sec: 0}, 422, 'body.timeout_sec must be at least 1.'],
	['an unknown secret', {task_ref: 'web-shop', secret_ids: ['../../key']}, 422, 'body.secret_ids.0 is not a secret of'],
	[
		'too much',
		{task_ref: 'web-shop', model_overrides: {a: 'x'.repeat(70_000)}},
		422,
		'body.model_overrides are longer than 65536 characters.',
	],
	['a wrong type', {task_ref: 'web-shop', inputs: 'x'}, 422, 'body.inputs must be'],
	['an unknown field', {task_ref: 'web-shop', command: 'x'}, 422, 'body.command is not known here.'],
])('%s is rejected before anything is created', async (_, body, status, detail) => {
	const server = await createTestServer();
	const answer = await create(server, body);
	expect([answer.status, answer.json.detail]).toEqual([status, expect.stringContaining(detail)]);
	expect(await server.database.selectFrom('sandboxes').select('id').execute()).toEqual([]);
});

test('a failed build is the state in the response, and the log says why', async () => {
	const server = await createTestServer();
	await addTask(server, 'broken', {build: [['sh', '-c', 'echo no; exit 3']]}, {'main.mjs': ''});
	const {status, json} = await create(server, {task_ref: 'broken'});
	expect([status, json.state, json.error, json.execute_token]).toEqual([
		200,
		'failed',
		'The build step 1 ended with status 3. See its log.',
		null,
	]);
	expect((await logsOf(server, json.id)).split('\n').slice(1)).toEqual([
		'[sandbox] build step 1 of 1: sh -c echo no; exit 3',
		'no',
		'[sandbox] build step 1 ended with status 3',
		'[server] The build step 1 ended with status 3. See its log.',
		'',
	]);
});

test('a task whose service ends, and one that cannot start, fail with a readable error', async () => {
	const server = await createTestServer();
	await addTask(server, 'ends', {services: {web: {}}, command: ['echo', 'bye']});
	const ended = await create(server, {task_ref: 'ends'});
	expect([ended.json.state, ended.json.error]).toEqual([
		'failed',
		'The command ended with status 0, but its services must keep running. See its log.',
	]);
	await addTask(server, 'big', {}, {'main.mjs': ''});
	await truncate(join(server.folder, 'tasks', 'big', 'main.mjs'), 65 * 1024 * 1024);
	const big = await create(server, {task_ref: 'big'});
	const error = 'The task big cannot be used: main.mjs is too large or not a regular file.';
	expect([big.json.state, big.json.error, await logsOf(server, big.json.id)]).toEqual([
		'failed',
		error,
		`[server] ${error}\n`,
	]);
});

test('secrets are variables of the task, and neither in its files nor in a response', async () => {
	const server = await createTestServer();
	const folder = join(server.folder, 'secrets', 'acme');
	await mkdir(folder, {recursive: true});
	await writeFile(join(folder, 'DEPLOY_KEY'), 'hush\n');
	const main =
		'import {readFileSync} from "node:fs"; console.log(process.env.DEPLOY_KEY.length, readFileSync(".task.json", "utf8"));';
	await addTask(server, 'uses', {}, {'main.mjs': main});
	const answer = await create(server, {task_ref: 'uses', secret_ids: ['DEPLOY_KEY']});
	await eventually(async () => (await stateOf(server, answer.json.id)) === 'torn_down');
	const log = await logsOf(server, answer.json.id);
	expect([log.includes('\n4 {'), `${answer.text}${log}`.includes('hush')]).toEqual([true, false]);
	const row = await server.database.selectFrom('environments').select('sandbox_id').executeTakeFirstOrThrow();
	const status = await readFile(join(server.folder, 'sandboxes', row.sandbox_id ?? '', 'status.json'), 'utf8');
	expect(status).not.toContain('hush');
});

test('a folder that cannot be used is 502, and nothing is stored', async () => {
	const server = await createTestServer();
	await mkdir(server.folder);
	await writeFile(join(server.folder, 'sandboxes'), 'a file');
	const {status, json} = await create(server, {task_ref: 'web-shop'});
	expect([status, json.type]).toEqual([502, 'sandbox_provider_error']);
	expect(await server.database.selectFrom('environments').select('id').execute()).toEqual([]);
});
