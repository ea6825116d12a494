import {fileURLToPath} from 'node:url';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {readInputSchema} from '../../../src/agent/mcp/input-schema.ts';
import {readAnswer} from '../../../src/agent/mcp/read-answer.ts';
import type {Json, JsonObject} from '../../../src/core/json.ts';
import {startPeer} from './http-peer.ts';
import {node, openServers} from './servers.ts';

const scripted = fileURLToPath(new URL('scripted-server.mjs', import.meta.url));

const entryOf = (script: JsonObject) => node(scripted, JSON.stringify(script));

/** A server whose list of tools is this. */
const listing = (tools: Json, more: JsonObject = {}) => ({answers: {'tools/list': {result: {tools, ...more}}}});

/** A server with a first page of tools, and what an empty cursor leads to. */
const paged = (tools: Json, next: JsonObject) => ({
	answers: {'tools/list': {result: {tools, nextCursor: ''}}, 'tools/list ': next},
});

/** A server whose tool returns this. */
const returning = (result: Json) => ({answers: {'tools/call': {result}}});

const good = {name: 'good', description: 'Works', inputSchema: {type: 'object', properties: {a: {type: 'string'}}}};

const named = (faults: ReadonlyArray<{readonly text: string}>) => faults.map(({text}) => text).join('\n');

test.each<[string, Json, RegExp | undefined]>([
	['no type', {properties: {a: {type: 'string'}}}, undefined],
	['null', null, /The tool odd was repaired: it says nothing about its arguments\./],
	['a text', 'none', /The tool odd was repaired: its arguments are not described by a schema\./],
	['a list', [], /The tool odd was repaired/],
	['another type', {type: 'array', items: {}}, /The tool odd was repaired: type of its arguments can't be used\./],
	['a list of properties', {type: 'object', properties: []}, /repaired: properties of its arguments/],
	['null for properties', {type: 'object', properties: null, required: null}, undefined],
	[
		'a property that is a text',
		{type: 'object', properties: {a: 'string', b: {type: 'number'}}},
		/repaired: properties/,
	],
	['a wrong type inside', {type: 'object', properties: {a: {type: 7, description: {}}}}, /repaired: type, description/],
	['numbers that are required', {type: 'object', required: [1]}, /repaired: required/],
	[
		'types of a language',
		{type: 'object', properties: {a: {type: 'int'}, b: {type: ['STRING', 'null']}}},
		/repaired: type/,
	],
	['a list among its properties', {type: 'object', properties: {oneOf: [{}, {}]}}, /repaired: properties/],
	[
		'a hundred levels',
		Array.from({length: 100}).reduce<JsonObject>(inner => ({type: 'object', properties: {a: inner}}), {}),
		/repaired: the innermost part/,
	],
	['a recursive reference', {type: 'object', properties: {a: {$ref: '#'}}}, undefined],
])('a tool whose schema has %s costs no other tool, and works', async (_, inputSchema, fault) => {
	const {servers, call} = openServers({s: entryOf(listing([good, {name: 'odd', inputSchema}]))});
	const tools = await servers.tools();
	expect(tools.map(({name}) => name)).toEqual(['mcp__s__good', 'mcp__s__odd']);
	expect(tools[0]?.parameters).toEqual(good.inputSchema);
	expect(tools[1]?.parameters).toMatchObject({type: 'object'});
	const text = named(servers.warnings());
	if (fault) {
		expect(text).toMatch(fault);
	} else {
		expect(text).toBe('');
	}

	expect(text).not.toMatch(/invalid_type|expected|"path"/);
	expect(await call('mcp__s__odd')).toBe('fine');
});

test('tools without a usable name are left out and named once, in one warning of their server', async () => {
	const tools: readonly Json[] = [
		good,
		{inputSchema: {}},
		{name: 7},
		'text',
		null,
		{name: ' '},
		good,
		{...good, name: 'b', title: 3},
	];
	const {servers, status} = openServers({s: entryOf(listing(tools))});
	expect((await servers.tools()).map(({name}) => name)).toEqual(['mcp__s__good', 'mcp__s__b']);
	const [warning, ...more] = servers.warnings();
	expect(more).toEqual([]);
	expect(warning?.text.split(/(?<=\.) /)).toEqual([
		'The lists of the MCP server s have faults.',
		'The tool number 2 is left out: it has no name.',
		'The tool number 3 is left out: it has no name.',
		'The tool number 4 is left out: it is no object.',
		'The tool number 5 is left out: it is no object.',
		'The tool number 6 is left out: it has no name.',
		'The tool b was repaired: its title is not text.',
		'The tool good is listed more than once: only the first one is used.',
	]);
	expect(warning?.hint).toBe('See all: `mcp get s`');
	expect((await status('s')).faults).toHaveLength(7);
	await servers.tools();
	expect(servers.warnings()).toEqual([]);
});

test.each<[string, JsonObject, readonly string[], RegExp]>([
	['is no list', listing('tools'), [], /The list of its tools is not a list\./],
	['repeats a page for ever', listing([good], {nextCursor: 'again'}), ['good'], /list of its tools repeats a page/],
	['has a cursor that is a number', listing([good], {nextCursor: 1}), ['good'], /repeats a page/],
	['ends with an empty cursor', listing([good], {nextCursor: ''}), ['good'], /^$/],
	[
		'ends with an empty cursor that leads nowhere',
		paged([good], {error: {code: -32_602, message: 'Invalid cursor'}}),
		['good'],
		/^$/,
	],
	['goes on at an empty cursor', paged([good], {result: {tools: [{...good, name: 'more'}]}}), ['good', 'more'], /^$/],
	['ends with null', listing([good], {nextCursor: null}), ['good'], /^$/],
])('a list of tools that %s gives what can be read', async (_, script, expected, warning) => {
	const {servers} = openServers({s: entryOf(script)});
	const names = [...new Set((await servers.tools()).map(({name}) => name.replace('mcp__s__', '')))];
	expect(names).toEqual(expected);
	expect(named(servers.warnings())).toMatch(warning);
});

test('a server that sends its messages in batches works', async () => {
	const {servers} = openServers({s: entryOf({...listing([good]), batch: true})});
	expect((await servers.tools()).map(({name}) => name)).toEqual(['mcp__s__good']);
});

test('a server that can do nothing runs all the same', async () => {
	const initialize = {result: {protocolVersion: '2025-06-18', capabilities: {}, serverInfo: {name: 'x', version: '1'}}};
	const error = {code: -32_601, message: 'Method not found'};
	const {servers, status} = openServers({s: entryOf({answers: {initialize, 'tools/list': {error}}})});
	expect(await servers.tools()).toEqual([]);
	expect((await status('s')).state.state).toBe('ready');
	expect(named(servers.warnings())).toContain('The list of its tools is missing: Method not found.');
});

test('a schema of a megabyte is shortened, and the tool works', async () => {
	const properties = Object.fromEntries(
		Array.from({length: 3000}, (_, index) => [`p${index}`, {type: 'string', description: 'd'.repeat(300)}]),
	);
	const large = {name: 'large', inputSchema: {type: 'object', properties, required: ['p2999']}};
	const {tools} = readAnswer('tools/list', {tools: [large]}) as {readonly tools: readonly JsonObject[]};
	const schema = tools[0]?.['inputSchema'] as JsonObject;
	expect(JSON.stringify(schema).length).toBeLessThanOrEqual(16_000);
	expect(schema).toMatchObject({type: 'object', required: ['p2999'], properties: {p2999: {}}});
});

test.each<[string, Json, RegExp]>([
	[
		'an unknown part',
		{
			content: [
				{type: 'video', url: 'https://e.example/v'},
				{type: 'text', text: 'seen'},
			],
		},
		/video.*\nseen/s,
	],
	['a part without a type', {content: [{text: 'seen'}]}, /^seen$/],
	['a part that is a text', {content: ['seen']}, /^seen$/],
	['null for isError', {content: [{type: 'text', text: 'seen'}], isError: null}, /^seen$/],
	['a text as its content', {content: 'seen'}, /^seen$/],
	['one part as its content', {content: {type: 'text', text: 'seen'}}, /^seen$/],
	['structured content alone', {structuredContent: {a: 1}}, /^\{"a":1\}$/],
	['structured content that is a list', {content: [], structuredContent: [1, 2]}, /^\[1,2\]$/],
	['null as its content', {content: null}, /^The tool returned nothing\.$/],
	['fields of its own', {output: 'seen'}, /"output":"seen"/],
	['a text as its result', 'seen', /^seen$/],
	['null as its result', null, /^The tool returned nothing\.$/],
	[
		'an image with another name of its type',
		{content: [{type: 'image', data: 'AAAA', mime_type: 'image/png'}]},
		/image/,
	],
	[
		'an image whose data are no base64',
		{
			content: [
				{type: 'text', text: 'seen'},
				{type: 'image', data: '%%%', mimeType: 'image/png'},
			],
		},
		/^seen\n\[a part of type image: its data are damaged\]$/,
	],
	[
		'an image as a data URL',
		{content: [{type: 'image', data: 'data:image/png;base64,iVBORw0KGgo=', mimeType: 'image/png'}]},
		/image/,
	],
	['an image without padding', {content: [{type: 'image', data: 'iVBO\r\nRw_-Ggo', mimeType: 'image/png'}]}, /image/],
	[
		'a resource whose data are no base64',
		{
			content: [
				{type: 'text', text: 'seen'},
				{type: 'resource', resource: {uri: 'a://b', blob: '%%'}},
			],
		},
		/^seen\na:\/\/b:\n\[a part of type resource: its data are damaged\]$/,
	],
	['a resource without a type', {content: [{type: 'resource', resource: {uri: 'a://b', text: 'seen'}}]}, /seen/],
	['odd notes', {content: [{type: 'text', text: 'seen', annotations: 'x'}], _meta: 7}, /^seen$/],
])('a result with %s is read', async (_, result, expected) => {
	const {call} = openServers({s: entryOf(returning(result))});
	expect(await call('mcp__s__ok')).toMatch(expected);
});

test.each<[string, JsonObject]>([
	['no version', {serverInfo: {name: 'x'}}],
	['no name at all', {serverInfo: null}],
	['a text as its capabilities', {capabilities: 'tools'}],
	['no capabilities', {capabilities: undefined as unknown as Json}],
	['capabilities that are true', {capabilities: {tools: true, prompts: null}}],
	['flags of wrong types', {capabilities: {tools: {listChanged: 'yes'}}}],
	['a revision of the future', {protocolVersion: '2031-01-01'}],
	['no revision', {protocolVersion: null}],
	['instructions that are a list', {instructions: ['a']}],
])('a server that says %s works', async (_, more) => {
	const usual = {protocolVersion: '2025-06-18', capabilities: {tools: {}}, serverInfo: {name: 'x', version: '1'}};
	const {call, status} = openServers({s: entryOf({answers: {initialize: {result: {...usual, ...more}}}})});
	expect(await call('mcp__s__ok')).toBe('fine');
	expect((await status('s')).state.state).toBe('ready');
});

test.each<[string, JsonObject, RegExp]>([
	['an error', {answers: {initialize: {error: {code: -32_000, message: 'No API key is set.'}}}}, /^No API key is set$/],
	[
		'an error without an id',
		{answers: {initialize: {id: null, error: {code: -32_000, message: 'Not today'}}}},
		/^Not today$/,
	],
	['an error that is a text', {answers: {initialize: {error: 'Not today'}}}, /^Not today$/],
	['an error without words', {answers: {initialize: {error: {code: 'E1'}}}}, /E1/],
	[
		'an unknown method',
		{answers: {initialize: {error: {code: -32_601, message: 'No such method'}}}},
		/^No such method$/,
	],
	['words on standard error', {stderr: 'config.json is missing\n', exit: 3}, /status 3 \(config\.json is missing\)/],
	[
		'words on standard output',
		{stdout: 'Usage: server --token <token>\n', exit: 1},
		/status 1 .*Usage: server --token/,
	],
	['words without an end', {stderr: 'Ok to proceed? (y)', exit: 1}, /Ok to proceed\? \(y\)/],
])('a server that answers the handshake with %s is quoted', async (_, script, reason) => {
	const {servers, status} = openServers({s: entryOf(script)});
	await servers.tools();
	const {state} = await status('s');
	expect(state).toMatchObject({state: 'failed', reason: expect.stringMatching(reason)});
	expect(state).not.toMatchObject({reason: expect.stringContaining('stopped')});
});

test.each(['booting… ', '\uFEFF', '{"level":"info"} '])(
	'a server that prints “%s” before a message, without an end of a line, works',
	async stdout => {
		const {call} = openServers({s: entryOf({stdout})});
		expect(await call('mcp__s__ok')).toBe('fine');
	},
);

test('a server that does not answer in time says so, with what it printed', async () => {
	// A shell, which prints long before that even on a busy machine.
	const asks = {command: 'sh', args: ['-c', 'printf "Ok to proceed? (y) "; exec sleep 1000']};
	const {servers, status} = openServers({s: asks}, {startTimeoutMs: 1500});
	await servers.tools();
	expect((await status('s')).state).toMatchObject({
		state: 'failed',
		reason: expect.stringMatching(/^it did not answer within 1\.5 s \(.*Ok to proceed\? \(y\)/),
	});
});

describe('over HTTP', () => {
	test.each<[string, number, string, string, RegExp]>([
		['an error', 500, 'application/json', '{"error":{"message":"Out of memory"}}', /status 500: Out of memory/],
		['a page', 502, 'text/html', '<html><head><title>Bad Gateway</title></head>', /status 502: Bad Gateway/],
		[
			'the page of a login',
			200,
			'text/html',
			'<html><title>Sign in</title></html>',
			/It returned a web page instead of data/,
		],
		['half an answer', 200, 'application/json', '{"jsonrpc": "2.0", ', /It returned something other than JSON/],
		['nothing', 200, 'application/json', '', /It returned an empty response/],
		['a text without a type', 200, '', 'OK', /It returned something other than JSON/],
		['text', 403, 'text/plain', 'Forbidden here\nand more', /status 403: Forbidden here/],
	])('a server that answers with %s is quoted', async (_, status, type, body, reason) => {
		const peer = await startPeer({
			answer: (_message, response) => Boolean(response.writeHead(status, {'content-type': type}).end(body)),
		});
		const here = openServers({s: {url: peer.url}});
		await here.servers.tools();
		expect((await here.status('s')).state).toMatchObject({state: 'failed', reason: expect.stringMatching(reason)});
	});

	test.each<[string, (id: Json) => Json]>([
		['without a version', id => ({id, result: {content: [{type: 'text', text: 'seen'}]}})],
		['that is a text', id => ({jsonrpc: '2.0', id, result: 'seen'})],
		['with odd notes', id => ({jsonrpc: '2.0', id, result: {content: 'seen', _meta: []}})],
		['with null for its error', id => ({jsonrpc: '2.0', id, result: {content: 'seen'}, error: null})],
		['with a number as text for its id', id => ({jsonrpc: '2.0', id: String(id), result: {content: 'seen'}})],
	])('an answer %s is read', async (_, bodyOf) => {
		const peer = await startPeer({
			answer: ({id = null, method}, response) =>
				method === 'tools/call' &&
				Boolean(response.writeHead(200, {'content-type': 'application/json'}).end(JSON.stringify(bodyOf(id)))),
		});
		const {call} = openServers({s: {url: peer.url}});
		expect(await call('mcp__s__echo')).toBe('seen');
	});
});

test.each([
	['text/plain', (json: string) => json],
	['application/octet-stream', (json: string) => ` ${json}\n`],
	['text/html', (json: string) => json],
	['text/plain', (json: string) => `event: message\ndata: ${json}\n\n`],
	['application/json', (json: string) => `: hello\n\ndata: ${json}\n\n`],
])('an answer over HTTP that is called %s is read as what it is: case %#', async (type, bodyOf) => {
	const peer = await startPeer({
		answer({id = null, method}, response) {
			const json = JSON.stringify({jsonrpc: '2.0', id, result: {content: 'seen'}});
			return method === 'tools/call' && Boolean(response.writeHead(200, {'content-type': type}).end(bodyOf(json)));
		},
	});
	const {call} = openServers({s: {url: peer.url}});
	expect(await call('mcp__s__echo')).toBe('seen');
});

const anyJson = fc.jsonValue({maxDepth: 3}) as fc.Arbitrary<Json>;
const fieldOf = fc.constantFrom('title', 'description', 'inputSchema', 'annotations', 'outputSchema', '_meta', 'icons');
const goodTool = fc
	.record({name: fc.stringMatching(/^[a-z]{3,8}$/)})
	.map(({name}) => ({...good, name: `good_${name}`}));
const oddTool = fc
	.tuple(fc.stringMatching(/^[a-z]{3,8}$/), fc.dictionary(fieldOf, anyJson))
	.map(([name, fields]): Json => ({...good, ...fields, name: `odd_${name}`}));
const badTool = fc.oneof(anyJson, fc.dictionary(fieldOf, anyJson)).filter(tool => !hasName(tool));

function hasName(tool: unknown): boolean {
	return typeof tool === 'object' && tool !== null && 'name' in tool && typeof tool.name === 'string';
}

test('of any mixture of tools, every good one is read as it is, and every bad one is named once', () => {
	fc.assert(
		fc.property(fc.array(fc.oneof(goodTool, oddTool, badTool), {maxLength: 20}), tools => {
			const {tools: read, _meta} = readAnswer('tools/list', {tools: tools as Json}) as {
				readonly tools: readonly JsonObject[];
				readonly _meta?: {readonly 'service/faults': readonly string[]};
			};
			const faults = _meta?.['service/faults'] ?? [];
			const withName = tools.filter(hasName) as ReadonlyArray<{readonly name: string}>;
			expect(read.map(({name}) => name)).toEqual(withName.map(({name}) => name));
			for (const {name, inputSchema} of read) {
				expect(inputSchema).toMatchObject({type: 'object'});
				if (String(name).startsWith('good_')) {
					expect(inputSchema).toEqual(good.inputSchema);
				}
			}

			tools.forEach((tool, index) => {
				if (!hasName(tool)) {
					const about = faults.filter(fault => fault.startsWith(`The tool number ${index + 1} `));
					const byUri = faults.filter(fault => fault.includes('is left out'));
					expect(about.length === 1 || byUri.length > 0).toBe(true);
				}
			});
			expect(faults.filter(fault => fault.includes('is left out'))).toHaveLength(tools.length - withName.length);
			expect(faults.filter(fault => fault.includes('good_'))).toEqual([]);
		}),
		{numRuns: 500},
	);
});

test('any schema becomes one of an object, short, and the same when it is read again', () => {
	const keyword = fc.constantFrom(
		'type',
		'properties',
		'required',
		'items',
		'anyOf',
		'$defs',
		'enum',
		'description',
		'a',
	);
	const schema = fc.letrec<{schema: Json}>(tie => ({
		schema: fc.oneof(
			{maxDepth: 4},
			anyJson,
			fc.dictionary(keyword, fc.oneof(tie('schema'), fc.array(tie('schema'), {maxLength: 3})), {maxKeys: 5}),
		),
	})).schema;
	fc.assert(
		fc.property(schema, given => {
			const {schema: read} = readInputSchema(given);
			expect(read).toMatchObject({type: 'object'});
			expect(JSON.stringify(read).length).toBeLessThanOrEqual(16_000);
			expect(readInputSchema(read)).toEqual({schema: read, repairs: []});
		}),
		{numRuns: 500},
	);
});

test('any result of a tool is read, and never loses its text', () => {
	const part = fc.oneof(anyJson, fc.record({type: fc.string(), text: fc.constant('needle')}));
	const result = fc.record({content: fc.oneof(anyJson, fc.array(part)), isError: anyJson, structuredContent: anyJson});
	fc.assert(
		fc.property(fc.oneof(result as fc.Arbitrary<Json>, anyJson), given => {
			const {content, isError} = readAnswer('tools/call', given) as {content: JsonObject[]; isError: boolean};
			expect(typeof isError).toBe('boolean');
			expect(content.every(({type}) => typeof type === 'string')).toBe(true);
			const own = (given as {readonly content?: unknown} | null)?.content;
			if (JSON.stringify(own ?? null).includes('needle')) {
				expect(JSON.stringify(content)).toContain('needle');
			}
		}),
		{numRuns: 500},
	);
});
