import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {JsonObject} from '../../../src/core/json.ts';
import type {ToolDefinition} from '../../../src/core/session/tool.ts';
import {registry} from '../../../src/providers/registry.ts';
import {collect, fakeHost, requestOf, summaryOf} from '../replay.ts';

const custom = await registry.custom.load();

const tools: readonly ToolDefinition[] = [
	{
		name: 'read_file',
		description: 'Reads.',
		parameters: {
			type: 'object',
			properties: {path: {type: 'string'}, limit: {type: 'integer'}},
			required: ['path'],
		},
	},
	{
		name: 'edit_file',
		description: 'Edits.',
		parameters: {type: 'object', properties: {path: {type: 'string'}, edits: {type: 'array', items: {type: 'object'}}}},
	},
];

const bodyOf = (pieces: readonly string[], reason = 'stop') => {
	const chunks = pieces.map(content => `data: ${JSON.stringify({choices: [{delta: {content}}]})}\n\n`);
	return `${chunks.join('')}data: ${JSON.stringify({choices: [{delta: {}, finish_reason: reason}]})}\n\ndata: [DONE]\n\n`;
};

/** Returns what is read from an answer to a request with the tools above. */
async function answer(pieces: readonly string[], messages: Parameters<typeof requestOf>[1] = {}, reason?: string) {
	const events = await collect(
		custom(requestOf(fakeHost({body: bodyOf(pieces, reason)}).transport, {tools, ...messages})),
	);
	const {text, calls, finish} = summaryOf(events);
	return {text, calls: calls.map(({name, arguments: args, written}) => ({name, args, written})), finish};
}

const call = {name: 'read_file', args: {path: 'src/a.ts'}, written: true};
const json = '{"name": "read_file", "arguments": {"path": "src/a.ts"}}';
const args = '{"path": "src/a.ts"}';

const forms: Readonly<Record<string, string>> = {
	Hermes: `<tool_call>\n${json}\n</tool_call>`,
	'a text as arguments': `<tool_call>{"name": "read_file", "arguments": ${JSON.stringify(args)}}</tool_call>`,
	'OpenAI’s own': `<tool_call>{"type": "function", "function": ${json}}</tool_call>`,
	'Qwen Coder':
		'<tool_call>\n<function=read_file>\n<parameter=path>\nsrc/a.ts\n</parameter>\n</function>\n</tool_call>',
	'Qwen Coder without its wrapper':
		'<function=read_file>\n<parameter=path>\nsrc/a.ts\n</parameter>\n</function>\n</tool_call>',
	'Llama 3': `<function=read_file>${args}</function>`,
	'Llama 3.1': '<|python_tag|>{"name": "read_file", "parameters": {"path": "src/a.ts"}}<|eom_id|>',
	'bare JSON': '{"name": "read_file", "parameters": {"path": "src/a.ts"}}',
	'a fence alone': `\`\`\`json\n${json}\n\`\`\``,
	'a list': `[${json}]`,
	Mistral: `[TOOL_CALLS][${json}]`,
	'Mistral, newer': `[TOOL_CALLS]read_file[ARGS]${args}`,
	'Mistral with ids': `[TOOL_CALLS]read_file[CALL_ID]abc123def[ARGS]${args}`,
	MiniMax:
		'<minimax:tool_call>\n<invoke name="read_file">\n<parameter name="path">src/a.ts</parameter>\n</invoke>\n</minimax:tool_call>',
	Claude:
		'<function_calls>\n<invoke name="read_file">\n<parameter name="path">src/a.ts</parameter>\n</invoke>\n</function_calls>',
	'LM Studio': `[TOOL_REQUEST]${json}[END_TOOL_REQUEST]`,
	GLM: '<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>src/a.ts</arg_value>\n</tool_call>',
	Kimi: `<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>${args}<|tool_call_end|><|tool_calls_section_end|>`,
	DeepSeek: `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n\`\`\`json\n${args}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
	'DeepSeek, newer': `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>${args}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
	'DeepSeek with tags':
		'<｜DSML｜function_calls>\n<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">src/a.ts</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
	Harmony: `<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>${args}<|call|>`,
	'Harmony after its reasoning': `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>${args}<|call|>`,
	Granite: `<|tool_call|>[${json}]`,
	Nemotron: `<TOOLCALL>[${json}]</TOOLCALL>`,
	Cohere:
		'<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "read_file", "parameters": {"path": "src/a.ts"}}]<|END_ACTION|>',
	'Llama 4': "[read_file(path='src/a.ts')]",
	LFM: '<|tool_call_start|>[read_file(path="src/a.ts")]<|tool_call_end|>',
	Gemma: '```tool_code\nprint(default_api.read_file(path = "src/a.ts"))\n```',
	'Gemma without print': '```tool_code\nread_file(path="src/a.ts")\n```',
	FunctionGemma: '<start_function_call>call:read_file{path:<escape>src/a.ts<escape>}<end_function_call>',
};

describe('a call as text', () => {
	test.each(Object.entries(forms))('in the form of %s is a call', async (_, form) => {
		expect(await answer([form])).toEqual({text: '', calls: [call], finish: ['tool-calls']});
		expect(await answer([...form])).toEqual({text: '', calls: [call], finish: ['tool-calls']});
	});

	const marked = Object.entries(forms).filter(([, form]) => !/^(?:[[{]["{r]|```|<\|channel)/.test(form));
	test.each(marked)('in the form of %s is a call behind a sentence', async (_, form) => {
		const text = 'I read it first.\n\n';
		expect(await answer([text, form, '\n'])).toEqual({text, calls: [call], finish: ['tool-calls']});
	});

	test('is read behind reasoning', async () => {
		const {calls} = await answer(['<think>Hm.</think>\n', forms['Hermes'] ?? '']);
		expect(calls).toEqual([call]);
	});

	test('may be several', async () => {
		const {calls} = await answer([forms['Hermes'] ?? '', '\n', forms['Qwen Coder'] ?? '']);
		expect(calls).toEqual([call, call]);
	});

	test('may be functions with literals of Python', async () => {
		const form = `[read_file(path="a \\"b\\"\\n", limit=3), edit_file(path='c', edits=[{'old_text': 'x', "all": True, 'n': None}])]`;
		const {calls} = await answer([form]);
		expect(calls.map(({args: given}) => given)).toEqual([
			{path: 'a "b"\n', limit: 3},
			{path: 'c', edits: [{old_text: 'x', all: true, n: null}]},
		]);
	});

	test.each([
		'[read_file(path="a"',
		'[read_file(path=a)]',
		'[read_file("a")]',
		'```tool_code\nread_file(open("a"))\n```',
	])('that is a function with other arguments can not be read: %j', async form => {
		const {calls} = await answer([form]);
		expect(calls).toEqual([]);
	});

	test.each([
		'[other(path="a")]',
		'[read_file(path="a")] is how Llama calls it.',
		'[foo(x=1), bar] are steps',
		'```python\nread_file(path="a")\n```',
		'[link](read_file(path="a"))',
	])('that no tool has, or that a sentence is about, stays text: %j', async form => {
		expect(await answer([form])).toEqual({text: form, calls: [], finish: ['stop']});
		expect(await answer([...form])).toEqual({text: form, calls: [], finish: ['stop']});
	});

	test('has the types of its schema', async () => {
		const form = '<function=edit_file><parameter=path>1</parameter><parameter=edits>[{"a": 1}]</parameter></function>';
		expect((await answer([form])).calls).toMatchObject([{args: {path: '1', edits: [{a: 1}]}}]);
		const limited = '<function=read_file><parameter=path>a</parameter><parameter=limit> 5 </parameter></function>';
		expect((await answer([limited])).calls).toMatchObject([{args: {path: 'a', limit: 5}}]);
	});
});

describe('a call as text that is not exact ends the answer as unreadable', () => {
	test.each([
		['without its end', '<function=read_file>\n<parameter=path> src/a.ts\n'],
		['cut in its JSON', '<tool_call>{"name": "read_file", "arguments": {"path": "src'],
		['without what is required', '<tool_call>{"name": "read_file", "arguments": {}}</tool_call>'],
		['with another parameter', '<tool_call>{"name": "read_file", "arguments": {"path": "a", "x": 1}}</tool_call>'],
		['with another type', '<tool_call>{"name": "read_file", "arguments": {"path": 1}}</tool_call>'],
		['of an unknown tool', '<tool_call>{"name": "open_file", "arguments": {"path": "a"}}</tool_call>'],
		['of Gemma', '<|tool_call>call:read_file{path:<|"|>a<|"|>}<tool_call|>'],
		['in Python', '<|python_tag|>read_file.call(path="a")'],
	])('%s', async (_, form) => {
		expect(await answer([form])).toEqual({text: form, calls: [], finish: ['written-call']});
		expect(await answer([...form])).toEqual({text: form, calls: [], finish: ['written-call']});
	});
});

describe('an answer that shows a call stays text', () => {
	test.each([
		`Models write:\n\n\`\`\`xml\n${forms['Hermes']}\n\`\`\``,
		`Models write:\n\n\`\`\`\n${forms['Qwen Coder']}\n\`\`\`\n`,
		`A call is \`${json}\`.`,
		`A call is \`<tool_call>${json}</tool_call>\``,
		`The model then writes <tool_call>${json}</tool_call>`,
		`${forms['Hermes']}\n\nThis is how a call looks.`,
		`${json}\n\nThis is how a call looks.`,
		`\`\`\`json\n${json}\n\`\`\`\nThis calls it.`,
		'An example:\n\n<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>',
		'{"name": "Ada", "arguments": []}',
		'{"name": "get_weather", "arguments": {"city": "Paris"}}',
		'```json\n{"name": "my-package", "type": "module"}\n```',
		'<tool_call> is the tag before a call.',
		'[TOOL_CALLS] precedes them.',
		'<function=…> is a tag.',
	])('%j', async text => {
		expect(await answer([text])).toEqual({text, calls: [], finish: ['stop']});
		expect(await answer([...text])).toEqual({text, calls: [], finish: ['stop']});
	});

	test('[14] and one that quotes a result or a message, too', async () => {
		const form = forms['Qwen Coder'] ?? '';
		const lines = form.split('\n').map((line, index) => `${index + 1}\t${line}`);
		const result = {role: 'tool', callId: 'c', name: 'read_file', output: lines.join('\n'), failed: false} as const;
		for (const message of [result, {role: 'user', text: `Say ${form}`} as const]) {
			expect(await answer([form], {messages: [message]})).toEqual({text: form, calls: [], finish: ['stop']});
		}
	});

	test('and one that a limit cut', async () => {
		expect(await answer([forms['Hermes'] ?? ''], {}, 'length')).toEqual({
			text: forms['Hermes'],
			calls: [],
			finish: ['length'],
		});
	});

	test('and all without tools', async () => {
		const {text, calls} = await answer([forms['Hermes'] ?? ''], {tools: []});
		expect([text, calls]).toEqual([forms['Hermes'], []]);
	});
});

const token = fc.constantFrom(
	...Object.values(forms),
	...[
		'```\n',
		'\n```\n',
		'`',
		'\n',
		' ',
		'Yes.',
		'a',
		'<tool_call>',
		'</tool_call>',
		'{',
		'"name"',
		'[TOOL_CALLS]',
		'<|',
		'｜',
	],
);
const sizes = fc.array(fc.integer({min: 1, max: 40}), {minLength: 1, maxLength: 4});

const cut = (text: string, lengths: readonly number[]) => {
	const pieces: string[] = [];
	for (let at = 0, index = 0; at < text.length; index++) {
		const length = lengths[index % lengths.length] ?? 1;
		pieces.push(text.slice(at, at + length));
		at += length;
	}

	return pieces;
};

test('an answer in pieces of any size has the same text and calls as the whole', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(token, {maxLength: 5}), sizes, async (tokens, lengths) => {
			const text = tokens.join('');
			expect(await answer(cut(text, lengths))).toEqual(await answer([text]));
		}),
		{numRuns: 500},
	);
});

test('[14] what stands in a fence with a sentence around it is never a call', async () => {
	const inside = fc.array(token, {minLength: 1, maxLength: 4}).map(tokens => tokens.join('').replaceAll('`', ''));
	await fc.assert(
		fc.asyncProperty(inside, sizes, fc.constantFrom('', '\nThat is all.'), async (block, lengths, end) => {
			const text = `It looks so:\n\n\`\`\`\`\n${block}\n\`\`\`\`${end}`;
			expect(await answer(cut(text, lengths))).toEqual({text, calls: [], finish: ['stop']});
		}),
		{numRuns: 300},
	);
});

test('[14] a call in front of a sentence is never a call', async () => {
	await fc.assert(
		fc.asyncProperty(fc.constantFrom(...Object.values(forms)), sizes, async (form, lengths) => {
			const text = `${form}\nThis is how it looks.`;
			expect((await answer(cut(text, lengths))).calls).toEqual([]);
		}),
		{numRuns: 200},
	);
});

test('[14] a call whose argument is none of the alternatives of its schema is no call', async () => {
	const parameters: JsonObject = {
		type: 'object',
		properties: {to: {anyOf: [{$ref: '#/$defs/id'}, {type: 'null'}]}},
		$defs: {id: {type: 'integer'}},
	};
	const only = {tools: [{name: 'go', description: 'Goes.', parameters}]};
	const written = (to: unknown) => [`<tool_call>${JSON.stringify({name: 'go', arguments: {to}})}</tool_call>`];
	expect((await answer(written(3), only)).calls).toEqual([{name: 'go', args: {to: 3}, written: true}]);
	expect((await answer(written('x'), only)).calls).toEqual([]);
});
