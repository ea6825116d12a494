import {expect, test} from 'vitest';
import {updateSandboxes} from '../../../src/server/sandboxes/sandbox-monitor.ts';
import {createTestServer, inWorkspace, type TestServer} from '../harness.ts';
import {eventually} from '../sandboxes/sandbox.ts';

async function create(server: TestServer, reference: string, inputs: Readonly<Record<string, unknown>> = {}) {
	const body = {task_ref: reference, inputs};
	const {json} = await server.send(`${inWorkspace}/environments`, {method: 'POST', body});
	const log = async () => {
		const answer = await server.send(`${inWorkspace}/environments/${json.id}/logs?after=0`);
		return answer.json.logs as string;
	};
	return {environment: json, log};
}

const repaired = `export function priceOf(lines, discount = 0) {
	const sum = lines.reduce((all, {cents, quantity}) => all + cents * quantity, 0);
	return Math.round(sum * (1 - discount / 100));
}
export function add(lines, line) {
	const has = lines.some(({product}) => product === line.product);
	return has
		? lines.map(other => other.product === line.product ? {...other, quantity: other.quantity + 1} : other)
		: [...lines, {...line, quantity: 1}];
}`;

test('the broken cart fails its tests until it is repaired through its service', async () => {
	const server = await createTestServer();
	const {environment, log} = await create(server, 'broken-cart');
	const {url} = environment.service_urls.bench;
	expect(environment.state).toBe('ready');
	expect(environment.instruction).toContain(`\`PUT ${url}files/cart.mjs\``);
	expect(await (await fetch(`${url}files/cart.mjs`)).text()).toContain('export function priceOf');
	const check = async () => (await (await fetch(`${url}test`, {method: 'POST'})).json()).passed;
	expect(await check()).toBe(false);
	await fetch(`${url}files/cart.mjs`, {method: 'PUT', body: repaired});
	expect(await check()).toBe(true);
	await expect.poll(log).toMatch(/\[ERROR\] tests fail.+\[INFO\] all tests pass/s);
	expect((await fetch(`${url}files/..%2f..%2fetc%2fpasswd`)).status).toBe(404);
	expect((await fetch(`${url}files/bench.mjs`, {method: 'PUT', body: ''})).status).toBe(404);
});

test('the nightly import logs failures at several levels, and ends', async () => {
	const server = await createTestServer();
	const {environment, log} = await create(server, 'nightly-import', {records: 120, records_per_second: 0});
	await eventually(async () => {
		await updateSandboxes(server.services);
		const row = await server.database.selectFrom('environments').select(['state', 'error']).executeTakeFirstOrThrow();
		return row.state === 'torn_down' && row.error === null;
	});
	const lines = (await log()).split('\n');
	const count = (pattern: RegExp) => lines.filter(line => pattern.test(line)).length;
	expect(environment.instruction).toContain('A job imports 120 records.');
	expect({
		build: count(/^wrote 120 records$/),
		left: count(/ - import - ERROR - line \d+ is left out$/),
		locked: count(/ - import\.store - WARNING - record \d+ is locked, attempt [12] of 3$/),
		traces: count(/^(?:SyntaxError|TypeError): /),
		end: count(/done: \{"imported":114,"broken":6,"retried":14\}$/),
	}).toEqual({build: 1, left: 6, locked: 14, traces: 6, end: 1});
});
