import {expect, test} from 'vitest';
import type {JsonObject} from '../../../src/core/json.ts';
import type {Message} from '../../../src/core/session/message.ts';
import {result, tool, user} from '../conversation.ts';
import {
	error400,
	image,
	mcpTool,
	propertiesIn,
	refusingHost,
	toolsIn,
	turnsIn,
	type WireName,
} from './refusing-host.ts';

const odd = mcpTool('apple', 'list_builds', {
	type: 'object',
	properties: {'filter[bundleId]': {type: 'string'}, $top: {type: 'integer'}},
	required: ['filter[bundleId]'],
});
const union = mcpTool('notes', 'find', {
	type: 'object',
	properties: {by: {anyOf: [{type: 'string'}, {type: 'number'}], format: 'x'}},
});
const call: Message = {
	role: 'assistant',
	model: 'x/y',
	parts: [{type: 'tool-call', id: 'c1', name: 'read_file', arguments: {path: 'a'}}],
};
const called: readonly Message[] = [user('Read'), call, result('c1', 'content')];
const pictured: readonly Message[] = [{role: 'user', text: 'Look', images: [image('one')]}];
const documented: readonly Message[] = [{role: 'user', text: 'Read', images: [image('pdf', 'application/pdf')]}];

const hasMedia = (body: JsonObject) => /AAAA/.test(JSON.stringify(turnsIn(body)));
const isOdd = (name: string) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name);
const hasOddKey = (body: JsonObject) => toolsIn(body).some(({schema}) => propertiesIn(schema).some(isOdd));
const hasUnion = (body: JsonObject) => toolsIn(body).some(({schema}) => JSON.stringify(schema).includes('anyOf'));
const roles = (body: JsonObject) => turnsIn(body).map(turn => /"role":"(\w+)"/.exec(JSON.stringify(turn))?.[1] ?? '');
const isDoubled = (body: JsonObject) =>
	roles(body).some((role, at, all) => role === 'user' && /^(?:user|tool)$/.test(all[at - 1] ?? ''));

type Case = {
	readonly name: string;
	readonly wire: WireName;
	readonly isRefused: (body: JsonObject) => boolean;
	readonly status?: number;
	readonly message: string;
	readonly messages?: readonly Message[];
	readonly tools?: readonly (typeof odd)[];
	/** Most requests, the refused ones included. */
	readonly requests: number;
	/** What the user reads. */
	readonly told: readonly RegExp[];
	/** True of the body that is answered. */
	readonly keeps: (body: JsonObject) => boolean;
};

const cases: readonly Case[] = [
	{
		name: 'Claude behind a gateway refuses names of properties',
		wire: 'openai-chat',
		isRefused: hasOddKey,
		message: "tools.1.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
		tools: [tool, odd],
		requests: 2,
		told: [/tool list_builds of the MCP server apple.*simpler/],
		keeps: body => toolsIn(body).length === 2,
	},
	{
		name: 'Google refuses a keyword of a schema',
		wire: 'gemini',
		isRefused: hasUnion,
		message:
			'Invalid JSON payload received. Unknown name "anyOf" at \'tools[0].function_declarations[1].parameters.properties[0].value\': Cannot find field.',
		tools: [tool, union],
		requests: 2,
		told: [/tool find of the MCP server notes.*simpler form/],
		keeps: body => toolsIn(body).length === 2,
	},
	{
		name: 'a host refuses one tool whatever its schema',
		wire: 'openai-chat',
		isRefused: body => toolsIn(body).some(({name}) => name === 'mcp__notes__find'),
		message: "Invalid schema for function 'mcp__notes__find': schema must have type 'object'.",
		tools: [tool, odd, union],
		requests: 4,
		told: [/refused the tool find of the MCP server notes\. Continuing without it\./],
		keeps: body => toolsIn(body).length === 2,
	},
	{
		name: 'OpenAI takes 3 tools',
		wire: 'openai-responses',
		isRefused: body => toolsIn(body).length > 3,
		message:
			"Invalid 'tools': array too long. Expected an array with maximum length 3, but got an array with length 5 instead.",
		tools: [tool, odd, union, mcpTool('a', 'b', {}), mcpTool('a', 'c', {})],
		requests: 2,
		told: [/at most 3 tools/],
		keeps: body => toolsIn(body).length === 3 && toolsIn(body).some(({name}) => name === 'read_file'),
	},
	{
		name: 'a host takes fewer tools than the program has of its own',
		wire: 'openai-chat',
		isRefused: body => toolsIn(body).length > 1,
		message: 'tools: Array should have at most 1 items',
		tools: [tool, {...tool, name: 'list_files'}],
		requests: 2,
		told: [/at most 1 tool\. It answers without the others/],
		keeps: body => toolsIn(body).length === 1,
	},
	{
		name: 'a host takes names of 20 characters',
		wire: 'openai-chat',
		isRefused: body => toolsIn(body).some(({name}) => name.length > 20),
		message: "Invalid 'tools[1].function.name': string too long. Expected a string with maximum length 20.",
		tools: [tool, odd, union],
		requests: 2,
		told: [/name of a tool/],
		keeps: body => toolsIn(body).length === 3,
	},
	{
		name: 'a host takes descriptions of 1,024 characters',
		wire: 'openai-chat',
		isRefused: body => JSON.stringify(body['tools']).includes('d'.repeat(1025)),
		message: "Invalid 'tools[1].function.description': string too long. Expected a string with maximum length 1024.",
		tools: [tool, {...odd, description: 'd'.repeat(1500)}],
		requests: 2,
		told: [/cut to 1024 characters/],
		keeps: body => toolsIn(body).length === 2,
	},
	...(
		[
			['OpenRouter', 404, 'No endpoints found that support image input'],
			[
				'llama.cpp',
				500,
				'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
			],
			['vLLM', 400, 'At most 0 image(s) may be provided in one request.'],
			['DeepSeek', 400, 'Failed to deserialize: messages[1]: unknown variant `image_url`, expected `text`'],
			['a proxy', 415, ''],
			['Ollama', 500, 'this model is missing data required for image input'],
			['a crashed projector', 500, 'llama runner process no longer running: 2'],
			['a strict host', 422, 'Input should be a valid string'],
		] as const
	).map(
		([name, status, message]): Case => ({
			name: `${name} refuses an image with ${status}`,
			wire: 'openai-chat',
			isRefused: hasMedia,
			status,
			message,
			messages: pictured,
			requests: name === 'a strict host' ? 3 : 2,
			told: [/image/],
			keeps: body => JSON.stringify(body).includes('was here. The host refused it'),
		}),
	),
	{
		name: 'Anthropic finds an image invalid',
		wire: 'anthropic',
		isRefused: hasMedia,
		message: 'messages.0.content.0.image.source.base64: The image could not be processed: image exceeds 5 MB maximum',
		messages: pictured,
		requests: 2,
		told: [/refused the image \(PNG, 2×2\)/],
		keeps: body => JSON.stringify(body).includes('Look'),
	},
	{
		name: 'Anthropic finds a PDF protected by a password',
		wire: 'anthropic',
		isRefused: hasMedia,
		message: 'messages.0.content.0.pdf: The PDF specified is password protected.',
		messages: documented,
		requests: 2,
		told: [/refused the PDF of 1 page/],
		keeps: body => JSON.stringify(body).includes('A PDF of 1 page was here'),
	},
	...(
		[
			['a template', 'Conversation roles must alternate user/assistant/user/assistant/...', [user('One'), user('Two')]],
			['Mistral', "Unexpected role 'user' after role 'tool'", [...called, user('And?')]],
			[
				'LM Studio',
				'Error rendering prompt with jinja template: "roles must alternate"',
				[...called, user('A'), user('B')],
			],
		] as const
	).map(
		([name, message, messages]): Case => ({
			name: `${name} refuses the order of messages`,
			wire: 'openai-chat',
			isRefused: isDoubled,
			message,
			messages,
			requests: 2,
			told: [],
			keeps: body => !isDoubled(body),
		}),
	),
	{
		name: 'Gemma has no role for instructions',
		wire: 'openai-chat',
		isRefused: body => roles(body).includes('system'),
		message: 'System role not supported',
		messages: [user('Hello')],
		requests: 2,
		told: [],
		keeps: body => JSON.stringify(turnsIn(body)[0]).includes('Be brief.'),
	},
	{
		name: 'a template knows no results of tools',
		wire: 'openai-chat',
		isRefused: body => roles(body).includes('tool'),
		message: 'Only user, assistant and system roles are supported, got tool.',
		messages: [...called, user('And?')],
		requests: 3,
		told: [/earlier calls of tools/],
		keeps: body => JSON.stringify(body).includes('[Result of read_file]'),
	},
	{
		name: 'Claude refuses to continue its own message',
		wire: 'anthropic',
		isRefused: body => roles(body).at(-1) === 'assistant',
		message: 'This model does not support assistant message prefill. The conversation must end with a user message.',
		messages: [user('Go'), {role: 'assistant', model: 'x/y', parts: [{type: 'text', text: 'I will'}]}],
		requests: 2,
		told: [],
		keeps: body => JSON.stringify(turnsIn(body).at(-1)).includes('Continue.'),
	},
	{
		name: 'a host refuses an empty result',
		wire: 'openai-chat',
		isRefused: body => JSON.stringify(body).includes('"content":""'),
		message: 'messages.3.content: content must be non-empty',
		messages: [user('Read'), call, result('c1', ''), user('And?')],
		requests: 2,
		told: [],
		keeps: body => JSON.stringify(body).includes('(no output)'),
	},
	{
		name: 'Bedrock refuses calls without tools',
		wire: 'openai-chat',
		isRefused: body => !('tools' in body) && JSON.stringify(body).includes('tool_calls'),
		message: 'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
		messages: [...called, user('And?')],
		requests: 2,
		told: [/reads them as text/],
		keeps: body => JSON.stringify(body).includes('[Called read_file'),
	},
	{
		name: 'a template of Qwen finds no message of the user behind a result',
		wire: 'openai-chat',
		isRefused: body => roles(body).at(-1) === 'tool',
		message: 'Error: Jinja Exception: No user query found in messages.',
		messages: called,
		requests: 4,
		told: [/reads them as text/],
		keeps: body => roles(body).at(-1) === 'user',
	},
	{
		name: 'llama.cpp reports an exception of a template as its own failure',
		wire: 'openai-chat',
		status: 500,
		isRefused: body => roles(body).some(role => role === 'tool' || role === 'system'),
		message: 'Only user and assistant roles are supported!',
		messages: called,
		requests: 6,
		told: [/reads them as text/],
		keeps: body => roles(body).at(-1) === 'user',
	},
	{
		name: 'llama.cpp names only the place in a template',
		wire: 'openai-chat',
		status: 500,
		isRefused: body => roles(body).includes('tool'),
		message: 'Value is not callable: null at row 12, column 3:\n{{ x }}',
		messages: called,
		requests: 6,
		told: [/reads them as text/],
		keeps: body => JSON.stringify(body).includes('[Called read_file'),
	},
	{
		name: 'a template fails at the definitions of tools',
		wire: 'openai-chat',
		status: 500,
		isRefused: body => toolsIn(body).length > 0,
		message: 'Error rendering prompt with jinja template: Unknown StringValue filter: safe',
		tools: [tool, union],
		requests: 8,
		told: [/doesn't support tools/],
		keeps: body => turnsIn(body).length > 0,
	},
	{
		name: 'llama.cpp can make no grammar of a schema',
		wire: 'openai-chat',
		status: 500,
		isRefused: hasUnion,
		message: 'JSON schema conversion failed: Unrecognized schema: {"anyOf":[{}]}',
		tools: [tool, union],
		requests: 2,
		told: [/simpler form/],
		keeps: body => toolsIn(body).length === 2,
	},
	{
		name: 'llama.cpp can read no grammar of its own',
		wire: 'openai-chat',
		isRefused: body => toolsIn(body).length > 0,
		message: 'Failed to parse grammar',
		tools: [tool, union],
		requests: 6,
		told: [/doesn't support tools/],
		keeps: body => toolsIn(body).length === 0,
	},
	{
		name: 'a host has no content but text',
		wire: 'openai-chat',
		isRefused: hasMedia,
		message:
			'Failed to deserialize the JSON body into the target type: messages[1]: unknown variant `image_url`, expected `text`',
		messages: pictured,
		requests: 2,
		told: [/^tiny takes no images/],
		keeps: body => JSON.stringify(body).includes('was here'),
	},
	{
		name: 'vLLM takes no image at all',
		wire: 'openai-chat',
		isRefused: hasMedia,
		message: 'At most 0 image(s) may be provided in one prompt.',
		messages: pictured,
		requests: 2,
		told: [/^tiny takes no images/],
		keeps: body => JSON.stringify(body).includes('was here'),
	},
	{
		name: 'a template behind Responses wants the instructions elsewhere',
		wire: 'openai-responses',
		isRefused: body => 'instructions' in body,
		message: 'Jinja Exception: System message must be at the beginning.',
		messages: [user('Hello')],
		requests: 2,
		told: [],
		keeps: body => JSON.stringify(turnsIn(body)[0]).includes('Be brief.'),
	},
	{
		name: 'DeepSeek wants reasoning in each turn with calls, also in those of another model',
		wire: 'openai-chat',
		isRefused: body => !JSON.stringify(body).includes('"reasoning_content":""'),
		message: 'The `reasoning_content` in the thinking mode must be passed back to the API.',
		messages: [
			user('Read'),
			{
				role: 'assistant',
				model: 'openai/gpt-5',
				parts: [{type: 'tool-call', id: 'c1', name: 'read_file', arguments: {path: 'a'}}],
			},
			result('c1', 'content'),
			user('And?'),
		],
		requests: 2,
		told: [],
		keeps: body => JSON.stringify(body).includes('"tool_calls"'),
	},
	{
		name: 'a template of gpt-oss takes no reasoning beside a call',
		wire: 'openai-chat',
		isRefused: body => JSON.stringify(body).includes('reasoning_content'),
		message: 'Cannot pass both content and thinking in an assistant message with tool calls!',
		messages: [
			user('Read'),
			{
				role: 'assistant',
				model: 'custom/tiny',
				parts: [
					{type: 'reasoning', text: 'Hm', opaque: {wire: 'openai-chat', data: {field: 'reasoning_content'}}},
					{type: 'text', text: 'Reading.'},
					{type: 'tool-call', id: 'c1', name: 'read_file', arguments: {path: 'a'}},
				],
			},
			result('c1', 'content'),
			user('And?'),
		],
		requests: 2,
		told: [/rejected its earlier reasoning/],
		keeps: body => JSON.stringify(body).includes('Reading.'),
	},
	{
		name: 'Anthropic can’t process an image that a tool has read',
		wire: 'anthropic',
		isRefused: hasMedia,
		message: 'Could not process image',
		messages: [user('Read'), call, {...result('c1', 'A picture'), images: [image('bad')]} as Message, user('And?')],
		requests: 2,
		told: [/refused the image/],
		keeps: body => JSON.stringify(body).includes('A picture'),
	},
	{
		name: 'an older Claude takes 8,192 tokens',
		wire: 'anthropic',
		isRefused: body => Number(body['max_tokens']) > 8192,
		message: 'max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for tiny',
		messages: [user('Hello')],
		requests: 2,
		told: [],
		keeps: body => body['max_tokens'] === 8192,
	},
	{
		name: 'a compatible host knows no field of the cache',
		wire: 'openai-responses',
		isRefused: body => 'store' in body,
		message: "Unknown parameter: 'store'.",
		messages: [user('Hello')],
		requests: 2,
		told: [/refused the field store/],
		keeps: body => 'input' in body,
	},
];

test.each(cases)('$name: the message is answered, the user told, the host remembered', async one => {
	const host = await refusingHost();
	const {wire, isRefused, status = 400, message, messages = [user('Hello')], tools = [], requests, told, keeps} = one;
	host.state.refuse = body => (isRefused(body) ? {status, text: error400(message).text} : undefined);
	const client = host.newClient(wire, {tools});
	const first = await client.ask(messages);
	expect(first.error).toBeUndefined();
	expect(first.text).toBe('Hi');
	expect(first.sent.length).toBeLessThanOrEqual(requests);
	expect(keeps(first.sent.at(-1) ?? {})).toBe(true);
	expect(first.notices).toHaveLength(told.length);
	for (const [index, pattern] of told.entries()) {
		expect(first.notices[index]).toMatch(pattern);
	}

	const next = await client.ask([...messages, user('Next')]);
	// After a crash the image is tried once more: the host may only have been out of order.
	expect([next.text, next.sent.length]).toEqual(['Hi', message.startsWith('llama runner') ? 2 : 1]);
	expect((await client.ask([...messages, user('Last')])).sent).toHaveLength(1);
});

test.each([
	[401, {error: {message: 'Incorrect API key provided'}}],
	[402, {error: {message: 'Insufficient credits'}}],
	[403, {error: {message: 'Your key may not use images'}}],
	[404, {error: {message: 'The model `tiny` does not exist', code: 'model_not_found'}}],
	[400, {error: {message: 'tiny is not a valid model ID'}}],
	[400, {error: {message: 'User location is not supported for the API use.'}}],
	[400, {error: {code: 'context_length_exceeded', message: 'Your input is too long: tools 900, images 3'}}],
	[429, {error: {message: 'Rate limit: too many images and tools'}}],
	[503, {error: {message: 'The model is overloaded.'}}],
])('[23] a %d that is about something else is sent once: %j', async (status, body) => {
	const host = await refusingHost();
	host.state.refuse = () => ({status, text: JSON.stringify(body)});
	const client = host.newClient('openai-chat', {tools: [tool, odd]});
	const {error, sent, notices} = await client.ask(pictured);
	expect(error).toBeInstanceOf(Error);
	expect([sent.length, notices]).toEqual([1, []]);
});
