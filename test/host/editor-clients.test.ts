import {randomUUID} from 'node:crypto';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import type {HostMessage} from '../../src/link/host-client.ts';
import {startEditor, type TestEditor} from '../acp/editor.ts';
import {halves} from '../e2e/model-host.ts';
import {folderWith} from '../e2e/program.ts';
import {attachTerminal, savedRecords} from './attached-terminal.ts';
import {openHost} from './open-host.ts';

const {version} = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** A host with the version of the built program, and editors that reach its sessions. */
async function hostForEditors() {
	const hosted = await openHost({version});
	const {model, folder, env} = hosted;
	return {
		...hosted,
		connect: async () => hosted.connect({version}),
		editor: async (options: Partial<Parameters<typeof startEditor>[0]> = {}) =>
			startEditor({
				host: model,
				folder,
				home: env['SERVICE_HOME'] ?? '',
				name: 'Zed',
				...options,
				args: ['--hosted', ...(options.args ?? [])],
			}),
		sockets: hosted.sockets,
	};
}

const writes = [
	({call, finish}: {call: (name: string, args: object) => void; finish: () => void}) => {
		call('write_file', {path: 'new.txt', content: 'new\n'});
		finish();
	},
	({say, finish}: {say: (text: string) => void; finish: () => void}) => {
		say('Written as wanted.');
		finish();
	},
];

/** Returns all text that an editor shows from the agent. */
function shown(editor: TestEditor): string {
	return editor
		.updates('agent_message_chunk')
		.map(({content}) => (content.type === 'text' ? content.text : ''))
		.join('');
}

test('[33] an editor begins a session on a host, answers its question, and the journal says who did', async () => {
	const {editor, model, folder, host, env} = await hostForEditors();
	const zed = await editor();
	const session = await zed.open();
	model.answerWith(...writes);
	expect(await zed.prompt(session, 'Write it')).toBe('end_turn');
	expect(zed.said()).toBe('Written as wanted.');
	expect(zed.questions).toMatchObject([{sessionId: session, toolCall: {kind: 'edit', status: 'pending'}}]);
	expect(readFileSync(join(folder, 'new.txt'), 'utf8')).toBe('new\n');
	// The editor shows the message of its user itself.
	expect(zed.updates('user_message_chunk')).toEqual([]);
	expect(await zed.agent.request('session/list', {})).toMatchObject({
		sessions: [{sessionId: session, cwd: folder, title: 'Write it'}],
	});
	expect(host.list()).toMatchObject([{id: session, state: 'idle', driver: expect.stringMatching(/@.* \(Zed\)$/)}]);
	await zed.agent.request('session/close', {sessionId: session});
	expect(host.list()).toMatchObject([{id: session, state: 'idle', terminals: []}]);
	const acts = (await savedRecords(env, session)).flatMap(({event}) =>
		event.type === 'presence' && event.who.endsWith(' (Zed)') ? [event.act] : [],
	);
	expect(acts).toEqual(['attach', 'drive', 'answer', 'detach']);
});

test('an editor loads a session that a terminal drives, follows what happens there, and may take the lease', async () => {
	const {editor, model, connect, folder} = await hostForEditors();
	const client = await connect();
	const {session} = await client.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	const terminal = await attachTerminal(client, session);
	await terminal.remote.conversation.send('From the terminal');
	const zed = await editor();
	await zed.agent.request('session/load', {sessionId: session, cwd: folder, mcpServers: []});
	expect(zed.updates('user_message_chunk').map(({content}) => content)).toEqual([
		{type: 'text', text: 'From the terminal'},
	]);
	expect(shown(zed)).toBe('Hello from the host.');

	await terminal.remote.conversation.send('Once more');
	await expect.poll(() => shown(zed)).toBe('Hello from the host.Hello from the host.');
	expect(zed.updates('user_message_chunk')).toHaveLength(2);

	await expect(zed.prompt(session, 'And me')).rejects.toThrow('ann@there drives this session. Ask for it: /drive ask');
	expect(await zed.prompt(session, '/drive take')).toBe('end_turn');
	expect(zed.said()).toContain('You drive this session.');
	expect(await zed.prompt(session, 'And me')).toBe('end_turn');
	expect(model.chats().at(-1)).toContainEqual(expect.stringContaining('And me'));
	await expect.poll(() => terminal.transcript().run).toBeUndefined();
});

test('[33] a question goes to the editor and to a terminal; the answer of one takes it back from the other', async () => {
	const {editor, model, connect, folder} = await hostForEditors();
	let asked = () => {};
	const isAsked = new Promise<void>(resolve => {
		asked = resolve;
	});
	const zed = await editor({
		answer: async () => {
			asked();
			return new Promise<undefined>(() => undefined);
		},
	});
	const session = await zed.open();
	model.answerWith(...writes);
	const prompt = zed.prompt(session, 'Write it');
	await isAsked;
	const client = await connect();
	const questions: Extract<HostMessage, {method: '_service/question'}>[] = [];
	client.onMessage(message => {
		if (message.method === '_service/question') {
			questions.push(message);
		}
	});
	await client.request('_service/attach', {session, role: 'driver', seq: -1});
	await expect.poll(() => questions.length).toBe(1);
	const [question] = questions;
	const key = randomUUID();
	await client.request('_service/answer', {session, key, question: question?.params.id ?? ''});
	expect(await prompt).toBe('end_turn');
	expect(existsSync(join(folder, 'new.txt'))).toBe(false);
	expect(zed.updates('tool_call_update').at(-1)).toMatchObject({status: 'failed'});
});

test('[33] an editor that gives no answer leaves the question to others', async () => {
	const {editor, model, host} = await hostForEditors();
	const zed = await editor({answer: () => undefined});
	const session = await zed.open();
	model.answerWith(...writes);
	const prompt = zed.prompt(session, 'Write it');
	await expect.poll(() => shown(zed)).toContain('The question waits for an answer.');
	expect(host.list()).toMatchObject([{state: 'waiting', questions: 1}]);
	await zed.agent.notify('session/cancel', {sessionId: session});
	expect(await prompt).toBe('cancelled');
	await expect.poll(() => host.list()[0]?.state).toBe('idle');
});

test('[33] an editor that observes sends, answers and begins nothing, and follows', async () => {
	const {editor, model, connect, folder} = await hostForEditors();
	const client = await connect();
	const {session} = await client.request('_service/begin', {key: randomUUID(), model: 'custom/alpha'});
	const terminal = await attachTerminal(client, session);
	const zed = await editor({args: ['--observe']});
	await expect(zed.open()).rejects.toThrow('This terminal only watches.');
	await zed.agent.request('session/resume', {sessionId: session, cwd: folder});
	await expect(zed.prompt(session, 'Hi')).rejects.toThrow('This terminal only watches.');
	await expect(zed.agent.request('session/set_mode', {sessionId: session, modeId: 'plan'})).rejects.toThrow('watches');
	model.answerWith(...writes);
	const run = terminal.remote.conversation.send('Write it');
	await expect.poll(() => zed.updates('tool_call').length).toBe(1);
	terminal.remote.conversation.interrupt();
	await run;
	expect(zed.questions).toEqual([]);
});

test('[33] a session of an editor stays in the folders of the host', async () => {
	const {editor, host} = await hostForEditors();
	const zed = await editor();
	await expect(zed.open(folderWith())).rejects.toThrow('The host keeps no sessions in');
	expect(host.list()).toEqual([]);
});

test.each([0, 1, 2, 3])('a prompt that is cancelled %s pieces later ends its run on the host', async pieces => {
	const {editor, model, host} = await hostForEditors();
	const zed = await editor();
	const session = await zed.open();
	model.answerWith(async ({say, closed}) => {
		say('A piece. ');
		await closed;
	});
	const prompt = zed.prompt(session, 'Hi');
	const isThere = [
		() => true,
		() => host.list()[0]?.state === 'running',
		() => model.chats().length > 0,
		() => shown(zed).includes('A piece.'),
	];
	await expect.poll(isThere[pieces] ?? (() => false)).toBe(true);
	await zed.agent.notify('session/cancel', {sessionId: session});
	expect(await prompt).toBe('cancelled');
	await expect.poll(() => host.list()[0]?.state).toBe('idle');
	model.answerWith(({say, finish}) => {
		say('Next.');
		finish();
	});
	expect(await zed.prompt(session, 'Go on')).toBe('end_turn');
	expect(shown(zed).endsWith('Next.')).toBe(true);
});

test('a prompt ends as it should though the connection to the host is cut meanwhile', async () => {
	const {editor, model, sockets} = await hostForEditors();
	const zed = await editor();
	const session = await zed.open();
	const {release, script} = halves();
	model.answerWith(script);
	const prompt = zed.prompt(session, 'Hi');
	await expect.poll(() => shown(zed)).toContain('First half.');
	for (const socket of sockets) {
		socket.destroy();
	}

	release();
	expect(await prompt).toBe('end_turn');
	expect(shown(zed)).toMatch(/^First half\.\s*Second half\.$/);
});

test('a session that ends on the host ends for the editor, whose next request says so', async () => {
	const {editor, model, host, connect} = await hostForEditors();
	const zed = await editor();
	const session = await zed.open();
	const {release, script} = halves();
	onTestFinished(release);
	model.answerWith(script);
	const prompt = zed.prompt(session, 'Hi');
	await expect.poll(() => shown(zed)).toContain('First half.');
	await (await connect()).request('_service/end', {session}).catch(() => undefined);
	expect(await prompt).toBe('cancelled');
	await expect.poll(() => shown(zed)).toContain('The session ended');
	await expect(zed.prompt(session, 'Hi')).rejects.toMatchObject({code: -32_002});
	await expect(
		zed.agent.request('session/load', {sessionId: randomUUID(), cwd: '/', mcpServers: []}),
	).rejects.toMatchObject({code: -32_002});
	expect(host.list()).toMatchObject([{state: 'ended'}]);
});

test('an editor is told how to start a host that does not run', async () => {
	const zed = await startEditor({args: ['--hosted']});
	await expect(zed.open()).rejects.toThrow(/No host runs on this machine\. Start one: .*host/);
});
