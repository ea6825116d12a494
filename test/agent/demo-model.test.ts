import {expect, onTestFinished, test} from 'vitest';
import {instructions} from '../../src/agent/instructions.ts';
import {runAgent} from '../../src/agent/run.ts';
import {createFolderTools} from '../../src/agent/tools/tools.ts';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import {toMessages} from '../../src/core/session/read-conversation.ts';
import {blocksOf} from '../../src/core/session/transcript.ts';
import {createTransport} from '../../src/net/undici-transport.ts';
import {openaiChat} from '../../src/providers/chat/openai-chat.ts';
import {quirksOf} from '../../src/providers/chat/openai-chat-request.ts';
import {serve, token} from '../server/serve.ts';
import {collect, type RunSettings, runOptions, transcriptOf} from './scripted.ts';
import {makeWorkspace} from './tools/workspace.ts';

const files = {
	'README.md': '# Project\n\nAbout it.\n',
	'src/a.ts': 'export const a = 1;\n',
	'src/b.ts': 'export const b = 2;\n',
};

/** Creates an agent of real parts only: adapter, transport, HTTP, server, model and tools. */
async function agent({speed = Number.POSITIVE_INFINITY, key = token} = {}) {
	const {url, bugs} = await serve({speed});
	const {workspace, stateFolder} = await makeWorkspace(files);
	const tools = createFolderTools({stateFolder});
	const credential = {origin: originOf(url), kind: 'bearer', secret: secret(key)} as const;
	const transport = createTransport({credential, userAgent: 'test'});
	onTestFinished(() => transport.close());
	const provider = openaiChat(quirksOf('custom'));
	const system = instructions({workspace, date: '2025-01-31', platform: 'linux', tools});
	const ask: RunSettings['ask'] = (messages, signal) =>
		provider({model: 'demo', baseUrl: `${url}/v1`, system, messages, tools, transport, signal});
	return {
		bugs,
		run: (text: string, given: Partial<RunSettings> = {}) =>
			runAgent(runOptions({ask, tools, workspace, prompt: {id: 'u1', text}, ...given})),
	};
}

/** Returns the kinds of blocks in order, the last text, and the end of a run. */
function outline(events: readonly AgentEvent[]) {
	const blocks = blocksOf(transcriptOf(events));
	const text = blocks.findLast(block => block.kind === 'text');
	return {kinds: blocks.map(({kind}) => kind), text: text?.kind === 'text' ? text.text : '', end: events.at(-1)};
}

const done = {type: 'run-end', reason: 'done', stopReason: 'end_turn'};

test('two tools are called at once, and the answer reports their results', async () => {
	const {run, bugs} = await agent();
	const events = await collect(run('list the files and read README.md'));
	const {kinds, text, end} = outline(events);
	expect([kinds, end, bugs]).toEqual([['user', 'reasoning', 'tool', 'tool', 'reasoning', 'text'], done, []]);
	expect(text).toContain('I found **3 files**:\n\n| Folder | Files |\n| --- | --: |\n| `src/` | 2 |\n| `./` | 1 |');
	expect(text).toContain('All of `README.md`:\n\n```md\n# Project\n\nAbout it.\n```');

	const usages = events.flatMap(event => (event.type === 'usage' ? [event.usage] : []));
	expect(usages.map(({cacheRead}) => cacheRead > 0)).toEqual([false, true]);
	expect(usages.every(({input, output, reasoning}) => input > 0 && output > reasoning && reasoning > 0)).toBe(true);
});

test('a search finds lines, and a missing file is reported', async () => {
	const {run} = await agent();
	const found = outline(await collect(run('search for export')));
	expect(found.text).toContain(
		'in **2 lines**:\n\n- `src/a.ts:1` `export const a = 1;`\n- `src/b.ts:1` `export const b = 2;`',
	);
	const missing = outline(await collect(run('read ../outside.txt')));
	expect(missing.text).toContain('is outside the working folder');
	expect([found.end, missing.end]).toEqual([done, done]);
});

test('a second prompt continues the first conversation', async () => {
	const {run} = await agent();
	const first = await collect(run('list the files'));
	const second = await collect(run('help', {messages: toMessages(transcriptOf(first))}));
	expect(outline(second)).toMatchObject({
		kinds: ['user', 'reasoning', 'text'],
		text: expect.stringContaining('What you can try'),
	});
});

test('an invalid key ends the run after one request', async () => {
	const {run} = await agent({key: 'wrong-token'});
	expect((await collect(run('hello'))).at(-1)).toMatchObject({
		type: 'run-end',
		reason: 'error',
		stopReason: 'error',
		error: {code: 'auth', message: expect.stringContaining('That API key or token isn’t valid on this server')},
	});
});

test('an abort within an answer keeps the text so far', async () => {
	const {run, bugs} = await agent({speed: 5});
	const abort = new AbortController();
	const events: AgentEvent[] = [];
	for await (const event of run('a long answer', {signal: abort.signal})) {
		events.push(event);
		if (event.type === 'text-delta') {
			abort.abort();
		}
	}

	expect(outline(events)).toMatchObject({
		kinds: ['user', 'reasoning', 'text', 'end'],
		end: {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'},
	});
	expect(bugs).toEqual([]);
});
