import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {isEntryName} from '../../../src/command/entries/prompt-entry.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import {mcpPromptEntries} from '../../../src/program/mcp-prompts.ts';
import {hostile, node, official, officialOverHttp, openServers} from './servers.ts';

const review = 'mcp__files__Review_code';

/** The slash commands of servers that run. */
async function opened(entries: JsonObject, env: Readonly<Record<string, string>> = {}) {
	const parts = openServers(entries, {env});
	const source = mcpPromptEntries(parts.servers.prompts);
	const names = async () => {
		await source.refresh();
		return source.entries().map(({name}) => name);
	};
	const textFor = async (name: string, typed: string, signal?: AbortSignal) => {
		await expect.poll(names).toContain(name);
		const entry = source.entries().find(each => each.name === name);
		return entry && 'textFor' in entry ? entry.textFor?.(typed, signal) : undefined;
	};
	return {...parts, source, names, textFor};
}

test('prompts of a server are slash commands once it runs, and listing them starts nothing', async () => {
	const {servers, names, source, status} = await opened({files: node(official)});
	expect(await names()).toEqual([]);
	expect((await status('files')).state).toEqual({state: 'stopped'});
	await servers.tools();
	await expect.poll(names).toEqual([review, 'mcp__files__empty', 'mcp__files__broken']);
	expect(source.entries()[0]).toMatchObject({
		summary: 'Reviews a file (MCP server files)',
		usage: '<file> [tone]',
	});
	// The same list until they change.
	const before = source.entries();
	await source.refresh();
	expect(source.entries()).toBe(before);
});

test.each(['stdio', 'HTTP'])('arguments are given by position over %s', async transport => {
	const entry = transport === 'HTTP' ? {type: 'http', url: await officialOverHttp()} : node(official);
	const {servers, textFor} = await opened({files: entry});
	await servers.tools();
	expect(await textFor(review, 'a.ts')).toBe('Review a.ts.\n\nBe kind.');
	expect(await textFor(review, '"my file.ts" very strict')).toBe('Review my file.ts.\n\nBe very strict.');
	await expect(textFor(review, '')).rejects.toMatchObject({
		...{code: 'usage', message: 'Missing argument: file', hint: `Usage: /${review} <file> [tone]`},
	});
	await expect(textFor('mcp__files__empty', 'more')).rejects.toMatchObject({message: 'This prompt has no arguments.'});
});

test('a prompt that is empty or fails is an error, and credentials in one are masked', async () => {
	const {servers, textFor} = await opened(
		{files: {...node(official), env: {TOKEN: '${MY_TOKEN}'}}},
		{MY_TOKEN: 'hunter2-hunter2'},
	);
	await servers.tools();
	await expect(textFor('mcp__files__empty', '')).rejects.toMatchObject({
		message: 'The MCP server files returned an empty prompt.',
	});
	await expect(textFor('mcp__files__broken', '')).rejects.toMatchObject({code: 'failed'});
	await expect(textFor(review, 'a.ts', AbortSignal.abort(new Error('interrupted')))).rejects.toThrow('interrupted');
	expect(await textFor(review, 'a.ts')).toBe('Review a.ts.\n\nBe kind. ***');
});

test('names and texts of prompts are made safe, unique and short, and messages are bounded [1]', async () => {
	const {servers, names, source, textFor} = await opened({'Bad server!': node(hostile, 'prompts')});
	await servers.tools();
	await expect.poll(async () => (await names()).length).toBe(100);
	const listed = await names();
	expect(new Set(listed).size).toBe(100);
	expect(listed.every(isEntryName)).toBe(true);
	expect(listed).not.toContain('mcp__Bad_server___endless');
	for (const entry of source.entries()) {
		expect(entry.summary).not.toMatch(/[\p{Cc}\u202E\u200B]/u);
		expect(entry.summary.length).toBeLessThan(200);
	}

	const text = await textFor('mcp__Bad_server___p0', '');
	expect(text).toContain('characters left out');
	expect(text?.length).toBeLessThan(70_000);
});

test('a server that fails to list its prompts keeps its tools', async () => {
	const {servers, names, status} = await opened({bad: node(hostile, 'prompts-fail')});
	expect(await servers.tools()).toHaveLength(1);
	await expect
		.poll(async () => (await status('bad')).log)
		.toEqual([expect.stringMatching('^Listing its prompts failed: .*none today')]);
	expect(await names()).toEqual([]);
});

test('prompts go with their server', async () => {
	const {servers, names, stateFolder, project} = await opened({files: node(official)});
	await servers.tools();
	await expect.poll(names).toHaveLength(3);
	writeFileSync(join(stateFolder, 'mcp.json'), JSON.stringify({mcpServers: {}}));
	await project.load();
	expect(await names()).toEqual([]);
});
