import {expect, test} from 'vitest';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {push} from '../ingest/push.ts';

/** JSON large enough that five exceed the response limit. */
const large = JSON.stringify({text: 'a'.repeat(11_000_000)});

const assessment = '33333333-3333-4333-8333-333333333333';
const run = '44444444-4444-4444-8444-444444444444';

async function projectOf({database}: TestServer): Promise<string> {
	return (await database.selectFrom('projects').select('id').executeTakeFirstOrThrow()).id;
}

/** Requests less and less, and returns each response: an error message or the number of rows. */
async function ask(server: TestServer, path: string, queries: readonly string[]) {
	const answers = [];
	for (const query of queries) {
		const {status, json} = await server.send(`${inWorkspace}${path}${query}`);
		const rows = json.findings ?? json.items ?? json;
		answers.push(status === 200 ? rows.length : [status, json.type, json.detail.replace(/[\d.]+ MB/, 'X MB')]);
	}

	return answers;
}

test('[21] items that exceed the response limit are rejected before they are read, and fewer are returned', async () => {
	const server = await createTestServer();
	const attributes = {
		'service.workflow.run.id': run,
		'service.item.type': 'reports',
		'service.item.data': {title: 'a', body: 'b'},
	};
	await push(
		server,
		['1', '2', '3', '4', '5'].map(id => ({id, attributes})),
	);
	await server.database.updateTable('items').set({data: large}).execute();
	const project = await projectOf(server);
	expect(await ask(server, `/workflows/runs/${run}/items?project_id=${project}`, ['', '&limit=1'])).toEqual([
		[400, 'invalid_error', 'The response would have X MB. Use a smaller `limit`, or an `item_type`.'],
		1,
	]);
});

test('[21] findings, attacks and assessments have the limit, too', async () => {
	const server = await createTestServer();
	const attributes = {
		'service.span.type': 'attack',
		'service.airt.assessment.id': assessment,
		'service.airt.attack.attack_name': 'goat',
		'service.airt.attack.goal': 'a goal',
	};
	await push(
		server,
		['1', '2', '3', '4', '5'].map(id => ({id, attributes})),
	);
	await server.database.updateTable('findings').set({detail: large, attack: large}).execute();
	const page = [400, 'invalid_error', 'The response would have X MB. Use a smaller `page_size`.'];
	expect(await ask(server, '/airt/projects/web/findings', ['', '?page=5&page_size=1'])).toEqual([page, 1]);
	expect(await ask(server, `/airt/assessments/${assessment}/traces/attacks`, [''])).toEqual([
		[400, 'invalid_error', 'The response would have X MB. Read its findings page by page instead.'],
	]);
	expect(await ask(server, '/airt/assessments', [''])).toEqual([1]);
	await server.database
		.updateTable('assessments')
		.set({detail: JSON.stringify({name: 'a'.repeat(50_000_000)})})
		.execute();
	expect(await ask(server, '/airt/assessments', [''])).toEqual([page]);
	// Repeated data counts, too: the name of an assessment is part of each of its findings.
	await server.database.updateTable('findings').set({detail: '{}'}).execute();
	await server.database
		.updateTable('assessments')
		.set({detail: '{}', name: 'a'.repeat(11_000_000)})
		.execute();
	expect(await ask(server, '/airt/projects/web/findings', ['', '?page_size=1'])).toEqual([page, 1]);
	expect(await ask(server, '/airt/assessments', [''])).toEqual([1]);
	await server.database
		.updateTable('assessments')
		.set({name: 'a'.repeat(50_000_000)})
		.execute();
	expect(await ask(server, '/airt/assessments', [''])).toEqual([page]);
});

test('[21] the title of a run is repeated with each item, so a long one is shortened', async () => {
	const server = await createTestServer();
	const attributes = {
		'service.workflow.run.id': run,
		'service.workflow.run.title': 'a'.repeat(100_000),
		'service.item.type': 'reports',
		'service.item.data': {title: 'a', body: 'b'},
	};
	await push(server, [{id: '1', attributes}]);
	const path = `${inWorkspace}/workflows/runs/${run}/items?project_id=${await projectOf(server)}`;
	const {json} = await server.send(path);
	expect(json[0].run_title).toBe('a'.repeat(500));
});
