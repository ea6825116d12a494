import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {Json, JsonObject} from '../../../src/core/json.ts';
import type {Message} from '../../../src/core/session/message.ts';
import type {ToolDefinition} from '../../../src/core/session/tool.ts';
import {maxRequests} from '../../../src/providers/repairs/repaired-request.ts';
import {tool} from '../conversation.ts';
import {
	image,
	keysIn,
	mcpTool,
	propertiesIn,
	type Refuse,
	refusingHost,
	toolsIn,
	turnsIn,
	wires,
} from './refusing-host.ts';

const seed = 26;
const runs = 1000;

const word = fc.constantFrom('path', 'query', 'filter[bundleId]', '$filter', 'x'.repeat(65), '名前', 'a b', 'name');
const leaf: fc.Arbitrary<Json> = fc.oneof(
	fc.constantFrom<Json>(
		{type: 'string'},
		{type: 'array'},
		{type: 'object'},
		true,
		{},
		{type: ['string', 'null']},
		{const: 3},
		{enum: ['a', 1, null]},
		{type: 'string', format: 'uri', pattern: '^(?=x)'},
		{type: 'integer', minimum: 0, exclusiveMinimum: true, default: 3},
		{$ref: '#/$defs/node'},
		{type: 'array', items: [{type: 'string'}, {type: 'number'}]},
		{type: 'object', additionalProperties: {type: 'string'}},
		{type: 'object', patternProperties: {'^x-': {type: 'string'}}},
		{anyOf: [{type: 'string'}, {type: 'number'}]},
	),
	fc.record({
		type: fc.constant('object'),
		properties: fc.dictionary(word, fc.constant({type: 'string'}), {maxKeys: 3}),
	}),
);
const schema: fc.Arbitrary<JsonObject> = fc
	.record({
		properties: fc.dictionary(word, leaf, {maxKeys: 4}),
		shape: fc.constantFrom('plain', 'anyOf', 'ref', 'none'),
	})
	.map(({properties, shape}): JsonObject => {
		const $defs = {node: {type: 'object', properties: {next: {$ref: '#/$defs/node'}}}};
		const object: JsonObject = {type: 'object', properties, required: Object.keys(properties).slice(0, 1)};
		switch (shape) {
			case 'anyOf':
				return {$defs, type: 'object', anyOf: [object, {type: 'object', properties: {other: {type: 'string'}}}]};
			case 'ref':
				return {$defs: {...$defs, all: object}, type: 'object', $ref: '#/$defs/all'};
			case 'none':
				return {$defs, type: 'object'};
			default:
				return {...object, $defs};
		}
	});
const tools: fc.Arbitrary<readonly ToolDefinition[]> = fc
	.array(schema, {maxLength: 12})
	.map(schemas => [tool, ...schemas.map((parameters, index) => mcpTool(`s${index % 3}`, `do_${index}`, parameters))]);

const turn: fc.Arbitrary<readonly Message[]> = fc.oneof(
	fc.constant<readonly Message[]>([{role: 'user', text: 'Go on'}]),
	fc.constant<readonly Message[]>([
		{role: 'user', text: 'Look', images: [image('one'), image('doc', 'application/pdf')]},
		{role: 'assistant', model: 'x/y', parts: [{type: 'text', text: 'Seen.'}]},
	]),
	fc.constant<readonly Message[]>([
		{role: 'user', text: 'Read it'},
		{
			role: 'assistant',
			model: 'x/y',
			parts: [{type: 'tool-call', id: 'c1', name: 'read_file', arguments: {path: 'poison'}}],
		},
		{role: 'tool', callId: 'c1', name: 'read_file', output: '', failed: false, images: [image('two')]},
	]),
	fc.constant<readonly Message[]>([{role: 'assistant', model: 'x/y', parts: [{type: 'text', text: 'poison'}]}]),
);

/** What a host may refuse, as a test of the body and the words of a host that is clear about it. */
const parts: ReadonlyArray<readonly [isThere: (body: JsonObject) => boolean, words: string]> = [
	[body => toolsIn(body).length > 0, 'tools are not supported'],
	[body => toolsIn(body).length > 3, 'At most 3 tools are allowed, too many tools.'],
	[body => toolsIn(body).some(({name}) => name.endsWith('do_1')), 'Invalid schema for function mcp__s1__do_1'],
	[body => toolsIn(body).some(({name}) => name.includes('__')), "tools.0.name: must match pattern '^[a-z_]{1,16}$'"],
	...['$ref', 'anyOf', 'enum', 'format', 'default', '$defs', 'additionalProperties', 'minimum', 'pattern'].map(
		keyword =>
			[
				(body: JsonObject) => toolsIn(body).some(({schema: sent}) => keysIn(sent).includes(keyword)),
				`Unknown name "${keyword}" at 'tools[0].function_declarations[1].parameters': Cannot find field.`,
			] as const,
	),
	[
		body =>
			toolsIn(body).some(({schema: sent}) => propertiesIn(sent).some(name => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))),
		"tools.1.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
	],
	[
		body => toolsIn(body).some(({schema: sent}) => Object.keys(sent).length > 0 && !('properties' in sent)),
		'object schema missing properties',
	],
	[body => /AAAA/.test(JSON.stringify(turnsIn(body))), 'No endpoints found that support image input'],
	[
		body => /application\/pdf|"input_file"/.test(JSON.stringify(turnsIn(body))),
		'Documents in PDF are not supported here',
	],
	[body => /poison/.test(JSON.stringify(turnsIn(body))), 'We could not parse the JSON body of your request.'],
	[
		body =>
			turnsIn(body).some((item, at, all) => {
				const role = JSON.stringify(item).match(/"role":"(\w+)"/)?.[1];
				const before = JSON.stringify(all[at - 1] ?? '').match(/"role":"(\w+)"/)?.[1];
				return role !== undefined && (role === before ? role !== 'tool' : role === 'user' && before === 'tool');
			}),
		'Conversation roles must alternate user/assistant/user/assistant/...',
	],
	[
		body => /"role":"system"|systemInstruction|"system":|"instructions"/.test(JSON.stringify(body)),
		'System role not supported',
	],
	[
		body => /tool_calls|tool_use|functionCall|function_call/.test(JSON.stringify(turnsIn(body))),
		'Unexpected role "tool" in messages',
	],
	[body => /"content":""|"output":""|"content":null/.test(JSON.stringify(body)), 'messages: content must be non-empty'],
	[
		body => 'stream_options' in body || 'reasoning_effort' in body || 'output_config' in body,
		'reasoning_effort is not supported',
	],
	[body => 'prompt_cache_key' in body || 'store' in body, "Unknown parameter: 'prompt_cache_key'."],
	[body => /cache_control/.test(JSON.stringify(body)), 'cache_control: Extra inputs are not permitted'],
	[body => 'max_tokens' in body && Number(body['max_tokens']) > 4096, 'max_tokens: 32000 > 4096, which is the maximum'],
	[body => JSON.stringify(toolsIn(body)).length > 1500, 'Payload of tools is above the limit'],
];

const refusal = fc.record({
	which: fc.uniqueArray(fc.nat(parts.length - 1), {minLength: 1, maxLength: 2}),
	areClear: fc.boolean(),
	status: fc.constantFrom(400, 400, 400, 422),
});

test('after any refusal of a part, the next plain message is answered within a bounded number of requests', async () => {
	const host = await refusingHost();
	let answered = 0;
	let most = 0;
	let total = 0;
	const cases = fc.asyncProperty(
		fc.constantFrom(...wires),
		tools,
		fc.array(turn, {maxLength: 4}),
		refusal,
		async (wire, definitions, turns, {which, areClear, status}) => {
			const refuse: Refuse = body => {
				const found = which.map(index => parts[index]).find(part => part?.[0](body));
				const message = areClear ? found?.[1] : 'Bad request.';
				return found && {status, text: JSON.stringify({error: {message, type: 'invalid_request_error'}})};
			};
			host.state.refuse = refuse;
			const client = host.newClient(wire, {tools: definitions, effort: 'high'});
			const history = turns.flat();
			const first = await client.ask([...history, {role: 'user', text: 'Hello'}]);
			const next = await client.ask([
				...history,
				{role: 'user', text: 'Hello'},
				...(first.error ? [] : [{role: 'assistant', model: 'x/y', parts: [{type: 'text', text: 'Hi'}]} as const]),
				{role: 'user', text: 'Plain'},
			]);
			expect(next.error).toBeUndefined();
			expect(next.text).toBe('Hi');
			expect(JSON.stringify(next.sent.at(-1))).toContain('Plain');
			answered += first.error ? 0 : 1;
			most = Math.max(most, first.sent.length, next.sent.length);
			total += first.sent.length;
			expect(first.sent.length).toBeLessThanOrEqual(maxRequests);
			expect(next.sent.length).toBeLessThanOrEqual(maxRequests);
			const bodies = first.sent.map(body => JSON.stringify(body));
			expect(new Set(bodies).size).toBe(bodies.length);
		},
	);
	await fc.assert(cases, {seed, numRuns: runs});
	console.info(
		`Refusals: seed ${seed}, ${runs} cases, ${answered} answered at once, at most ${most} requests, ${total} in all.`,
	);
});
