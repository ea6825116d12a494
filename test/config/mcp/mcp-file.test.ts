import {expect, test} from 'vitest';
import {expandServer} from '../../../src/config/mcp/expand-server.ts';
import {type McpServer, parseMcpFile, withEntry} from '../../../src/config/mcp/mcp-file.ts';

const parse = (servers: unknown) => parseMcpFile(JSON.stringify({mcpServers: servers}));

test('reads servers in the shape that other clients write', () => {
	const read = parse({
		files: {command: 'npx', args: ['-y', 'files'], env: {ROOT: '${PWD}'}},
		docs: {type: 'http', url: 'https://mcp.example.com/mcp', headers: {'X-Team': 'a'}},
		bare: {url: 'https://mcp.example.com/bare', alwaysAllow: ['x']},
		off: {type: 'stdio', command: 'x', disabled: true, timeout: 5000},
		gemini: {httpUrl: 'https://mcp.example.com/g', trust: true},
		copilot: {type: 'local', command: 'x', tools: ['*']},
	});
	expect(read).toEqual({
		servers: [
			{name: 'files', type: 'stdio', command: 'npx', args: ['-y', 'files'], env: {ROOT: '${PWD}'}},
			{name: 'docs', type: 'http', url: 'https://mcp.example.com/mcp', headers: {'X-Team': 'a'}},
			{name: 'bare', type: 'http', url: 'https://mcp.example.com/bare', headers: {}},
			{name: 'off', type: 'stdio', command: 'x', args: [], env: {}, timeoutMs: 5000, disabled: true},
			{name: 'gemini', type: 'http', url: 'https://mcp.example.com/g', headers: {}},
			{name: 'copilot', type: 'stdio', command: 'x', args: [], env: {}},
		],
		faults: [],
	});
});

test('an invalid entry costs its own server alone', () => {
	const read = parse({
		good: {command: 'x'},
		'bad\u001b[2J': {command: 'x'},
		'': {command: 'x'},
		empty: {command: ''},
		list: ['x'],
		args: {command: 'x', args: 'y'},
		old: {type: 'sse', url: 'https://mcp.example.com'},
		odd: {type: 'carrier-pigeon'},
	});
	expect('servers' in read && read.servers.map(({name}) => name)).toEqual(['good']);
	expect('faults' in read && Object.fromEntries(read.faults.map(({name, reason}) => [name, reason]))).toEqual({
		'bad\u001b[2J': 'its name is empty, too long, or has control characters',
		'': 'its name is empty, too long, or has control characters',
		empty: 'command must have at least 1 character',
		list: 'it must be an object',
		args: 'args must be a list',
		old: 'SSE servers are not supported; use its “http” address',
		odd: 'its “type” is unknown',
	});
});

test('uses at most 50 servers of a file', () => {
	const read = parse(Object.fromEntries(Array.from({length: 60}, (_, index) => [`s${index}`, {command: 'x'}])));
	expect('servers' in read && [read.servers.length, read.faults.length]).toEqual([50, 10]);
});

test.each([
	['{', 'it is not valid JSON'],
	['[]', 'its “mcpServers” must be an object'],
	['{"mcpServers": []}', 'its “mcpServers” must be an object'],
])('%s is no file of servers', (text, fault) => {
	expect(parseMcpFile(text)).toEqual({fault});
});

const server: McpServer = {name: 'files', type: 'stdio', command: '${BIN:-npx}', args: ['${A}/x'], env: {K: '${A}'}};

test('replaces variables and defaults, and names the values that are the user’s', () => {
	expect(expandServer(server, {A: '/a', BIN: ''})).toEqual({
		server: {name: 'files', type: 'stdio', command: 'npx', args: ['/a/x'], env: {K: '/a'}},
		values: ['/a'],
	});
	const http: McpServer = {name: 'docs', type: 'http', url: '${U}', headers: {Authorization: 'Bearer ${T}'}};
	expect(expandServer(http, {U: 'https://a.example', T: '${U}'}).server).toMatchObject({
		url: 'https://a.example',
		// A value is never expanded again.
		headers: {Authorization: 'Bearer ${U}'},
	});
});

test('reads variables as editors write them, and names what only they can replace', () => {
	const own: McpServer = {name: 'files', type: 'stdio', command: 'x', args: ['${env:A}'], env: {B: '${env:NONE:-b}'}};
	expect(expandServer(own, {A: '/a'})).toMatchObject({server: {args: ['/a'], env: {B: 'b'}}, values: ['/a']});
	expect(() => expandServer({...own, env: {KEY: '${input:key}'}}, {A: '/a'})).toThrow(
		'The MCP server “files” uses ${input:key}, which is not supported.',
	);
});

test('a variable that is not set is named', () => {
	expect(() => expandServer(server, {})).toThrow('The MCP server “files” needs the variable A, which is not set.');
});

test('changes one server and keeps everything else in the file', () => {
	const text = '{\n  "other": 1,\n  "mcpServers": {"a": {"command": "x", "alwaysAllow": []}}\n}\n';
	expect(withEntry(text, 'b', {command: 'y'})).toBe(
		`${JSON.stringify({other: 1, mcpServers: {a: {command: 'x', alwaysAllow: []}, b: {command: 'y'}}}, undefined, 2)}\n`,
	);
	expect(JSON.parse(withEntry(text, 'a', undefined) ?? '')).toEqual({other: 1, mcpServers: {}});
	expect(withEntry('[]', 'a', {})).toBeUndefined();
});
