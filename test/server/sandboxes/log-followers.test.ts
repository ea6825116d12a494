import {expect, test} from 'vitest';
import {createApp} from '../../../src/server/http/app.ts';
import {createTestServer, inWorkspace, send} from '../harness.ts';
import {addLoggedSandbox, logReader, observed} from './logged.ts';

const followers = 300;

test(`${followers} followers that poll at once make the server ask twice for the caller and twice for the log, at most`, async () => {
	const server = await createTestServer();
	const sandbox = await addLoggedSandbox(server);
	const queries: string[] = [];
	const services = {...server.services, database: observed(server.database, table => queries.push(table))};
	const read = logReader(server, services, sandbox.environmentId);
	// The key was not used before, which is written once.
	let after = Number((await read()).offset);
	for (const count of [1, 3, followers]) {
		sandbox.write(Buffer.from(`line ${count}\n`));
		queries.length = 0;
		const answers = await Promise.all(Array.from({length: count}, () => read(after)));
		expect(new Set(answers.map(answer => JSON.stringify(answer))).size).toBe(1);
		expect(answers[0]).toMatchObject({status: 200, logs: `line ${count}\n`});
		expect(queries.length, queries.join(' ')).toBeLessThanOrEqual(4);
		after = Number(answers[0]?.offset);
	}
});

test('[26] a key that is revoked while others with it are looked up counts no more', async () => {
	const server = await createTestServer();
	const {database, owner} = server;
	let release = () => {};
	const held = new Promise<void>(resolve => {
		release = resolve;
	});
	let isHeld = false;
	const executeQuery: typeof database.executeQuery = async query => {
		const result = await database.executeQuery(query);
		isHeld = true;
		await held;
		return result as never;
	};
	const slow = new Proxy(database, {
		get(target, name) {
			const member = name === 'executeQuery' ? executeQuery : Reflect.get(target, name);
			return typeof member === 'function' ? member.bind(target) : member;
		},
	});
	const app = createApp({services: {...server.services, database: slow}});
	const ask = () => send(app, `${inWorkspace}/environments`, {key: owner.key});
	const early = ask();
	await expect.poll(() => isHeld, {interval: 5}).toBe(true);
	const at = server.services.now().toISOString();
	await database.updateTable('api_keys').set({revoked_at: at}).where('user_id', '=', owner.id).execute();
	const late = [ask(), ask()];
	release();
	expect((await early).status).toBe(200);
	expect((await Promise.all(late)).map(({status}) => status)).toEqual([401, 401]);
});
