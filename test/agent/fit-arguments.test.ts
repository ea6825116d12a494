import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {fitArguments, fitCall} from '../../src/agent/fit-arguments.ts';
import {runAgent} from '../../src/agent/run.ts';
import {createFolderTools} from '../../src/agent/tools/tools.ts';
import {isJsonObject, type Json, type JsonObject} from '../../src/core/json.ts';
import type {Tool} from '../../src/core/session/tool.ts';
import {toolCall} from '../../src/providers/calls.ts';
import {collect, finish, runOptions, scriptedModel, text} from './scripted.ts';
import {openTools} from './tools/open-tools.ts';

const edit = {old_text: 'a', new_text: 'b'};
const nested = JSON.stringify;

/** The schemas of our own tools, and one of a server. */
const schemas: Readonly<Record<string, JsonObject>> = {
	...Object.fromEntries(createFolderTools({stateFolder: '/'}).map(({name, parameters}) => [name, parameters])),
	server: {
		type: 'object',
		properties: {
			id: {type: 'integer'},
			ratio: {type: 'number'},
			labels: {type: 'array', items: {type: 'string'}},
			body: {type: ['string', 'null']},
			state: {enum: ['open', 'closed']},
			level: {enum: [1, 2]},
			filter: {$ref: '#/$defs/filter'},
			page: {anyOf: [{type: 'integer'}, {type: 'null'}]},
			value: {oneOf: [{type: 'string'}, {type: 'integer'}]},
			point: {properties: {x: {type: 'number'}}, required: ['x']},
		},
		required: ['id'],
		$defs: {filter: {type: 'object', properties: {is_open: {type: 'boolean'}, in: {$ref: '#/$defs/filter'}}}},
	},
};

test.each(['functions.read_file', 'default_api:read_file', 'read_file<|channel|>commentary', ' read_file\n'])(
	'a call of %j is one of the tool',
	name => {
		const tools = [{name: 'read_file', description: '', parameters: schemas['read_file'] ?? {}}];
		expect(fitCall(toolCall('1', name, '{"path":"a","limit":"2"}'), tools)).toMatchObject({
			name: 'read_file',
			arguments: {path: 'a', limit: 2},
		});
		expect(fitCall(toolCall('1', name, '{"path":'), tools)).toMatchObject({name: 'read_file', malformed: '{"path":'});
		expect(fitCall(toolCall('1', name, '{}'), [])).toMatchObject({name});
	},
);

describe('arguments become what the schema wants where they can mean nothing else', () => {
	test.each<[string, Json, JsonObject]>([
		['edit_file', {path: 'a', edits: nested([edit])}, {path: 'a', edits: [edit]}],
		['edit_file', {path: 'a', edits: [nested(edit)]}, {path: 'a', edits: [edit]}],
		['edit_file', {path: 'a', edits: [nested([edit])]}, {path: 'a', edits: [edit]}],
		['edit_file', {path: 'a', edits: [[edit]]}, {path: 'a', edits: [edit]}],
		['edit_file', {path: 'a', edits: edit}, {path: 'a', edits: [edit]}],
		['edit_file', {path: 'a', edits: nested(edit)}, {path: 'a', edits: [edit]}],
		['edit_file', {path: 'a', edits: nested(nested([edit]))}, {path: 'a', edits: [edit]}],
		['edit_file', {path: 'a', edits: ` ${nested([edit], undefined, 2)}\n`}, {path: 'a', edits: [edit]}],
		[
			'edit_file',
			{path: 'a', edits: [{...edit, replace_all: 'true'}]},
			{path: 'a', edits: [{...edit, replace_all: true}]},
		],
		['edit_file', {path: 'a', edits: [{...edit, replace_all: null}]}, {path: 'a', edits: [edit]}],
		['edit_file', nested(nested({path: 'a', edits: [edit]})), {path: 'a', edits: [edit]}],
		['edit_file', [{path: 'a', edits: [edit]}], {path: 'a', edits: [edit]}],
		['edit_file', {arguments: {path: 'a', edits: [edit]}}, {path: 'a', edits: [edit]}],
		['edit_file', {input: nested({path: 'a', edits: nested([edit])})}, {path: 'a', edits: [edit]}],
		['edit_file', {name: 'edit_file', arguments: {path: 'a', edits: edit}}, {path: 'a', edits: [edit]}],
		['read_file', {path: 'a', limit: '20', offset: '3.0'}, {path: 'a', limit: 20, offset: 3}],
		['read_file', {path: 'a', limit: ' 20 ', offset: null}, {path: 'a', limit: 20}],
		['read_file', {path: 'a', limit: 'null', offset: ''}, {path: 'a'}],
		['list_files', {path: null, pattern: null}, {}],
		['edit_file', {path: 'a', edits: [nested(edit), 7]}, {path: 'a', edits: [edit, 7]}],
		[
			'search_text',
			{pattern: 'true', literal: 'True', ignore_case: 'false'},
			{pattern: 'true', literal: true, ignore_case: false},
		],
		['server', {id: '7', ratio: '0.5', labels: 'bug'}, {id: 7, ratio: 0.5, labels: ['bug']}],
		['server', {id: 7, labels: '["a", "b"]', body: null}, {id: 7, labels: ['a', 'b'], body: null}],
		['server', {id: 7, state: '"open"', level: '2'}, {id: 7, state: 'open', level: 2}],
		['server', {id: 7, filter: '{"is_open": "true", "in": "{}"}'}, {id: 7, filter: {is_open: true, in: {}}}],
		['server', {id: 7, page: '3', point: '{"x": 1}'}, {id: 7, page: 3, point: {x: 1}}],
		['server', {id: 7, page: 'null', state: null}, {id: 7, page: null}],
		['server', {params: {id: '7'}}, {id: 7}],
	])('%s %j', (name, given, expected) => {
		expect(fitArguments(given, schemas[name] ?? {})).toEqual(expected);
		// What fits stays.
		expect(fitArguments(expected, schemas[name] ?? {})).toEqual(expected);
	});
});

describe('arguments stay as they are', () => {
	test.each<[string, Json]>([
		['write_file', {path: 'a', content: 'true'}],
		['write_file', {path: '7', content: '{"a": [1]}'}],
		['write_file', {path: 'a', content: 'null'}],
		['write_file', {path: 'a', content: ''}],
		['write_file', {path: 'a', content: {a: 1}}],
		['edit_file', {path: 'a', edits: [{old_text: '["x"]', new_text: '"x"'}]}],
		['edit_file', {path: 'a', edits: '[{"old_text": "a"'}],
		['edit_file', {path: 'a', edits: 'all'}],
		['read_file', {path: 'a', limit: 'twenty'}],
		['read_file', {path: 'a', limit: '1.5'}],
		['read_file', {path: 'a', limit: '9007199254740993'}],
		['read_file', {path: null}],
		['read_file', {path: 'a', arguments: {path: 'b'}}],
		['read_file', {one: {path: 'a'}, two: {path: 'b'}}],
		['server', {id: 7, labels: 'a, b'}],
		['server', {id: 7, value: '7', body: '7'}],
		['server', {id: 7, extra: '7', other: null}],
		['server', {id: 7, state: 'OPEN'}],
	])('%s %j', (name, given) => {
		expect(fitArguments(given, schemas[name] ?? {})).toEqual(given);
	});
});

test('a call whose arguments came as one text is repaired, one of broken JSON stays malformed', () => {
	const tools: readonly Tool[] = createFolderTools({stateFolder: '/'});
	const called = (given: string) => {
		return fitCall(toolCall('1', 'read_file', given), tools);
	};
	const repaired = {type: 'tool-call', id: '1', name: 'read_file', arguments: {path: 'a'}};
	expect(called(nested(nested({path: 'a'})))).toEqual(repaired);
	expect(called('[{"path": "a"}]')).toEqual(repaired);
	for (const broken of ['{"path": "a"', '"a"', '[]', '[1, 2]', '7', '['.repeat(50_000)]) {
		expect(called(broken)).toEqual({...repaired, arguments: {}, malformed: broken});
	}
});

test('a schema that refers to itself in many ways ends, and leaves the arguments as they are', () => {
	const self = {$ref: '#'};
	const schema: JsonObject = {anyOf: [self, self, self], allOf: [self, self], properties: {a: self}, items: self};
	const deep = Array.from({length: 12}).reduce<Json>(value => ({a: value, b: ['1', value]}), {});
	expect(fitArguments(deep, schema)).toEqual(deep);
	expect(fitArguments({a: '1'}, {$ref: '#/nowhere', properties: {a: {$ref: '#/$defs/__proto__'}}})).toEqual({a: '1'});
});

/** A value, its schema, and the same value with any part that is no text written as JSON text. */
type Written = {readonly value: Json; readonly schema: JsonObject; readonly written: Json};

const leaf = (schema: JsonObject) => (value: Json) => ({value, schema, written: value});
const asText = (one: Written, times: number): Written => {
	let {written} = one;
	for (let time = 0; time < times; time++) {
		written = nested(written);
	}

	return {...one, written};
};
const encoded = fc.tuple(
	fc.letrec<{any: Written; object: Written; list: Written}>(tie => ({
		any: fc.oneof(
			{depthSize: 'small'},
			fc.string().map(leaf({type: 'string'})),
			fc.constantFrom('true', '1', 'null', '[]', '{}', '"x"').map(leaf({type: 'string'})),
			fc.tuple(fc.integer(), fc.nat(2)).map(([value, times]) => asText(leaf({type: 'integer'})(value), times)),
			fc.tuple(fc.boolean(), fc.nat(2)).map(([value, times]) => asText(leaf({type: 'boolean'})(value), times)),
			tie('object'),
			tie('list'),
		),
		object: fc
			.tuple(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('any')), fc.nat(2))
			.map(([parts, times]) => {
				const each = (part: keyof Written) =>
					Object.fromEntries(Object.entries(parts).map(([key, one]) => [key, one[part]]));
				const schema: JsonObject = {
					type: 'object',
					properties: each('schema'),
					required: Object.keys(parts),
					additionalProperties: false,
				};
				return asText({value: each('value'), schema, written: each('written')}, times);
			}),
		list: fc.tuple(tie('any'), fc.integer({min: 2, max: 3}), fc.nat(2)).map(([item, length, times]) => {
			const list = (value: Json) => Array<Json>(length).fill(value);
			return asText(
				{value: list(item.value), schema: {type: 'array', items: item.schema}, written: list(item.written)},
				times,
			);
		}),
	})).object,
);

test('whatever is written as text, once or twice, becomes what it was, and no text that is wanted changes', () => {
	fc.assert(
		fc.property(encoded, ([{value, schema, written}]) => {
			expect(fitArguments(written, schema)).toEqual(value);
			expect(fitArguments(value, schema)).toEqual(value);
		}),
	);
});

test('what is approved, kept and run are the same arguments, and the next request repeats them', async () => {
	const {context, asked, places, text: content} = await openTools({'a.txt': 'one\ntwo\n'});
	const script = (args: JsonObject) => {
		const {arguments: _, ...call} = toolCall('c1', 'edit_file', nested(args));
		return [{...call, arguments: args}, finish('tool-calls')];
	};
	const model = scriptedModel(
		[toolCall('c0', 'read_file', nested(nested({path: 'a.txt', limit: '5'}))), finish('tool-calls')],
		script({path: 'a.txt', edits: nested([{old_text: 'two', new_text: '["2"]'}])}),
		[text('Done.'), finish('stop')],
	);
	const events = await collect(
		runAgent(
			runOptions({
				ask: model.ask,
				tools: createFolderTools(places),
				workspace: context.workspace,
				readFiles: context.readFiles,
				approvals: () => context.approve,
			}),
		),
	);
	const calls = events.flatMap(event => (event.type === 'tool-call' ? [event] : []));
	const edits = [{old_text: 'two', new_text: '["2"]'}];
	expect(calls.map(({arguments: args, malformed}) => [args, malformed])).toEqual([
		[{path: 'a.txt', limit: 5}, undefined],
		[{path: 'a.txt', edits}, undefined],
	]);
	expect(asked.map(({exactChange}) => exactChange?.diff)).toEqual(['@@ -1 +1 @@\n one\n-two\n+["2"]']);
	expect(await content('a.txt')).toBe('one\n["2"]\n');
	const sent = model.asked.at(-1)?.flatMap(message => (message.role === 'assistant' ? message.parts : []));
	expect(sent?.map(part => part.type === 'tool-call' && isJsonObject(part.arguments) && part.arguments)).toEqual(
		calls.map(({arguments: args}) => args),
	);
});
