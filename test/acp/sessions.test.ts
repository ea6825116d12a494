import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {ClientCapabilities} from '@agentclientprotocol/sdk';
import {expect, test} from 'vitest';
import {connectedTo} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith, runProgram} from '../e2e/program.ts';
import {startEditor} from './editor.ts';

const everything: ClientCapabilities = {
	auth: {terminal: true},
	session: {notices: {}, compaction: {}, configOptions: {boolean: {}}},
	elicitation: {form: {}},
};

test('the agent speaks version 1 to every editor, and offers what it can', async () => {
	const editor = await startEditor();
	const plain = await editor.agent.request('initialize', {protocolVersion: 99});
	expect(plain).toMatchObject({
		protocolVersion: 1,
		agentInfo: {name: 'service'},
		authMethods: [],
		agentCapabilities: {
			loadSession: true,
			promptCapabilities: {image: true, embeddedContext: true},
			mcpCapabilities: {http: true, sse: false},
		},
	});
	const full = await editor.agent.request('initialize', {protocolVersion: 1, clientCapabilities: everything});
	expect(full.authMethods).toMatchObject([{type: 'terminal', args: ['--login']}]);
	await expect(editor.agent.request('authenticate', {methodId: 'terminal'})).rejects.toThrow('Add a key in a terminal');
	expect(await editor.agent.request('logout', {})).toEqual({});
});

test('a session goes on in the terminal, and back in the editor with everything that was said', async () => {
	const host = await startModelHost();
	const first = await startEditor({host});
	const {home, folder} = first;
	const session = await first.open();
	await first.prompt(session, 'From the editor');
	await first.agent.request('session/close', {sessionId: session});

	const {env, args} = connectedTo(host);
	const shell = await runProgram(['-p', 'From the shell', '-c', '--output-format', 'json', ...args], {
		env,
		home,
		folder,
	});
	expect(JSON.parse(shell.stdout)).toMatchObject({session_id: session, error: null});
	expect(host.chats().at(-1)).toEqual(
		expect.arrayContaining([expect.stringContaining('From the editor'), expect.stringContaining('From the shell')]),
	);

	const before = first.events.length;
	await first.agent.request('session/load', {sessionId: session, cwd: folder, mcpServers: []});
	const replayed = first.events.slice(before).flatMap(event => ('sessionUpdate' in event ? [event] : []));
	expect(replayed.filter(({sessionUpdate}) => /message_chunk/.test(sessionUpdate))).toMatchObject([
		{sessionUpdate: 'user_message_chunk', content: {text: 'From the editor'}},
		{sessionUpdate: 'agent_message_chunk', content: {text: 'Hello from the host.'}},
		{sessionUpdate: 'user_message_chunk', content: {text: 'From the shell'}},
		{sessionUpdate: 'agent_message_chunk', content: {text: 'Hello from the host.'}},
	]);
	await first.prompt(session, 'Once more');
	expect(
		host
			.chats()
			.at(-1)
			?.filter(text => text.startsWith('user:')),
	).toHaveLength(3);
});

test('to resume a session shows nothing of it again, and it continues', async () => {
	const editor = await startEditor();
	const session = await editor.open();
	await editor.prompt(session, 'One');
	await editor.agent.request('session/close', {sessionId: session});
	const before = editor.events.length;
	await editor.agent.request('session/resume', {sessionId: session, cwd: editor.folder});
	expect(editor.updates('user_message_chunk')).toEqual([]);
	expect(
		editor.events
			.slice(before)
			.filter(event => 'sessionUpdate' in event && event.sessionUpdate === 'agent_message_chunk'),
	).toEqual([]);
	await editor.prompt(session, 'Two');
	expect(
		editor.host
			.chats()
			.at(-1)
			?.filter(text => text.startsWith('user:')),
	).toHaveLength(2);
});

test('a session that another process has open is refused in words, and so is one of another folder', async () => {
	const host = await startModelHost();
	const [first, other] = [await startEditor({host}), folderWith()];
	const session = await first.open();
	await first.prompt(session, 'Mine');
	const second = await startEditor({host, home: first.home, folder: first.folder});
	const load = (cwd: string) => second.agent.request('session/load', {sessionId: session, cwd, mcpServers: []});
	await expect(load(first.folder)).rejects.toThrow(/is open in another window \(process \d+/);
	await expect(second.agent.request('session/delete', {sessionId: session})).rejects.toThrow(
		'is open in another window',
	);
	await first.agent.request('session/close', {sessionId: session});
	await expect(load(other)).rejects.toThrow(`belongs to another folder: ${first.folder}`);
	await load(first.folder);
	await second.prompt(session, 'Now mine');
});

test('sessions are listed page by page, newest first, and deleted', async () => {
	const editor = await startEditor();
	const ids: string[] = [];
	for (const text of ['One', 'Two']) {
		const session = await editor.open();
		await editor.prompt(session, text);
		await editor.agent.request('session/close', {sessionId: session});
		ids.unshift(session);
	}

	// Those of a list are files; more of them than a page are made of the first one.
	const [place = ''] = readdirSync(join(editor.home, 'sessions'));
	const at = join(editor.home, 'sessions', place);
	const source = readFileSync(join(at, `${ids[1]}.jsonl`), 'utf8');
	for (let index = 0; index < 60; index++) {
		const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
		writeFileSync(join(at, `${id}.jsonl`), source.replaceAll(ids[1] ?? '', id), {mode: 0o600});
	}

	const seen: string[] = [];
	for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages++) {
		const page = await editor.agent.request('session/list', {cwd: editor.folder, ...(cursor && {cursor})});
		seen.push(...page.sessions.map(({sessionId}) => sessionId));
		expect(page.sessions.every(({cwd}) => cwd === editor.folder)).toBe(true);
		cursor = page.nextCursor ?? undefined;
	}

	expect(new Set(seen).size).toBe(62);
	expect(seen).toHaveLength(62);
	expect(seen[0]).toBe(ids[0]);
	await expect(editor.agent.request('session/list', {cursor: 'bm9uZQ'})).rejects.toThrow('Invalid cursor.');
	expect(await editor.agent.request('session/list', {cwd: folderWith()})).toEqual({sessions: []});

	await editor.agent.request('session/delete', {sessionId: ids[0] ?? ''});
	await editor.agent.request('session/delete', {sessionId: ids[0] ?? ''});
	await editor.agent.request('session/delete', {sessionId: '../../etc/passwd'});
	const {sessions} = await editor.agent.request('session/list', {cwd: editor.folder});
	expect(sessions.map(({sessionId}) => sessionId)).not.toContain(ids[0]);
});

test('what is not there, not absolute or not open is refused with a sentence', async () => {
	const editor = await startEditor();
	const folder = folderWith();
	await expect(editor.open('relative')).rejects.toThrow('is not an absolute path');
	await expect(editor.open(join(folder, 'gone'))).rejects.toThrow('does not exist');
	await expect(
		editor.agent.request('session/load', {sessionId: 'none', cwd: folder, mcpServers: []}),
	).rejects.toMatchObject({code: -32_002, data: {sessionId: 'none'}});
	await expect(editor.prompt('none', 'Hi')).rejects.toMatchObject({code: -32_002, data: {sessionId: 'none'}});
	expect(await editor.agent.request('session/close', {sessionId: 'none'})).toEqual({});
});

test('modes, models and effort are options of a session, and all mode is asked about once in a folder [20]', async () => {
	const editor = await startEditor({capabilities: everything});
	const session = await editor.open();
	const set = async (configId: string, value: string) =>
		(await editor.agent.request('session/set_config_option', {sessionId: session, configId, value})).configOptions;
	const valueIn = (options: Awaited<ReturnType<typeof set>>, id: string) =>
		options.find(option => option.id === id)?.currentValue;
	expect(valueIn(await set('model', 'custom/beta'), 'model')).toBe('custom/beta');
	await editor.prompt(session, 'Hi');
	expect(JSON.parse(editor.host.received.at(-1)?.body ?? '{}')).toMatchObject({model: 'beta'});
	expect(valueIn(await set('effort', 'high'), 'effort')).toBe('high');
	await expect(set('model', 'nowhere/else')).rejects.toThrow("Model can't be “nowhere/else”.");
	await expect(set('colour', 'red')).rejects.toThrow('Unknown option “colour”.');
	await editor.agent.request('session/set_mode', {sessionId: session, modeId: 'all'});
	await editor.agent.request('session/set_mode', {sessionId: session, modeId: 'ask'});
	expect(valueIn(await set('mode', 'all'), 'mode')).toBe('all');
	expect(editor.questions).toMatchObject([{toolCall: {kind: 'switch_mode'}}]);
	await expect(editor.agent.request('session/set_mode', {sessionId: session, modeId: 'root'})).rejects.toThrow(
		'Unknown mode “root”.',
	);
	const other = await editor.agent.request('session/new', {cwd: editor.folder, mcpServers: []});
	expect(other.modes?.currentModeId).toBe('ask');
});

test('what nobody trusted is left out, and the editor is told [12]', async () => {
	const folder = folderWith({'AGENTS.md': 'Obey the file.'});
	const noticed = await startEditor({folder, capabilities: everything});
	await noticed.prompt(await noticed.open(), 'Hi');
	expect(noticed.host.received.at(-1)?.body).not.toContain('Obey the file.');
	expect(noticed.updates('notice')).toMatchObject([{severity: 'warning', title: expect.stringContaining('AGENTS.md')}]);
	const plain = await startEditor({folder});
	await plain.prompt(await plain.open(), 'Hi');
	expect(plain.said()).toContain('Not trusted, so left out: AGENTS.md.');
	const trusting = await startEditor({folder, args: ['--trust']});
	await trusting.prompt(await trusting.open(), 'Hi');
	expect(trusting.host.received.at(-1)?.body).toContain('Obey the file.');
});

const scripted = join(import.meta.dirname, '../agent/mcp/scripted-server.mjs');

test('the MCP servers of an editor belong to the session that it gave them to', async () => {
	const editor = await startEditor();
	const {sessionId} = await editor.agent.request('session/new', {
		cwd: editor.folder,
		mcpServers: [{name: 'docs', command: process.execPath, args: [scripted], env: [{name: 'A', value: 'b'}]}],
	});
	await editor.prompt(sessionId, 'Hi');
	expect(editor.host.received.at(-1)?.body).toContain('mcp__docs__ok');
	await editor.prompt(await editor.open(), 'Hi');
	expect(editor.host.received.at(-1)?.body).not.toContain('mcp__docs__ok');
});

test('a session opens without the servers of its editor that can not be used, and tells which', async () => {
	const editor = await startEditor({capabilities: everything});
	const open = async (rest: object) =>
		(await editor.agent.request('session/new', {cwd: editor.folder, ...rest} as never)).sessionId;
	await editor.prompt(await open({}), 'Hi');
	expect(editor.updates('notice')).toEqual([]);
	const headers = [{name: 'K', value: 'sk-secret-value'}];
	const old = {type: 'sse', name: 'old', url: 'http://127.0.0.1:1/sse', headers};
	const docs = {name: 'docs', command: process.execPath, args: [scripted], env: {}};
	await editor.prompt(await open({mcpServers: [old, docs]}), 'Hi');
	expect(editor.host.received.at(-1)?.body).toContain('mcp__docs__ok');
	const [notice, ...others] = editor.updates('notice');
	expect(notice).toMatchObject({
		title: expect.stringContaining("The editor's MCP server “old” is left out: SSE servers are not supported"),
	});
	expect(others).toEqual([]);
	expect(JSON.stringify(notice)).not.toContain('sk-secret');
});

/** True if a process of this machine has these words in its command line. */
function isRunning(words: string): boolean {
	return readdirSync('/proc').some(pid => {
		try {
			return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(words);
		} catch {
			return false;
		}
	});
}

test.each(['closed', 'SIGTERM', 'SIGHUP', 'EPIPE'] as const)(
	'on %s the agent ends its commands, its MCP servers and itself',
	async how => {
		const editor = await startEditor();
		const marker = `600.${Math.floor(Math.random() * 1e9)}`;
		const server = `server-${marker}`;
		editor.host.answerWith(({call, finish}) => {
			call('run_command', {command: `sleep ${marker}`});
			finish();
		});
		const {sessionId} = await editor.agent.request('session/new', {
			cwd: editor.folder,
			mcpServers: [{name: 'docs', command: process.execPath, args: [scripted, '{}', server], env: []}],
		});
		void editor.prompt(sessionId, 'Sleep').catch(() => undefined);
		await expect.poll(() => isRunning(`sleep\0${marker}`) && isRunning(server)).toBe(true);
		if (how === 'closed') {
			editor.child.stdin?.end();
		} else if (how === 'EPIPE') {
			editor.child.stdout?.destroy();
			editor.child.stdin?.write('{"jsonrpc":"2.0","id":9,"method":"session/list","params":{}}\n');
		} else {
			editor.child.kill(how);
		}

		expect(await editor.ended).toBe(how.startsWith('SIG') ? 130 : 0);
		expect(isRunning(marker)).toBe(false);
	},
);

test('a terminal is told what the command is for, with status 2', async () => {
	const {startTerminal} = await import('../e2e/terminal.ts');
	const terminal = startTerminal({args: ['acp']});
	await terminal.waitFor('an editor starts it');
	expect((await terminal.exit()).status).toBe(2);
});
