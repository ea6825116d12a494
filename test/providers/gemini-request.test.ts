import {expect, test} from 'vitest';
import {gemini} from '../../src/providers/gemini.ts';
import {bodyFor, foreign, messageOf, result, tool, user} from './conversation.ts';
import {eventsOf, fixture} from './replay.ts';

test('a request has instructions, contents and tools as JSON Schema, and requests thoughts', async () => {
	expect(
		await bodyFor(gemini, [user('Hello')], {
			model: 'gemini-2.5-pro',
			system: 'Be brief.',
			tools: [tool],
			maxOutputTokens: 9,
		}),
	).toEqual({
		systemInstruction: {parts: [{text: 'Be brief.'}]},
		contents: [{role: 'user', parts: [{text: 'Hello'}]}],
		tools: [
			{functionDeclarations: [{name: 'read_file', description: 'Reads a file', parametersJsonSchema: tool.parameters}]},
		],
		generationConfig: {maxOutputTokens: 9, thinkingConfig: {includeThoughts: true}},
	});
});

test.each(['gemini-2.0-flash', 'gemini-2.5-flash-image', 'gemini-2.5-flash-preview-tts', 'gemma-4-31b-it'])(
	'%s is not asked for thoughts',
	async model => {
		expect(await bodyFor(gemini, [user('Hello')], {model})).toMatchObject({generationConfig: {}});
		expect(JSON.stringify(await bodyFor(gemini, [user('Hello')], {model}))).not.toContain('thinkingConfig');
	},
);

test.each(['gemini-3.8-flash', 'gemini-flash-latest', 'models/gemini-2.5-flash-lite'])(
	'%s is asked for thoughts',
	async model => {
		expect(await bodyFor(gemini, [user('Hello')], {model})).toMatchObject({
			generationConfig: {thinkingConfig: {includeThoughts: true}},
		});
	},
);

test('each signature goes back on its own part, results share one content', async () => {
	const message = messageOf('google/gemini-3-pro-preview', await eventsOf(gemini, fixture('gemini-odd.sse')));
	const calls = message.role === 'assistant' ? message.parts.filter(part => part.type === 'tool-call') : [];
	const [a, b, c, d] = calls.map(({id}) => id);
	const results = calls.map(({id}, index) => result(id, `result ${index}`, index === 3));
	const {contents} = await bodyFor(gemini, [user('Look'), message, ...results, user('And?')], {
		model: 'gemini-3-pro-preview',
	});
	const response = (id: unknown, value: object) => ({functionResponse: {id, name: 'read_file', response: value}});
	expect(contents).toEqual([
		{role: 'user', parts: [{text: 'Look'}]},
		{
			role: 'model',
			parts: [
				{text: 'Thinking.', thought: true, thoughtSignature: 's1'},
				{text: 'I will '},
				{text: 'look.', thoughtSignature: 's2'},
				{text: 'Now.'},
				{functionCall: {id: a, name: 'read_file', args: {path: 'a'}}, thoughtSignature: 's3'},
				{functionCall: {id: b, name: 'read_file', args: {path: 'b'}}},
				{functionCall: {id: c, name: 'list_files', args: {}}},
				{functionCall: {id: d, name: 'list_files', args: {}}},
			],
		},
		{
			role: 'user',
			parts: [
				response(a, {output: 'result 0'}),
				response(b, {output: 'result 1'}),
				response(c, {output: 'result 2'}),
				response(d, {error: 'result 3'}),
			],
		},
		{role: 'user', parts: [{text: 'And?'}]},
	]);
});

test('a signature on an empty last part goes back the same way', async () => {
	const chunk = {
		candidates: [{content: {parts: [{text: 'Three.'}, {text: '', thoughtSignature: 's'}]}, finishReason: 'STOP'}],
	};
	const message = messageOf(
		'google/gemini-3-pro-preview',
		await eventsOf(gemini, `data: ${JSON.stringify(chunk)}\n\n`),
	);
	expect(await bodyFor(gemini, [message])).toMatchObject({
		contents: [{role: 'model', parts: [{text: 'Three.'}, {text: '', thoughtSignature: 's'}]}],
	});
});

const call = {functionCall: {id: 'functions.read:0', name: 'read_file', args: {path: 'a'}}};

test.each([
	['gemini-3.8-flash', {...call, thoughtSignature: 'skip_thought_signature_validator'}],
	['gemini-2.5-pro', call],
])('for %s a turn of another provider loses its reasoning and its signatures', async (model, part) => {
	const {contents} = await bodyFor(gemini, foreign, {model});
	expect(contents).toEqual([
		{role: 'user', parts: [{text: 'Read it'}]},
		{role: 'model', parts: [{text: 'Reading.'}, part]},
		{
			role: 'user',
			parts: [{functionResponse: {id: 'functions.read:0', name: 'read_file', response: {output: 'content'}}}],
		},
	]);
});

test('a message with only unsigned thoughts is not sent', async () => {
	const interrupted = {
		role: 'assistant',
		model: 'google/gemini-2.5-pro',
		parts: [{type: 'reasoning', text: 'Hm'}],
	} as const;
	const {contents} = await bodyFor(gemini, [user('A'), interrupted, user('B')]);
	expect(contents).toEqual(['A', 'B'].map(text => ({role: 'user', parts: [{text}]})));
});
