import {expect, test} from 'vitest';
import {createModelAccess} from '../../src/agent/model-access.ts';
import {openConfig} from '../../src/config/config.ts';
import {parseRecorded} from '../../src/core/session/event.ts';
import type {Message} from '../../src/core/session/message.ts';
import type {ToolDefinition} from '../../src/core/session/tool.ts';
import type {ModelEvent} from '../../src/providers/provider.ts';
import {finish, text} from '../agent/scripted.ts';
import {temporaryHome} from '../storage/temporary.ts';
import {scripted} from '../store/scripted-conversation.ts';

const usage = {input: 100, cacheRead: 50, cacheWrite: 0, output: 10, reasoning: 0};
const price = {table: '2026-01-01', input: 1, cacheRead: 0.1, cacheWrite: 1, output: 5};

async function* asked(_: readonly Message[]): AsyncGenerator<ModelEvent> {
	yield {type: 'request', system: 's1', tools: 't1'};
	yield {type: 'usage', usage};
	yield text('Hello.');
	yield finish('stop');
}

test('a request is recorded with its cause, what it is priced by, and hashes of what it began with', async () => {
	const {conversation, records, transcript} = scripted([], {
		openModel: async () => asked,
		priceRequest: async (model, {input}) => (model === 'custom/demo' && input === 100 ? price : undefined),
	});
	await conversation.send('One.');
	await conversation.send('A line matches.', 'watch');
	await conversation.compact();
	const events = records().flatMap(({event}) => (event.type === 'usage' ? [event] : []));
	const hash = expect.stringMatching(/^[\da-f]{12}$/);
	expect(events.map(({cause}) => cause)).toEqual(['turn', 'watch', 'compaction']);
	expect(events[0]).toMatchObject({usage, price, prefix: {system: 's1', tools: 't1', count: 1, messages: hash}});
	const [first, second, summary] = events.map(({prefix}) => prefix);
	expect(second?.count).toBe(3);
	expect(second?.earlier).toBe(first?.messages);
	// The request for a summary is one of its own.
	expect(summary?.count).toBe(1);
	expect([...transcript().usage.values()][1]).toMatchObject({at: '2026-01-01T00:00:00.000Z', cause: 'watch', price});
});

test('hashes of a request change with the instructions and the tools alone', async () => {
	let [system, description] = ['Be brief.', 'Reads a file.'];
	const {open} = createModelAccess({
		config: openConfig(temporaryHome()),
		env: {OPENAI_API_KEY: 'sk-0123456789abcd'},
		embedded: () => Promise.reject(new Error('not needed')),
		createTransport: async () => async () => ({status: 404, headers: {}, body: (async function* () {})()}),
		front: () => ({session: 'a', isPlanning: false, effortOf: () => undefined}),
		instructions: async () => system,
		tools: async (): Promise<readonly ToolDefinition[]> => [{name: 'read', description, parameters: {type: 'object'}}],
	});
	const begin = async () => {
		const call = await open('openai/x');
		const events = call([{role: 'user', text: 'Hi'}], new AbortController().signal);
		const {value} = await events.next();
		await events.return(undefined);
		return value?.type === 'request' ? value : undefined;
	};
	const first = await begin();
	expect(await begin()).toEqual(first);
	system = 'Be exact.';
	const second = await begin();
	expect([second?.tools, second?.system === first?.system]).toEqual([first?.tools, false]);
	description = 'Reads a whole file.';
	const third = await begin();
	expect([third?.system, third?.tools === second?.tools]).toEqual([second?.system, false]);
});

test('a record of a version that named compactions only is still read', async () => {
	const {conversation, records} = scripted([[{type: 'usage', usage}, text('Hi.'), finish('stop')]]);
	await conversation.send('One.');
	const old = records().map(record => {
		const {cause: _, ...event} = record.event as Record<string, unknown>;
		return parseRecorded(JSON.parse(JSON.stringify({...record, event})));
	});
	expect(old).not.toContain(undefined);
});
