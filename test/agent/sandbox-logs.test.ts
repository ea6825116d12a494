import {expect, onTestFinished, test} from 'vitest';
import {runAgent} from '../../src/agent/run.ts';
import {createFolderTools, createLogTools} from '../../src/agent/tools/tools.ts';
import {environmentLogSource} from '../../src/client/environment-logs.ts';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {blocksOf} from '../../src/core/session/transcript.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {openaiChat} from '../../src/providers/chat/openai-chat.ts';
import {quirksOf} from '../../src/providers/chat/openai-chat-request.ts';
import {listen} from '../../src/server/http/listen.ts';
import {createTestServer, inWorkspace, scope} from '../server/harness.ts';
import {addTask, listener} from '../server/sandboxes/task-folder.ts';
import {collect, type RunSettings, runOptions, transcriptOf} from './scripted.ts';

/** Creates an agent with the demo model, over HTTP, on a server with one sandbox. */
async function agentWithSandbox() {
	const server = await createTestServer();
	await addTask(server, 'listens', {services: {web: {}}}, {'main.mjs': listener});
	const {json} = await server.send(`${inWorkspace}/environments`, {method: 'POST', body: {task_ref: 'listens'}});
	const {url, close} = await listen(server.app);
	onTestFinished(() => close());
	const credential = {origin: originOf(url), kind: 'bearer', secret: secret(server.owner.key)} as const;
	const transport = createTransport({credential, userAgent: 'test'});
	onTestFinished(() => transport.close());
	const logTools = createLogTools(async environmentId => ({
		server: url,
		session: 'one',
		source: environmentLogSource(originOf(url), transport, {
			org: scope.org,
			workspace: scope.workspace,
			environmentId,
		}),
	}));
	const tools = [...createFolderTools({stateFolder: '/nowhere'}), ...logTools];
	const provider = openaiChat(quirksOf('custom'));
	const ask: RunSettings['ask'] = (messages, signal) =>
		provider({model: 'demo', baseUrl: `${url}/v1`, system: '', messages, tools, transport, signal});
	const run = (text: string, signal = new AbortController().signal) =>
		runAgent(runOptions({ask, tools, signal, prompt: {id: 'u1', text}}));
	const answer = async (text: string) => {
		const events = await collect(run(text));
		const said = blocksOf(transcriptOf(events)).findLast(block => block.kind === 'text');
		return said?.kind === 'text' ? said.text : '';
	};
	return {run, answer, id: String(json.id), web: String(json.service_urls.web.url)};
}

test('the agent waits for a line of a real sandbox, and reads its log with the same numbers', async () => {
	const {run, answer, id, web} = await agentWithSandbox();
	expect(await answer(`wait for "listens" in the log of ${id}`)).toMatch(
		/Line \d+ of the log of .* (?:matches|matched)/,
	);
	await fetch(`${web}apples`);
	expect(await answer(`wait for "asked .apples" in the log of ${id}`)).toMatch(/\n\d+ {2}asked \/apples\n/);
	expect(await answer(`what does the log of ${id} say?`)).toMatch(/\n\d+ {2}listens\n\d+ {2}asked \/apples\n```/);
	expect(await answer(`what does the log of ${id.replace(/^./, c => (c === '0' ? '1' : '0'))} say?`)).toContain(
		'has no environment',
	);

	const abort = new AbortController();
	const events = [];
	for await (const event of run(`wait for "never" in the log of ${id}`, abort.signal)) {
		events.push(event);
		if (event.type === 'tool-call') {
			setTimeout(() => abort.abort(), 50);
		}
	}

	expect(events.slice(-2)).toEqual([
		expect.objectContaining({type: 'tool-call', name: 'wait_for_log'}),
		{type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'},
	]);
});
