import {describe, expect, test} from 'vitest';
import {createTestServer, inWorkspace} from './harness.ts';
import {sendRaw} from './hostile-answers.ts';
import {actionId, type Parameters, populate, provenance, pushSpans} from './populated.ts';

type Place = (
	value: string,
	parameters: Parameters,
) => {readonly path: string; readonly body?: string; readonly method?: string};

const stageWith =
	(name: string): Place =>
	(value, {project, itemId}) => ({
		method: 'POST',
		path: `${inWorkspace}/projects/${project}/items/${itemId}/submission-stages`,
		body: `{"action_id": "${actionId}", "provenance": ${JSON.stringify({...provenance, [name]: '?'}).replace('"?"', value)}}`,
	});
const code: Place = value => ({method: 'POST', path: '/api/v1/auth/mfa/enroll/verify', body: `{"code": ${value}}`});
const runItems: Place = (value, {project, runId}) => ({
	path: `${inWorkspace}/workflows/runs/${runId}/items?project_id=${project}&limit=${value}`,
});
const assessments =
	(name: string): Place =>
	value => ({path: `${inWorkspace}/airt/assessments?${name}=${value}`});
const findings =
	(name: string): Place =>
	(value, {project}) => ({path: `${inWorkspace}/airt/projects/${project}/findings?${name}=${value}`});

const textOf = (length: number) => JSON.stringify('x'.repeat(length));

/** Returns a text with a number of characters, each of which takes two UTF-16 units and four bytes. */
const widerOf = (length: number) => JSON.stringify('😀'.repeat(length / 2));

/** Fields with accepted and rejected values. A long enough code has no enrollment: 409. */
const bounds: readonly [string, Place, taken: readonly string[], refused: readonly string[], status?: number][] = [
	[
		'capability_name',
		stageWith('capability_name'),
		[textOf(1), textOf(255), widerOf(254)],
		[textOf(0), textOf(256), 'null'],
	],
	['capability_version', stageWith('capability_version'), [textOf(1), textOf(100)], [textOf(0), textOf(101), 'null']],
	['current_task_id', stageWith('current_task_id'), [textOf(1), textOf(128), 'null'], [textOf(0), textOf(129)]],
	['root_run_id', stageWith('root_run_id'), [textOf(1), textOf(128)], [textOf(0), textOf(129), 'null']],
	['span_id', stageWith('span_id'), [textOf(1), textOf(16), 'null'], [textOf(0), textOf(17)]],
	['trace_id', stageWith('trace_id'), [textOf(1), textOf(32), 'null'], [textOf(0), textOf(33)]],
	['code', code, [textOf(1), textOf(64)], [textOf(0), textOf(65), 'null', '123456'], 409],
	['limit of run items', runItems, ['1', '1000'], ['0', '1001', '-1', '1.5', 'ten', '', 'null', '1e2', '0x10']],
	['page of assessments', assessments('page'), ['1', '1000000'], ['0', '-1', '1.5', 'x', '', '1000001']],
	['page_size of assessments', assessments('page_size'), ['1', '200'], ['0', '-1', '201', '1.5', '']],
	['page of findings', findings('page'), ['1', '1000000'], ['0', '-1', '1.5', 'x', '', '1000001']],
	['page_size of findings', findings('page_size'), ['1', '200'], ['0', '-1', '201', '1.5', '']],
];

test.each(bounds)(
	'%s accepts values up to its limits and rejects those beyond',
	async (_, place, taken, refused, good = 200) => {
		const server = await createTestServer();
		const parameters = await populate(server);
		const statusesOf = async (values: readonly string[]) => {
			const statuses: Record<string, number> = {};
			for (const value of values) {
				const {path, ...sent} = place(value, parameters);
				statuses[value] = (await sendRaw(server, path, sent)).status;
			}

			return statuses;
		};
		const all = (values: readonly string[], status: number) => Object.fromEntries(values.map(value => [value, status]));
		expect(await statusesOf(taken)).toEqual(all(taken, good));
		expect(await statusesOf(refused)).toEqual(all(refused, 422));
	},
);

describe('the specified defaults apply', () => {
	test('200 items of a run, 50 of a list, and the first page', async () => {
		const server = await createTestServer();
		const parameters = await populate(server);
		const {org, workspace, project, runId, traceId: trace} = parameters;
		const notes = Array.from({length: 204}, (_, index) => ({
			trace,
			id: `e${index}`,
			parent: 'c0',
			attributes: {'service.item.type': 'notes', 'service.item.data': {text: `${index}`}},
		}));
		await pushSpans(server, notes, {org, workspace, key: server.owner.key});
		const items = `${inWorkspace}/workflows/runs/${runId}/items?project_id=${project}`;
		const lengthOf = async (path: string) => (await server.send(path)).json.length;
		expect([await lengthOf(items), await lengthOf(`${items}&limit=1000`)]).toEqual([200, 205]);
		for (const path of ['airt/assessments', `airt/projects/${project}/findings`]) {
			expect((await server.send(`${inWorkspace}/${path}`)).json).toMatchObject({page: 1, page_size: 50, total: 1});
		}
	});

	test('if a query parameter is repeated, the last one counts', async () => {
		const server = await createTestServer();
		const path = `${inWorkspace}/airt/assessments?page_size=3&page=7&page_size=4&page=2`;
		expect((await server.send(path)).json).toMatchObject({page: 2, page_size: 4});
		expect((await server.send(`${path}&page=x`)).status).toBe(422);
	});
});
