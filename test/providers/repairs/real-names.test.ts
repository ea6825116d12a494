import {describe, expect, test} from 'vitest';
import type {JsonObject} from '../../../src/core/json.ts';
import type {Message} from '../../../src/core/session/message.ts';
import {result, tool, user} from '../conversation.ts';
import {callStream, error400, mcpTool, propertiesIn, refusingHost, toolsIn, turnsIn, wires} from './refusing-host.ts';

const odd = mcpTool('apple', 'list-builds', {
	type: 'object',
	properties: {
		'filter[bundleId]': {type: 'string'},
		['x'.repeat(65)]: {type: 'string'},
		rows: {type: 'array', items: {type: 'object', properties: {名前: {type: 'string'}}}},
	},
	required: ['filter[bundleId]'],
});
const real: JsonObject = {'filter[bundleId]': 'com.x', rows: [{名前: 'a'}]};
const isStrict = (body: JsonObject) =>
	toolsIn(body).some(
		({name, schema}) => /-/.test(name) || propertiesIn(schema).some(key => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)),
	);

/** Returns arguments for the schema of a body, under the names that it has. */
function argumentsFor(body: JsonObject): {readonly name: string; readonly args: JsonObject} {
	const sent = toolsIn(body).find(({name}) => name.includes('apple'));
	const names = propertiesIn(sent?.schema ?? {});
	const inner = names.find(name => name !== 'rows' && /arg|名前/.test(name)) ?? '';
	const filter = names.find(name => name.includes('bundleId')) ?? '';
	return {name: sent?.name ?? '', args: {[filter]: 'com.x', rows: [{[inner]: 'a'}]}};
}

describe.each(wires)('%s', wire => {
	test('a call of a tool whose names the host refuses comes with its real name and arguments', async () => {
		const host = await refusingHost();
		host.state.refuse = body =>
			isStrict(body)
				? error400("tools.1: the name and the property keys should match pattern '^[a-zA-Z0-9_.]{1,64}$'")
				: undefined;
		host.state.stream = (name, body) => {
			const {name: called, args} = argumentsFor(body);
			return callStream(name, called, args);
		};
		const client = host.newClient(wire, {tools: [tool, odd]});
		const {calls, error, notices} = await client.ask([user('List')]);
		expect(error).toBeUndefined();
		expect(calls).toMatchObject([{name: 'mcp__apple__list-builds', arguments: real}]);
		expect(notices.length).toBeGreaterThan(0);

		host.state.stream = undefined;
		const [call] = calls;
		const asked: Message = {
			role: 'assistant',
			model: 'x/y',
			parts: [{type: 'tool-call', id: 'c1', name: call?.name ?? '', arguments: call?.arguments ?? {}}],
		};
		const answer = result('c1', 'Two builds.');
		const {sent} = await client.ask([user('List'), asked, {...answer, name: call?.name ?? ''} as Message]);
		expect(sent).toHaveLength(1);
		const later = JSON.stringify(turnsIn(sent[0] ?? {}));
		const {args} = argumentsFor(sent[0] ?? {});
		for (const key of Object.keys(args)) {
			expect(later).toContain(key);
		}

		expect(later).not.toContain('filter[bundleId]');
	});

	test('a tool without arguments is described as the wire format wants it', async () => {
		const host = await refusingHost();
		const client = host.newClient(wire, {tools: [mcpTool('a', 'now', {type: 'object'})]});
		const {sent} = await client.ask([user('Hello')]);
		expect(toolsIn(sent[0] ?? {})[0]?.schema).toEqual(wire === 'gemini' ? {} : {type: 'object', properties: {}});
	});
});

test('a call that a model wrote as text has the names that it saw, and comes with the real ones', async () => {
	const host = await refusingHost();
	host.state.refuse = body =>
		isStrict(body)
			? error400("tools.1: the name and the property keys should match pattern '^[a-zA-Z0-9_.]{1,64}$'")
			: undefined;
	host.state.stream = (_, body) => {
		const {name, args} = argumentsFor(body);
		const content = `<tool_call>${JSON.stringify({name, arguments: args})}</tool_call>`;
		return [{choices: [{delta: {content}, finish_reason: 'stop'}]}];
	};
	const {calls} = await host.newClient('openai-chat', {tools: [tool, odd]}).ask([user('List')]);
	expect(calls).toMatchObject([{name: 'mcp__apple__list-builds', arguments: real}]);
});

test('Claude gets only names of arguments that its API takes, without a refusal', async () => {
	const host = await refusingHost();
	const client = host.newClient('anthropic', {tools: [odd]});
	const {sent} = await client.ask([user('Hello')]);
	const names = toolsIn(sent[0] ?? {}).flatMap(({schema}) => propertiesIn(schema));
	expect(names.filter(name => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))).toEqual([]);
	expect(names).toHaveLength(4);
});

test('a schema that is too large for any host leaves out its tool alone', async () => {
	const large = {
		type: 'object',
		properties: {a: {type: 'string', enum: Array.from({length: 40_000}, (_, at) => `v${at}`)}},
	};
	const host = await refusingHost();
	const client = host.newClient('openai-chat', {tools: [tool, mcpTool('a', 'large', large), odd]});
	const {sent, text, notices} = await client.ask([user('Hello')]);
	expect([text, toolsIn(sent[0] ?? {}).map(({name}) => name)]).toEqual([
		'Hi',
		['read_file', 'mcp__apple__list-builds'],
	]);
	expect(notices).toEqual([expect.stringContaining('The tool large of the MCP server a is left out')]);
	expect((await client.ask([user('Again')])).notices).toEqual([]);
});
