import {getEventListeners} from 'node:events';
import {expect, test} from 'vitest';
import {readMentions} from '../../../src/agent/mentions/read-mentions.ts';
import type {ImageType} from '../../../src/core/session/event.ts';
import {hostile, node, official, officialOverHttp, openServers} from './servers.ts';

type Entries = Parameters<typeof openServers>[0];

/** Servers, and what a message to the agent attaches from them. */
function attaching(entries: Entries, options: Parameters<typeof openServers>[1] = {}) {
	const parts = openServers(entries, options);
	const attach = async (text: string, {signal = new AbortController().signal, sees = true} = {}) => {
		const saved: ImageType[] = [];
		const found = [];
		for await (const each of readMentions(text, {
			...{tools: [], hide: parts.hide, logs: () => [], sources: [parts.servers.resources]},
			context: {
				...{workspace: parts.folder, signal, readFiles: new Map()},
				...{onOutput: () => undefined, onChange: () => undefined, approve: async () => ({allowed: true})},
			},
			images: {
				isSeen: type => sees && saved.push(type) > 0,
				save: async () => 'hash',
			},
		})) {
			found.push(each);
		}

		return found;
	};
	return {...parts, attach};
}

const never = new AbortController().signal;

test.each(['stdio', 'HTTP'])('a resource is attached as text, whole or by lines, over %s', async transport => {
	const entry = transport === 'HTTP' ? {type: 'http', url: await officialOverHttp()} : node(official);
	const {attach} = attaching({docs: entry});
	expect(await attach('Explain @docs:docs://guide, and @"docs:docs://guide":2-9 please')).toMatchObject([
		{
			...{source: 'resource', name: 'docs:docs://guide', lines: 3},
			text: expect.stringMatching(
				/^\[The user attached the resource docs:docs:\/\/guide of an MCP server:]\n\n```\none\n/,
			),
		},
		{source: 'resource', name: 'docs:docs://guide:2-3', text: expect.not.stringContaining('one'), lines: 2},
	]);
	expect(await attach('@docs:docs://host:8080 @docs:notes:///a.md @docs:docs://encoded')).toMatchObject([
		{name: 'docs:docs://host:8080', text: expect.stringContaining('port')},
		{name: 'docs:notes:///a.md', text: expect.stringContaining('note a.md')},
		{text: expect.stringContaining('größe')},
	]);
});

test('images reach a model that sees them; other bytes and missing resources are refused in words', async () => {
	const {attach} = attaching({docs: node(official)});
	expect(await attach('@docs:docs://logo')).toMatchObject([
		{source: 'resource', images: [{type: 'image/png', width: 1}], text: expect.stringContaining('PNG, 1×1')},
	]);
	const refused = async (mention: string, sees = true) => {
		const [found] = await attach(mention, {sees});
		expect(found).toMatchObject({source: 'none'});
		return found && 'text' in found ? found.text : '';
	};
	expect(await refused('@docs:docs://logo', false)).toContain('an image (70 B), which this model can');
	expect(await refused('@docs:docs://data')).toContain('The resource is binary (4 B). Only text, images and PDFs');
	expect(await refused('@docs:docs://empty')).toContain('The resource is empty.');
	expect(await refused('@docs:docs://guide:9')).toContain('The resource has only 3 lines.');
	expect(await refused('@docs:docs://gone')).toContain('The MCP server docs failed:');
	// A part that can't be read costs none of the others.
	expect(await attach('@docs:docs://two')).toMatchObject([
		{text: expect.stringMatching(/\[The resource is binary \(2 B\)\..*]\ndocs:\/\/other:\nsecond/s)},
	]);
});

test('credentials in a resource are masked [8]', async () => {
	const {attach} = attaching(
		{docs: {...node(official), env: {TOKEN: '${MY_TOKEN}'}}},
		{env: {MY_TOKEN: 'hunter2-hunter2'}},
	);
	expect(await attach('@docs:docs://guide')).toMatchObject([{text: expect.stringContaining('three ***')}]);
});

test('only servers that the user trusts are asked, and what names no server stays a file or text [12]', async () => {
	const {attach, servers} = attaching(
		{},
		{files: {'.mcp.json': JSON.stringify({mcpServers: {docs: node(official)}}), 'a:b': ''}},
	);
	expect(await attach('@docs:docs://guide and @other:thing and @other:a/b')).toMatchObject([
		{source: 'none', text: expect.stringContaining('The MCP server docs is not used: the file is not trusted.')},
		{note: '@other:a/b was not found. It stays text.'},
	]);
	expect(await servers.suggestResources('docs:', never)).toEqual([]);
	expect((await servers.status())[0]?.state).toEqual({state: 'stopped'});
});

test('completion lists the servers that run, then the resources and templates of one', async () => {
	const {servers} = openServers({docs: node(official), log: node(official)});
	expect(await servers.suggestResources('', never)).toEqual([]);
	const [docs] = await servers.suggestResources('docs:do', never);
	expect(docs?.resources).toContainEqual({
		...{uri: 'docs://guide', isTemplate: false, summary: 'docs://guide: How it works'},
	});
	expect(docs?.resources).toContainEqual({uri: 'notes:///{name}', isTemplate: true, summary: 'Notes'});
	await servers.tools();
	// @log: is the log of a sandbox.
	expect(await servers.suggestResources('', never)).toEqual([{server: 'docs'}]);
	expect(await servers.suggestResources('log:', never)).toEqual([{server: 'docs'}]);
});

test('hostile names are left out or made safe, and hostile contents cost their mention alone [1]', async () => {
	const {attach, servers} = attaching({bad: node(hostile, 'resources'), docs: node(official)});
	const [bad] = await servers.suggestResources('bad:', never);
	expect(bad?.resources).toHaveLength(1000);
	expect(bad?.resources?.[0]?.uri).toBe('a://0');
	expect(JSON.stringify(bad)).not.toMatch(/\\u001b|\\u0007|\u202E/);
	expect(bad?.resources?.[0]?.summary.length).toBeLessThanOrEqual(120);
	for (const [uri, reason] of [
		['big', 'The resource is too large: 5.2 MB of at most 4.2 MB.'],
		['lie', 'begins as an image'],
	] as const) {
		expect(await attach(`@bad:a://${uri} @docs:docs://host:8080`), uri).toMatchObject([
			{source: 'none', text: expect.stringContaining(reason)},
			{source: 'resource'},
		]);
	}

	expect(await attach('@bad:a://wrong')).toMatchObject([{text: expect.stringContaining('not a list')}]);
	expect(await attach('@bad:a://types')).toMatchObject([{source: 'resource'}]);
	expect(await attach('@bad:a://long')).toMatchObject([
		{lines: 20_000, text: expect.stringMatching(/lines left out: .* Ask the user to mention lines/)},
	]);
	expect(await attach('@bad:a://many')).toMatchObject([
		{text: expect.stringContaining('[480 more parts are left out]')},
	]);
});

test('Ctrl+C ends the wait for a resource that never comes', async () => {
	const {attach, servers} = attaching({bad: node(hostile, 'resources'), deaf: node(hostile, 'hang')});
	await servers.suggestResources('bad:', never);
	const stop = new AbortController();
	const hanging = attach('@bad:a://hang', {signal: stop.signal});
	await expect.poll(() => getEventListeners(stop.signal, 'abort').length).toBeGreaterThan(0);
	stop.abort();
	await expect(hanging).rejects.toMatchObject({name: 'AbortError'});
	await expect(attach('@deaf:a://x', {signal: AbortSignal.timeout(20)})).rejects.toMatchObject({name: 'TimeoutError'});
});
