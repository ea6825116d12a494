import {existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {CreateElicitationRequest} from '@agentclientprotocol/sdk';
import * as fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Answer} from '../e2e/model-host.ts';
import {folderWith, runProgram} from '../e2e/program.ts';
import {startEditor} from './editor.ts';

const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('a prompt is answered with thoughts and text, the cost and the title, in the folder of its session', async () => {
	const editor = await startEditor();
	editor.host.answerWith(({think, say, finish}) => {
		think('Let me see.');
		say('Hello ');
		say('there.');
		finish();
	});
	const session = await editor.open();
	expect(await editor.prompt(session, 'Hi')).toBe('end_turn');
	expect(editor.said()).toBe('Hello there.');
	expect(editor.updates('agent_thought_chunk').map(({content}) => content)).toEqual([
		{type: 'text', text: 'Let me see.'},
	]);
	expect(editor.updates('session_info_update')).toMatchObject([{title: 'Hi'}]);
	// The editor shows the message of its user itself.
	expect(editor.updates('user_message_chunk')).toEqual([]);
	expect(editor.host.received.at(-1)?.body).toContain(editor.folder);
	expect(existsSync(join(editor.home, 'sessions'))).toBe(true);
});

test('a change of a file is asked about with its kind, its place and its diff, and shown once it is made', async () => {
	const folder = folderWith({'a.txt': 'one\ntwo\nthree\n'});
	const editor = await startEditor({folder});
	editor.host.answerWith(
		({call, finish}) => {
			call('read_file', {path: 'a.txt'});
			finish();
		},
		({call, finish}) => {
			call('edit_file', {path: 'a.txt', edits: [{old_text: 'two', new_text: 'zwei'}]});
			call('write_file', {path: 'new/b.txt', content: 'fresh\n'});
			finish();
		},
		({say, finish}) => {
			say('Done.');
			finish();
		},
	);
	const session = await editor.open();
	expect(await editor.prompt(session, 'Change it')).toBe('end_turn');
	const path = join(folder, 'a.txt');
	const fresh = join(folder, 'new/b.txt');
	const changed = {type: 'diff', path, oldText: 'one\ntwo\nthree\n', newText: 'one\nzwei\nthree\n'};
	const created = {type: 'diff', path: fresh, oldText: null, newText: 'fresh\n'};
	expect(editor.questions.map(({toolCall}) => toolCall)).toMatchObject([
		{kind: 'edit', locations: [{path, line: 1}], content: [{type: 'content'}, changed]},
		{kind: 'edit', locations: [{path: fresh, line: 1}], content: [{type: 'content'}, created]},
	]);
	expect(editor.questions[0]?.options.map(({kind}) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
	expect(editor.updates('tool_call')).toMatchObject([
		{kind: 'read', title: 'Read a.txt', locations: [{path}]},
		{kind: 'edit', title: 'Edit a.txt', locations: [{path}]},
		{kind: 'edit', title: 'Write new/b.txt', locations: [{path: fresh}]},
	]);
	const ends = editor.updates('tool_call_update').filter(({status}) => status === 'completed');
	expect(ends.map(({content}) => content)).toMatchObject([[{type: 'content'}], [changed], [created]]);
	expect(readFileSync(path, 'utf8')).toBe('one\nzwei\nthree\n');
});

test.each(['reject_once', undefined, 'unknown'])('nothing is changed by the answer %s [4]', async kind => {
	const editor = await startEditor({
		answer: ({options}) => (kind === 'unknown' ? 'once-more' : options.find(each => each.kind === kind)?.optionId),
	});
	editor.host.answerWith(
		({call, finish}) => {
			call('write_file', {path: 'a.txt', content: 'x'});
			finish();
		},
		({say, finish}) => {
			say('All right.');
			finish();
		},
	);
	const session = await editor.open();
	expect(await editor.prompt(session, 'Write')).toBe('end_turn');
	expect(existsSync(join(editor.folder, 'a.txt'))).toBe(false);
	expect(editor.updates('tool_call_update').at(-1)).toMatchObject({status: 'failed'});
});

test('an answer that keeps something says what and until when, and holds for the session alone', async () => {
	const editor = await startEditor({
		answer: ({options}) => options.find(({kind}) => kind === 'allow_always')?.optionId,
	});
	const script = (path: string) => [
		({call, finish}: Answer) => {
			call('write_file', {path, content: 'x'});
			finish();
		},
		({say, finish}: Answer) => {
			say('Written.');
			finish();
		},
	];
	editor.host.answerWith(...script('a.txt'), ...script('b.txt'), ...script('c.txt'));
	const session = await editor.open();
	await editor.prompt(session, 'One');
	await editor.prompt(session, 'Two');
	expect(editor.questions).toHaveLength(1);
	expect(editor.questions[0]?.options.find(({kind}) => kind === 'allow_always')?.name).toBe(
		'Yes, and all edits of this session (all edits of files · this session · until you leave it)',
	);
	expect(editor.updates('current_mode_update')).toEqual([
		{sessionUpdate: 'current_mode_update', currentModeId: 'edits'},
	]);
	const other = await editor.open();
	await editor.prompt(other, 'Three');
	expect(editor.questions).toHaveLength(2);
});

test('a secret file is no ordinary one to read, whatever a client allows by kind [15]', async () => {
	const editor = await startEditor({folder: folderWith({'.env': 'TOKEN=abcdefghijkl'}), answer: () => 'reject'});
	editor.host.answerWith(
		({call, finish}) => {
			call('read_file', {path: '.env'});
			finish();
		},
		({say, finish}) => {
			say('No.');
			finish();
		},
	);
	await editor.prompt(await editor.open(), 'Read');
	expect(editor.questions).toMatchObject([
		{toolCall: {kind: 'other', locations: [{path: join(editor.folder, '.env')}]}},
	]);
	expect(editor.updates('tool_call_update')).toMatchObject([{kind: 'read'}, {status: 'failed'}]);
});

test('the output of a command is shown while it runs, and its plan whole', async () => {
	const editor = await startEditor();
	editor.host.answerWith(
		({call, finish}) => {
			call('todo', {
				items: [
					{text: 'Count', state: 'active'},
					{text: 'Rest', state: 'pending'},
				],
			});
			call('run_command', {command: 'echo first; while [ ! -e go ]; do sleep 0.05; done; echo last'});
			finish();
		},
		({say, finish}) => {
			say('Counted.');
			finish();
		},
	);
	const session = await editor.open();
	const answered = editor.prompt(session, 'Count');
	const shown = () => JSON.stringify(editor.updates('tool_call_update'));
	await expect.poll(shown).toContain('```\\nfirst\\n```');
	writeFileSync(join(editor.folder, 'go'), '');
	expect(await answered).toBe('end_turn');
	expect(JSON.stringify(editor.updates('tool_call_update').at(-1))).toContain('last');
	expect(editor.updates('plan')).toEqual([
		{
			sessionUpdate: 'plan',
			entries: [
				{content: 'Count', priority: 'medium', status: 'in_progress'},
				{content: 'Rest', priority: 'medium', status: 'pending'},
			],
		},
	]);
	expect(editor.updates('tool_call')).toMatchObject([{kind: 'execute'}]);
});

test('links become mentions, embedded text and images reach the model, and sound is refused', async () => {
	const folder = folderWith({'a b.txt': 'linked content'});
	const editor = await startEditor({folder, env: {CUSTOM_API_KEY: 'sk-e2e-0123456789-wxyz'}});
	const session = await editor.open();
	await editor.prompt(session, [
		{type: 'text', text: 'Look at'},
		{type: 'resource_link', name: 'a b.txt', uri: `file://${folder}/a%20b.txt`},
		{type: 'resource', resource: {uri: `file://${folder}/unsaved.ts`, text: 'not @saved.txt yet'}},
	]);
	const body = editor.host.received.at(-1)?.body ?? '';
	expect(body).toContain('linked content');
	expect(body).toContain('[The user attached unsaved.ts:]');
	await expect(editor.prompt(session, [{type: 'audio', data: 'AAAA', mimeType: 'audio/wav'}])).rejects.toThrow(
		"The agent can't hear sound.",
	);
	await expect(editor.prompt(session, [{type: 'image', data: 'AAAA', mimeType: 'image/png'}])).rejects.toThrow(
		'The image of the message is no PNG, JPEG, GIF or WebP.',
	);
	await expect(editor.prompt(session, [{type: 'image', data: image, mimeType: 'image/png'}])).rejects.toThrow(
		"custom/alpha can't read images",
	);
});

test('commands that need no screen are offered and run, others say where they work', async () => {
	const editor = await startEditor();
	mkdirSync(join(editor.home, 'prompts'), {recursive: true});
	const session = await editor.open();
	await expect.poll(() => editor.updates('available_commands_update').length).toBe(1);
	const names = editor.updates('available_commands_update')[0]?.availableCommands.map(({name}) => name);
	expect(names).toEqual(expect.arrayContaining(['compact', 'context', 'plan', 'usage']));
	expect(names).not.toEqual(expect.arrayContaining(['quit']));
	expect(await editor.prompt(session, '/usage')).toBe('end_turn');
	expect(editor.said()).not.toBe('');
	expect(editor.host.chats()).toEqual([]);
	await expect(editor.prompt(session, '/quit')).rejects.toThrow("/quit doesn't work in an editor.");
	await expect(editor.prompt(session, '/usag')).rejects.toThrow('Did you mean “/usage”?');
	expect(await editor.prompt(session, '/plan Look around')).toBe('end_turn');
	expect(editor.updates('current_mode_update').at(-1)?.currentModeId).toBe('plan');
	expect(editor.host.chats().at(-1)?.at(-1)).toContain('Look around');
});

test('a model that fails is an error with a sentence, and the session goes on', async () => {
	const editor = await startEditor();
	editor.host.answerWith(
		({refuse}) => refuse(401, 'application/json', '{"error":{"message":"no such key: sk-e2e-0123456789-wxyz"}}'),
		({say, finish}) => {
			say('Better.');
			finish();
		},
	);
	const session = await editor.open();
	const error = await editor.prompt(session, 'Hi').catch((reason: unknown) => reason);
	expect(error).toMatchObject({code: -32_000, message: expect.stringContaining('401')});
	expect([JSON.stringify(error), String(error)].join()).not.toContain('0123456789');
	expect(await editor.prompt(session, 'Again')).toBe('end_turn');
});

test('a question of the agent is a form where the editor shows some, and else the model is told', async () => {
	const scripts = [
		({call, finish}: Answer) => {
			call('ask_user', {question: 'Which one?', choices: [{label: 'Red', description: 'warm'}, {label: 'Blue'}]});
			finish();
		},
		({say, finish}: Answer) => {
			say('Thanks.');
			finish();
		},
	];
	const forms: CreateElicitationRequest[] = [];
	const editor = await startEditor({
		capabilities: {elicitation: {form: {}}},
		fill(form) {
			forms.push(form);
			return {action: 'accept', content: {answer: 'Red: warm', own: ''}};
		},
	});
	editor.host.answerWith(...scripts);
	await editor.prompt(await editor.open(), 'Ask me');
	expect(forms).toMatchObject([
		{
			message: 'Which one?',
			requestedSchema: {properties: {answer: {enum: ['Red: warm', 'Blue']}, own: {type: 'string'}}},
		},
	]);
	expect(editor.host.received.at(-1)?.body).toContain('The user answered: Red');
	const silent = await startEditor();
	silent.host.answerWith(...scripts);
	await silent.prompt(await silent.open(), 'Ask me');
	expect(silent.host.received.at(-1)?.body).toContain('Ask in your answer, and end it there.');
});

test('the context and the cost of a session are shown once its window is known', async () => {
	const home = `${folderWith()}/home`;
	await runProgram(['config', 'set', 'windows.custom/alpha', '64000'], {home});
	const editor = await startEditor({home});
	const session = await editor.open();
	await editor.prompt(session, 'One');
	await editor.prompt(session, 'Two');
	expect(editor.updates('usage_update').at(-1)).toEqual({sessionUpdate: 'usage_update', used: 150, size: 64_000});
});

test('sessions run side by side, each in its own folder', async () => {
	const editor = await startEditor();
	const folders = [folderWith({'AGENTS.md': 'x'}), folderWith()];
	const sessions = await Promise.all(folders.map(folder => editor.open(folder)));
	expect(new Set(sessions).size).toBe(2);
	editor.host.answerWith(({say, finish}) => {
		say('Both.');
		finish();
	});
	expect(await Promise.all(sessions.map(session => editor.prompt(session, 'Where are you?')))).toEqual([
		'end_turn',
		'end_turn',
	]);
	const bodies = editor.host.received.flatMap(({path, body}) => (path.endsWith('completions') ? [body] : []));
	expect(folders.map(folder => bodies.filter(body => body.includes(folder)).length)).toEqual([1, 1]);
});

test('the demo model answers without a key, in several sessions of one agent', async () => {
	const editor = await startEditor({args: ['--model', 'demo/demo']});
	for (const session of [await editor.open(), await editor.open()]) {
		expect(await editor.prompt(session, 'Hello')).toBe('end_turn');
		expect(editor.said()).not.toBe('');
	}
});

test('a plan is carried out in the mode that its question is answered with, in the same turn', async () => {
	const editor = await startEditor();
	editor.host.answerWith(
		({say, finish}) => {
			say('1. Look. 2. Leap.');
			finish();
		},
		({say, finish}) => {
			say('Leapt.');
			finish();
		},
	);
	const session = await editor.open();
	await editor.agent.request('session/set_mode', {sessionId: session, modeId: 'plan'});
	expect(await editor.prompt(session, 'Plan it')).toBe('end_turn');
	expect(editor.questions).toMatchObject([{toolCall: {kind: 'switch_mode', title: 'Carry out the plan?'}}]);
	expect(editor.questions[0]?.options.map(({name}) => name)).toEqual([
		'Yes, asking before changes',
		'Yes, in edits mode (edits mode · until you select another mode)',
		'Yes, in all mode (all mode · until you select another mode)',
		'No',
	]);
	expect(editor.updates('current_mode_update').at(-1)?.currentModeId).toBe('ask');
	expect(editor.host.chats().at(-1)?.at(-1)).toBe('user: Carry out the plan.');
	expect(editor.said()).toContain('Leapt.');
});

test('a second prompt is refused while the first one is answered', async () => {
	const editor = await startEditor();
	let release = () => {};
	const released = new Promise<void>(resolve => {
		release = resolve;
	});
	editor.host.answerWith(async ({say, finish}) => {
		say('Half');
		await released;
		finish();
	});
	const session = await editor.open();
	const first = editor.prompt(session, 'One');
	await expect(editor.prompt(session, 'Two')).rejects.toMatchObject({code: -32_600});
	release();
	expect(await first).toBe('end_turn');
	expect(editor.host.chats()).toHaveLength(1);
});

describe('cancel', () => {
	test('at any moment answers the prompt once with `cancelled`, and nothing follows', async () => {
		const editor = await startEditor({answer: () => new Promise(resolve => setImmediate(resolve, 'once'))});
		await fc.assert(
			fc.asyncProperty(fc.integer({min: 0, max: 12}), fc.boolean(), async (moment, calls) => {
				const session = await editor.open();
				let seen = 0;
				editor.host.answerWith(async ({say, call, finish, closed}) => {
					for (let index = 0; index < 4; index++) {
						say(`Part ${index}. `);
						seen++;
						await new Promise(resolve => setTimeout(resolve, 2));
					}

					if (calls) {
						call('run_command', {command: 'sleep 60'});
						finish();
					} else {
						await closed;
					}
				});
				const before = editor.events.length;
				const answered = editor.prompt(session, 'Go on');
				await expect
					.poll(() => Math.max(seen * 2, editor.events.length - before) >= Math.min(moment, 8), {interval: 2})
					.toBe(true);
				await editor.agent.notify('session/cancel', {sessionId: session});
				expect(await answered).toBe('cancelled');
				const after = editor.events.length;
				await editor.agent.request('session/close', {sessionId: session});
				// The commands of a session are told once they are loaded, whatever its prompts do.
				expect(editor.events.slice(after).filter(event => !('availableCommands' in event))).toEqual([]);
				const answers = editor.events.slice(before).filter(event => 'stopReason' in event);
				expect(answers).toEqual([{stopReason: 'cancelled'}]);
			}),
			{numRuns: 12},
		);
	});

	test('before a prompt does not hit the next one', async () => {
		const editor = await startEditor();
		const session = await editor.open();
		await editor.agent.notify('session/cancel', {sessionId: session});
		expect(await editor.prompt(session, 'Hi')).toBe('end_turn');
	});

	test('ends a question that waits, and the session goes on', async () => {
		const editor = await startEditor({answer: () => new Promise(() => undefined)});
		editor.host.answerWith(
			({call, finish}) => {
				call('write_file', {path: 'a.txt', content: 'x'});
				finish();
			},
			({say, finish}) => {
				say('Again.');
				finish();
			},
		);
		const session = await editor.open();
		const answered = editor.prompt(session, 'Write');
		await expect.poll(() => editor.questions.length).toBe(1);
		await editor.agent.notify('session/cancel', {sessionId: session});
		expect(await answered).toBe('cancelled');
		expect(await editor.prompt(session, 'Again')).toBe('end_turn');
		expect(existsSync(join(editor.folder, 'a.txt'))).toBe(false);
	});
});
