import {expect, test} from 'vitest';
import {findingsSchema} from '../../../src/contract/resources/finding.ts';
import {sessionSchema} from '../../../src/contract/resources/session.ts';
import {secret} from '../../../src/core/secrets/secret.ts';
import {loadDemo} from '../../../src/server/demo/install-demo.ts';
import {createTestServer, inWorkspace, origin, scope} from '../harness.ts';

async function demoServer() {
	const server = await createTestServer();
	const load = () =>
		loadDemo(server.app, {
			server: origin,
			org: scope.org,
			workspace: scope.workspace,
			key: secret(server.owner.key),
			now: server.services.now(),
		});
	await load();
	return {...server, load};
}

test('the demo is an active organization that follows the specification', async () => {
	const {send, database} = await demoServer();
	const assessments = await send(`${inWorkspace}/airt/assessments`);
	expect(assessments.json.items.map(({name, status}: {name: string; status: string}) => [name, status])).toEqual([
		['Churn model, privacy', 'completed'],
		['Support agent, spring review', 'completed'],
	]);

	const findings = await send(`${inWorkspace}/airt/projects/web/findings?sort_by=severity`);
	const list = findingsSchema.parse(findings.json).findings ?? [];
	expect(list.map(({attack_name, severity, is_jailbreak}) => [attack_name, severity, is_jailbreak])).toEqual([
		['tree_of_attacks', 'critical', true],
		expect.arrayContaining(['high', true]),
		expect.arrayContaining(['high', true]),
		['indirect_injection', 'medium', true],
		['goat', 'info', false],
	]);

	const {id} = await database
		.selectFrom('workflow_runs')
		.select('id')
		.where('status', '=', 'completed')
		.executeTakeFirstOrThrow();
	const project = await database.selectFrom('projects').select('id').executeTakeFirstOrThrow();
	const items = await send(`${inWorkspace}/workflows/runs/${id}/items?project_id=${project.id}`);
	expect(items.json.map((item: {item_type: string}) => item.item_type).sort()).toEqual([
		'dependency_risk',
		'findings',
		'findings',
		'findings',
		'reports',
	]);

	const stats = await send(`${inWorkspace}/evaluation/support-quality/traces`);
	expect(stats.json).toMatchObject({total_items: 20, traced_items: 18, untraced_items: 2, error_spans: 1});
});

test('a demo session has the usage of its messages and its cost', async () => {
	const {send, database} = await demoServer();
	const archived = await database
		.selectFrom('sessions')
		.select('id')
		.where('archived_at', 'is not', null)
		.executeTakeFirstOrThrow();
	const {status, json} = await send(`${inWorkspace}/sessions/${archived.id.slice(0, 8)}/unarchive`, {method: 'POST'});
	expect([status, sessionSchema.parse(json)]).toEqual([
		200,
		expect.objectContaining({
			title: 'Move the settings to the new store',
			model: 'anthropic/claude-haiku-4-5',
			archived_at: null,
			preview_text: 'Move the settings to the new store, file by file.',
			usage: expect.objectContaining({
				total_input_tokens: 14_300,
				total_output_tokens: 2210,
				total_tool_call_count: 2,
				total_cost_usd: expect.closeTo((14_300 * 1 + 2210 * 5) / 1_000_000, 6),
			}),
		}),
	]);
});

test('an attack’s responses can be read in full', async () => {
	const {send, app} = await demoServer();
	const {json} = await send(`${inWorkspace}/airt/projects/web/findings?sort_by=severity&page_size=1`);
	const [{trace_id, best_response_parts}] = json.findings;
	const {artifact_oid} = best_response_parts[1].source;
	const resolved = await send(`${inWorkspace}/traces/${trace_id}/artifacts/${artifact_oid}`);
	expect(resolved.json).toMatchObject({filename: 'refund.txt', mime_type: 'text/plain', oid: artifact_oid});
	const bytes = await app(new Request(resolved.json.url, {headers: {host: new URL(resolved.json.url).host}}));
	expect(await bytes.text()).toContain('I have refunded 49.00 EUR to your card.');
});

test('loading it again adds nothing', async () => {
	const {load, database} = await demoServer();
	const count = () =>
		database
			.selectFrom('spans')
			.select(({fn}) => fn.countAll().as('count'))
			.executeTakeFirst();
	const before = await count();
	await load();
	expect(await count()).toEqual(before);
});
