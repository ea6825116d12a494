import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {createRequire} from 'node:module';
import {expect, onTestFinished, test} from 'vitest';
import {node} from '../agent/mcp/servers.ts';
import {connectedTo} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {startModelHost, unusedAddress} from './model-host.ts';
import {folderWith} from './program.ts';

const {resolve} = createRequire(import.meta.url);

/** The path of an example server of the official SDK. */
const example = (name: string) => resolve(`@modelcontextprotocol/sdk/examples/server/${name}.js`);

/** Starts the SDK's example of an HTTP server on a loopback port. Returns its address. */
async function exampleOverHttp(): Promise<string> {
	const {port} = new URL(await unusedAddress());
	const child = spawn(process.execPath, [example('simpleStreamableHttp')], {
		env: {MCP_PORT: port},
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const exited = once(child, 'exit');
	onTestFinished(async () => {
		child.kill('SIGKILL');
		await exited;
	});
	await once(child.stdout, 'data');
	child.stdout.resume();
	return `http://127.0.0.1:${port}/mcp`;
}

/** Runs a prompt whose model calls that tool and answers with its result. Returns what it was offered and what it said. */
async function runWith(entry: object, tool: string, args: object) {
	const host = await startModelHost();
	const {env, args: flags} = connectedTo(host);
	const place = {home: folderWith({'mcp.json': JSON.stringify({mcpServers: {example: entry}})}), env};
	host.answerWith(
		({call, finish}) => {
			call(tool, args);
			finish();
		},
		({say, finish}) => {
			say(host.chats().at(-1)?.at(-1) ?? '');
			finish();
		},
	);
	const ended = await runInProcess([...flags, '--allow', 'mcp(example:*)', '-p', 'use it'], place);
	const [first] = host.received.filter(({path}) => path === '/v1/chat/completions');
	const {tools} = JSON.parse(first?.body ?? '{}') as {readonly tools: readonly {readonly function: {name: string}}[]};
	return {ended, offered: tools.map(each => each.function.name).filter(name => name.startsWith('mcp__'))};
}

test('a model calls a tool of the example server of the official SDK over stdio, and answers with its result', async () => {
	const args = {city: 'Oslo', country: 'NO'};
	const {ended, offered} = await runWith(node(example('mcpServerOutputSchema')), 'mcp__example__get_weather', args);
	expect(ended).toMatchObject({status: 0, stderr: ''});
	expect(offered).toEqual(['mcp__example__get_weather']);
	expect(ended.stdout).toMatch(/^tool: \{\s*"temperature": \{\s*"celsius": -?[\d.]+/);
});

test('a model calls a tool of the example server of the official SDK over HTTP, and answers with its result', async () => {
	const entry = {type: 'http', url: await exampleOverHttp()};
	const {ended, offered} = await runWith(entry, 'mcp__example__greet', {name: 'Ada'});
	expect(ended).toMatchObject({status: 0, stderr: ''});
	expect(offered).toEqual(expect.arrayContaining(['mcp__example__greet', 'mcp__example__list-files']));
	expect(ended.stdout).toBe('tool: Hello, Ada!\n');
});
