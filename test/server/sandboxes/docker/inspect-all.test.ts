import {randomUUID} from 'node:crypto';
import {expect, test} from 'vitest';
import {createSweep} from '../../../../src/server/sandboxes/sandbox-sweep.ts';
import {createTestServer} from '../../harness.ts';
import {addReady, onEngine} from '../simulated.ts';
import {inspected, stubEngine} from './stub-engine.ts';

test('a look at the sandboxes of an engine is one request, for 10 and for 1,000 of them, and none without any', async () => {
	const server = await createTestServer();
	const engine = randomUUID();
	const live = new Map<string, string>();
	const {provider, asked} = await stubEngine({
		'POST /volumes/create': () => [201, {Name: 'service-engine', Labels: {'service.engine': engine}}],
		'GET /containers/json': () => [
			200,
			[...live].map(([id, State]) => ({State, Labels: {'service.sandbox': id, 'service.builds': '0'}})),
		],
		'GET /containers/*/json': ({url = ''}) => {
			const id = /service-([\da-f-]{36})/.exec(url)?.[1] ?? '';
			return [200, inspected(id, {Status: live.get(id) ?? 'exited', ExitCode: 3})];
		},
		'GET /containers/*/logs': () => [200, ''],
		'POST /containers/*/stop': () => [304],
		'HEAD /containers/*/archive': () => [404],
		'PUT /containers/*/archive': () => [200],
	});
	const simulated = {provider, states: new Map(), logs: new Map()};
	const sweep = createSweep(onEngine(server, simulated));
	const look = async () => {
		asked.length = 0;
		await sweep.look();
		return [...asked];
	};
	await sweep.lookAtAll();
	expect(await look()).toEqual([]);
	for (const count of [10, 990]) {
		const ids = await addReady(server, simulated, {count, seconds: 3600});
		for (const id of ids) {
			live.set(id, 'running');
		}

		await sweep.lookAtAll();
		expect(await look()).toEqual(['GET /containers/json']);
	}

	const [ended = ''] = live.keys();
	live.delete(ended);
	expect((await look()).filter(name => name === 'GET /containers/*/json').length).toBeGreaterThan(0);
	const {state, error} = await server.database
		.selectFrom('environments')
		.select(['state', 'error'])
		.where('sandbox_id', '=', ended)
		.executeTakeFirstOrThrow();
	expect([state, error]).toEqual(['failed', 'The command ended with status 3. See its log.']);
	expect(await look()).toEqual(['GET /containers/json']);
});
