import {expect, test} from 'vitest';
import {toMessages} from '../../../src/core/session/read-conversation.ts';
import {hostile, node, official} from '../../agent/mcp/servers.ts';
import {write} from '../../agent/project/repository.ts';
import type {Answer} from '../../e2e/model-host.ts';
import {keys} from '../key-presses.ts';
import {realApp, replies} from '../prompt/real-app.ts';

const file = (servers: object) => JSON.stringify({mcpServers: servers});
const calls =
	(name: string, args: object) =>
	({call, finish}: Answer) => {
		call(name, args);
		finish('tool_calls');
	};

test('a tool of an MCP server is asked for with its exact arguments, and a rule allows the next call', async () => {
	const {type, answer, waitFor, host, lastMessages, store} = await realApp({
		own: {'mcp.json': file({files: node(official)})},
	});
	host.answerWith(
		calls('mcp__files__echo', {text: 'to\u001b[2J\u202Ebe'}),
		calls('mcp__files__echo', {text: 'again'}),
		replies,
	);
	await waitFor('custom/alpha');
	type('/mcp list --check\r');
	await waitFor('The definitions of their tools take about');
	type('Echo it\r');
	await waitFor('Call echo of the MCP server files?');
	await waitFor('files: echo');
	await waitFor(String.raw`"text": "to\u001b[2J⟨U+202E⟩be"`);
	await waitFor('it only reads');
	await answer('s');
	await waitFor('Press s again to keep');
	await answer('s');
	await waitFor('Understood.');
	expect(store.getState().panel).toBeUndefined();
	expect(lastMessages().filter(({role}) => role === 'tool')).toHaveLength(2);
	expect(JSON.stringify(lastMessages().at(-1))).toContain('You said: again');

	type('/mcp log files\r');
	await waitFor('files: ready');

	// Its prompts are slash commands.
	type('/mcp__files__Rev');
	await waitFor('Reviews a file (MCP server files)');
	type('iew_code a.ts strict\r');
	await expect.poll(() => JSON.stringify(lastMessages())).toContain('Review a.ts.\\n\\nBe strict.');
});

test('a server of the project starts only after the user has trusted its exact command [12]', async () => {
	const {type, answer, waitFor, host, folder} = await realApp({
		files: {'.mcp.json': file({files: {...node(official), env: {TEAM: '${HOME}'}}})},
	});
	await waitFor('Trust these files, and start their MCP servers?');
	await waitFor(`MCP server files: ${process.execPath} `);
	await waitFor('variable TEAM: ${HOME}');
	await answer('n');
	type('Hello\r');
	await waitFor('Understood.');
	const toolsOf = (body: string) =>
		(JSON.parse(body).tools ?? []).map((tool: {function: {name: string}}) => tool.function.name);
	const sent = () => toolsOf(host.received.findLast(({path}) => path.endsWith('/chat/completions'))?.body ?? '{}');
	expect(sent()).not.toContain('mcp__files__echo');
	type('/trust add\r');
	await answer('y');
	await waitFor('.mcp.json');
	type('/mcp reconnect files\r');
	await waitFor('official 1.2.3');
	type('Again\r');
	await expect.poll(sent).toContain('mcp__files__echo');
	write(folder, {'.mcp.json': file({files: node(official, 'stdio', 'other')})});
	type('/mcp\r');
	await waitFor('not used: the file is not');
});

test('large sets of tools are not sent with each request: the model searches for them', async () => {
	const {type, answer, waitFor, host, lastMessages} = await realApp({
		own: {
			'mcp.json': file({
				files: node(official),
				large: node(hostile, 'described'),
			}),
		},
	});
	host.answerWith(
		calls('search_tools', {query: 'return the text'}),
		calls('mcp__files__echo', {text: 'found'}),
		replies,
	);
	await waitFor('custom/alpha');
	type('/mcp list --check\r');
	await waitFor('The definitions of their tools take about');
	type('Echo it\r');
	await waitFor('Call echo of the MCP server files?');
	await answer('y');
	await waitFor('Understood.');
	expect(JSON.stringify(lastMessages().at(-1))).toContain('You said: found');
	const sets = host.received
		.filter(({path}) => path.endsWith('/chat/completions'))
		.map(({body}) => (JSON.parse(body).tools as {function: {name: string}}[]).map(tool => tool.function.name));
	expect(sets[0]).toContain('search_tools');
	expect(sets[0]?.some(name => name.startsWith('mcp__'))).toBe(false);
	expect(sets[1]?.filter(name => name.startsWith('mcp__files__'))).toContain('mcp__files__echo');
	expect(sets[1]).toEqual(expect.arrayContaining(sets[0] ?? []));
});

test('a resource of an MCP server is completed, attached under the message, and read again from the journal', async () => {
	const {type, waitFor, lastMessages, store} = await realApp({own: {'mcp.json': file({docs: node(official)})}});
	await waitFor('custom/alpha');
	// Naming a server of the user starts it.
	type('explain @docs:gui');
	await waitFor('❯ docs:docs://guide  docs://guide: How it works');
	type('\t');
	await waitFor('explain @docs:docs://guide');
	type('and @docs:not');
	await waitFor('❯ docs:notes:///{name}  Notes');
	type('\t');
	await waitFor('@docs:notes:///');
	type('a.md \r');
	await waitFor('Understood.');
	await waitFor('└ docs:docs://guide · 3 lines · about');
	await waitFor('└ docs:notes:///a.md · 1 line · about');
	expect(JSON.stringify(lastMessages())).toContain('one\\ntwo \\u001b[2J');
	expect(toMessages(store.getState().transcript)[0]).toEqual({role: 'user', text: lastMessages().at(-1)?.content});
	type('and @do');
	await waitFor('❯ docs:  resources of this MCP server');
});

test('the server completes the variables of a template while the user types', async () => {
	const {type, waitFor, lastMessages} = await realApp({own: {'mcp.json': file({docs: node(official)})}});
	await waitFor('custom/alpha');
	type('see @docs:files');
	await waitFor('❯ docs:files:///{folder}/{+path}  Files');
	type('\t');
	await waitFor('docs:files:///src/{+path} ');
	type('d');
	await waitFor('❯ docs:files:///docs/{+path} ');
	type('\t');
	await waitFor('docs:files:///docs/sub/guide.md ');
	type('su');
	await waitFor('❯ docs:files:///docs/sub/guide.md ');
	type('\t');
	await waitFor('see @docs:files:///docs/sub/guide.md');
	type('\r');
	await waitFor('Understood.');
	await waitFor('└ docs:files:///docs/sub/guide.md · 1 line · about');
	expect(JSON.stringify(lastMessages())).toContain('file');
});

test('a form of an MCP server is filled in, asked again where it is wrong, and sent only after a last look', async () => {
	const {type, answer, waitFor, host, lastMessages, store} = await realApp({
		own: {'mcp.json': file({docs: node(official, 'asks')})},
	});
	host.answerWith(calls('mcp__docs__form', {}), replies);
	await waitFor('custom/alpha');
	type('Ask me\r');
	await waitFor('Call form of the MCP server docs?');
	await answer('y');
	await waitFor('? The MCP server docs asks: Who are you (0)?␛[2J');
	// A key that was pressed before the question answers nothing.
	type('\r');
	await waitFor('Enter ignored: wait a second, then press it again');
	expect(store.getState().panel).toMatchObject({kind: 'ask', choices: [{label: 'Answer'}, {label: 'Decline'}]});
	await waitFor('❯ 2. Decline');
	await answer('1\r');
	await waitFor('? docs · 1 of 5 · Email');
	type('\u001b[200~nobody\r\n\u001b[201~');
	await waitFor('answer: nobody');
	type('\r');
	await waitFor('? “nobody” is not valid: it must be an email address.');
	type('@example.com\r');
	await waitFor('answer: 30');
	// Nor does an Enter that is held down.
	type('\r');
	await waitFor('Enter ignored: wait a second, then press it again');
	type(`${keys.backspace}0\r`);
	await waitFor('1. Large  default');
	expect(store.getState().panel).toMatchObject({choices: [{label: 'Large'}, {label: 'Small'}, {label: 'Skip'}]});
	type('2\r');
	await waitFor('news (optional)');
	await waitFor('  1. Yes');
	type('1\r');
	await waitFor('tags (optional)');
	type(`1${keys.backspace}\r`);
	await waitFor('? Send this to the MCP server docs?');
	await waitFor('tags: –');
	await waitFor('❯ 3. Decline');
	await answer('1\r');
	await waitFor('Understood.');
	expect(lastMessages().at(-1)?.content).toBe(
		'[{"action":"accept","content":{"email":"nobody@example.com","age":30,"size":"s","news":true}}]',
	);
});

test.each(['mcp add late', 'mcp reconnect mute'])(
	'Esc ends the wait of /%s for a server that says nothing, and the server stays',
	async line => {
		const mute = {command: process.execPath, args: ['-e', 'setInterval(() => undefined, 1000)']};
		const {type, waitFor, store} = await realApp({own: {'mcp.json': file({mute})}});
		const path = line.split(' ', 2).join(' ');
		await waitFor('custom/alpha');
		type(`/${line}${path === 'mcp add' ? ` -- ${mute.command} -e "${mute.args[1]}"` : ''}\r`);
		await expect.poll(() => store.getState()).toMatchObject({busy: true, command: path});
		type(keys.escape);
		await waitFor(`/${path} was interrupted.`);
		expect(store.getState().busy).toBe(false);
		type('/mcp\r');
		await waitFor(`${line.split(' ')[2]}    starting`);
	},
);
