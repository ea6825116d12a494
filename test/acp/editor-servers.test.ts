import {expect, test} from 'vitest';
import {readEditorServers} from '../../src/acp/editor-servers.ts';

const docs = {name: 'docs', type: 'stdio', command: 'docs', args: [], env: {}};

test('the MCP servers of an editor are read in every shape that editors write them in', () => {
	for (const none of [undefined, null, [], {}]) {
		expect(readEditorServers(none)).toEqual({servers: [], faults: []});
	}

	for (const written of [
		[{name: 'docs', command: 'docs', args: [], env: []}],
		[{name: 'docs', command: 'docs', args: {}, env: {}}],
		[{name: 'docs', command: 'docs', args: null, env: null, type: 'stdio'}],
		[{name: 'docs', command: 'docs'}],
		{docs: {command: 'docs'}},
	]) {
		expect(readEditorServers(written)).toEqual({servers: [docs], faults: []});
	}

	const pairs = [{name: 'A', value: 'b'}];
	for (const env of [pairs, {A: 'b'}]) {
		expect(readEditorServers([{name: 'docs', command: 'docs', env}]).servers).toEqual([{...docs, env: {A: 'b'}}]);
	}

	const web = {name: 'web', type: 'http', url: 'https://example.com/mcp'};
	expect(readEditorServers([{...web, headers: pairs}]).servers).toEqual([{...web, headers: {A: 'b'}}]);
});

test('a server that can not be used takes no other one with it, and no value of it is said', () => {
	const secret = 'sk-secret-value';
	const {servers, faults} = readEditorServers([
		7,
		{command: 'nameless'},
		{name: 'nothing'},
		{name: 'old', type: 'sse', url: 'http://127.0.0.1:1/sse', headers: [{name: 'K', value: secret}]},
		{name: 'wrong', command: 'x', env: [{name: 'K', value: [secret]}]},
		{name: 'odd', command: 'x', env: [secret]},
		{name: 'docs', command: 'docs'},
	]);
	expect(servers).toEqual([docs]);
	expect(faults.map(({name}) => name)).toEqual(['', '', 'nothing', 'old', 'wrong', 'odd']);
	expect(JSON.stringify(faults)).not.toContain(secret);
});
