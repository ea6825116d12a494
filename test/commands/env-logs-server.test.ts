import {expect, onTestFinished, test} from 'vitest';
import {listen} from '../../src/server/http/listen.ts';
import {createTestServer, inWorkspace, scope} from '../server/harness.ts';
import {addTask, listener} from '../server/sandboxes/task-folder.ts';
import {shell} from './shell.ts';

/** Starts our own server at a port, with a sandbox that logs its requests. */
async function environment() {
	const server = await createTestServer();
	await addTask(server, 'listens', {services: {web: {}}}, {'main.mjs': listener});
	const {json} = await server.send(`${inWorkspace}/environments`, {method: 'POST', body: {task_ref: 'listens'}});
	const start = async (port = 0) => {
		const listening = await listen(server.app, {port});
		onTestFinished(() => listening.close().catch(() => undefined));
		return listening;
	};
	const listening = await start();
	const env = {
		SERVICE_SERVER: listening.url,
		SERVICE_API_KEY: server.owner.key,
		SERVICE_ORG: scope.org,
		SERVICE_WORKSPACE: scope.workspace,
	};
	const ask = (word: string) => fetch(`${json.service_urls.web.url}${word}`);
	return {id: String(json.id), env, listening, ask, restart: () => start(Number(new URL(listening.url).port))};
}

const linesOf = (text: string) =>
	text
		.split('\n')
		.filter(Boolean)
		.map(line => JSON.parse(line));

test('a log of our own server is followed exactly, even when the server restarts', async () => {
	const {id, env, listening, ask, restart} = await environment();
	const {outcome, stdout, interrupt} = shell(['env', 'logs', id, '--follow', '--since-start', '--json'], {env});
	const texts = () => linesOf(stdout()).flatMap(({type, text}) => (type === 'line' ? [text] : []));
	await expect.poll(() => texts()).toContain('listens');
	await ask('apples');
	await expect.poll(() => texts()).toContain('asked /apples');

	await listening.close();
	await expect.poll(() => stdout()).toContain('"type":"reconnecting"');
	await ask('pears');
	await restart();
	await expect.poll(() => texts()).toContain('asked /pears');
	interrupt();
	expect(await outcome).toEqual({status: 130});

	const told = linesOf(stdout()).filter(({type}) => type !== 'reconnecting');
	expect(told.map(({type}) => type)).toEqual(told.map(() => 'line'));
	expect(told.map(({seq}) => seq)).toEqual(told.map((_, index) => index + 1));
	expect(texts().slice(-3)).toEqual(['listens', 'asked /apples', 'asked /pears']);
});

test('a terminal shows that the log is complete', async () => {
	const {id, env} = await environment();
	const {outcome, stderr, interrupt} = shell(['env', 'logs', id, '--follow'], {env, isTerminal: true});
	await expect.poll(() => stderr()).toContain('service: live, complete\n');
	interrupt();
	expect(await outcome).toEqual({status: 130});
});
