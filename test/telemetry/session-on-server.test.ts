import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {sessionUsage} from '../../src/core/session/session-usage.ts';
import {wires} from '../e2e/wire-host.ts';
import {sessionOnServer, storedSpans, traced} from './traced.ts';

const read = {name: 'read_file', arguments: {path: 'notes.txt'}};
const missing = {name: 'read_file', arguments: {path: 'missing.txt'}};

test.each(Object.keys(wires) as readonly (keyof typeof wires)[])(
	'the session of a traced run exists on the server with the same usage, field by field (%s)',
	async wire => {
		const {program, store, server, folder} = await traced({
			wire,
			turns: [
				{text: 'I look.', calls: [read, missing]},
				{calls: [read]},
				{text: 'It says hello.'},
				{text: 'A summary of all that.'},
				{text: 'Still hello.', calls: [read]},
				{text: 'Yes.'},
			],
		});
		writeFileSync(join(folder, 'notes.txt'), 'hello');
		await program.session.conversation.send('What do the notes say?');
		await program.session.conversation.compact();
		await program.session.conversation.send('Sure?');
		expect(await program.endTraces()).toBeUndefined();

		const {transcript, priceOf} = store.getState();
		const usage = sessionUsage(transcript, priceOf);
		const session = await sessionOnServer(server, transcript.session);
		expect(session.usage).toEqual(usage);
		expect(usage).toMatchObject({compaction_count: 1, total_message_count: 8, total_tool_call_count: 4});
		expect(session.message_count).toBe(usage.total_message_count);
		expect([session.model, session.agent, session.preview_text, session.title]).toEqual([
			wires[wire].model,
			'service',
			null,
			null,
		]);
	},
);

test('a sub-agent counts with its usage alone, on the server as here, and its spans are below the call that started it', async () => {
	const start = (description: string) => ({name: 'task', arguments: {prompt: 'Secret plan', description}});
	const {program, store, server, folder} = await traced({
		env: {SERVICE_TRACES: 'content'},
		turns: [
			{text: 'I delegate.', calls: [start('Read the notes')]},
			{text: 'I read.', calls: [read]},
			{text: 'The notes say hello.'},
			{text: 'They say hello.'},
		],
	});
	writeFileSync(join(folder, 'notes.txt'), 'hello');
	await program.session.conversation.send('What do the notes say?');
	await program.endTraces();
	const {transcript, priceOf} = store.getState();
	const usage = sessionUsage(transcript, priceOf);
	const session = await sessionOnServer(server, transcript.session);
	expect(session.usage).toEqual(usage);
	expect(usage).toMatchObject({total_input_tokens: 36, total_message_count: 3, total_tool_call_count: 1});
	expect(session).toMatchObject({preview_text: 'What do the notes say?', agent: 'service'});

	const spans = await storedSpans(server);
	const byId = new Map(spans.map(span => [span.span_id, span]));
	const pathOf = (span: (typeof spans)[number]): string => {
		const parent = byId.get(span.parent_span_id ?? '');
		return parent ? `${pathOf(parent)} > ${span.name}` : span.name;
	};
	const below = 'invoke_agent service > execute_tool task > invoke_agent task';
	expect(spans.map(pathOf).filter(path => path.startsWith(below))).toEqual([
		below,
		`${below} > chat claude-sonnet-5`,
		`${below} > execute_tool read_file`,
		`${below} > chat claude-sonnet-5`,
	]);
});

test('without content no span has a word of the conversation, and with it the texts are there without keys [8]', async () => {
	const secret = 'sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyz';
	const turns = [{text: `Zebra ${secret}`, calls: [read]}, {text: 'Giraffe.'}];
	const bare = await traced({turns});
	writeFileSync(join(bare.folder, 'notes.txt'), 'Hippo');
	await bare.program.session.conversation.send(`Lion ${secret}`);
	await bare.program.endTraces();
	const silent = JSON.stringify(await storedSpans(bare.server));
	expect(silent).not.toMatch(/Zebra|Giraffe|Hippo|Lion|notes\.txt/);

	const full = await traced({turns, env: {SERVICE_TRACES: 'content'}});
	writeFileSync(join(full.folder, 'notes.txt'), 'Hippo');
	await full.program.session.conversation.send(`Lion ${secret}`);
	await full.program.endTraces();
	const spoken = JSON.stringify(await storedSpans(full.server));
	for (const word of ['Zebra', 'Giraffe', 'Hippo', 'Lion', 'notes.txt']) {
		expect(spoken).toContain(word);
	}

	expect(spoken).not.toContain(secret);
	const id = full.store.getState().transcript.session;
	expect(await sessionOnServer(full.server, id)).toMatchObject({
		preview_text: expect.stringMatching(/^Lion/),
		usage: {total_message_count: 3},
	});
});

test('nothing is sent before the user asks for it', async () => {
	const {program, server, store} = await traced({env: {SERVICE_TRACES: ''}});
	await program.session.conversation.send('Hello');
	await program.endTraces();
	expect(await storedSpans(server)).toEqual([]);
	expect(await sessionOnServer(server, store.getState().transcript.session)).toBeUndefined();
});
