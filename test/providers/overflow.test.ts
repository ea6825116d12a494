import {expect, test} from 'vitest';
import {statusFailure, streamFailure} from '../../src/providers/failure.ts';
import {windowNamed} from '../../src/providers/overflow.ts';

const vendor = {name: 'custom', label: 'Host'} as const;
const failure = (status: number, body: unknown, headers = {}) =>
	statusFailure(vendor, status, headers, typeof body === 'string' ? body : JSON.stringify(body));
const said = (message: string) => ({error: {message, type: 'invalid_request_error'}});

/** A refusal as the host words it, and the window that it names. */
const overflows: readonly (readonly [string, string, (number | undefined)?])[] = [
	[
		'OpenAI',
		"This model's maximum context length is 8192 tokens. However, your messages resulted in 9042 tokens. Please reduce the length of the messages.",
		8192,
	],
	['OpenAI Responses', 'Your input exceeds the context window of this model. Please adjust your input and try again.'],
	[
		'Azure',
		"This model's maximum context length is 16385 tokens. However, you requested 17161 tokens (16161 in the messages, 1000 in the completion).",
		16_385,
	],
	[
		'vLLM',
		'The decoder prompt (length 5120) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.',
		4096,
	],
	[
		'vLLM, output',
		"'max_tokens' or 'max_completion_tokens' is too large: 8192. This model's maximum context length is 8192 tokens and your request has 500 input tokens (8192 > 8192 - 500).",
		undefined,
	],
	[
		'TGI',
		'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`',
		4096,
	],
	['TGI, older', 'Input validation error: `inputs` must have less than 1024 tokens. Given: 2039', 1024],
	['SGLang', "The input (36861 tokens) is longer than the model's context length (32768 tokens).", 32_768],
	[
		'SGLang, newer',
		"Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens.",
		32_768,
	],
	[
		'llama.cpp',
		'the request exceeds the available context size. try increasing the context size or enable context shift',
	],
	[
		'llama.cpp, newer',
		'request (12345 tokens) exceeds the available context size (4096 tokens), try increasing it',
		4096,
	],
	[
		'LM Studio',
		'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5320>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.',
		4096,
	],
	[
		'LM Studio, older',
		'Trying to keep the first 7052 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
		4096,
	],
	['Ollama', 'the input length exceeds the context length'],
	['Ollama, cloud', 'prompt too long; exceeded max context length by 12043 tokens'],
	['Groq', 'Please reduce the length of the messages or completion.'],
	[
		'Mistral',
		'Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
		32_768,
	],
	[
		'Cohere',
		'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt, or a smaller max_tokens value.',
		4081,
	],
	[
		'Cohere, newer',
		"too many tokens: size limit exceeded by 11326 tokens. Try using shorter or fewer inputs, or setting prompt_truncation='AUTO'.",
	],
	[
		'DeepSeek',
		"This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (132000 in the messages, 8000 in the completion).",
		131_072,
	],
	['Moonshot', 'Invalid request: Your request exceeded model token limit: 8192 (requested: 10240)', 8192],
	['Zhipu', 'Prompt exceeds max length'],
	['Zhipu, in Chinese', 'Prompt 超长'],
	['Qwen', '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]'],
	['Qwen, newer', 'InternalError.Algo.InvalidParameter: Total message token length exceed model limit'],
	['Bedrock', 'Input is too long for requested model.'],
	['Anthropic', 'prompt is too long: 208310 tokens > 200000 maximum', 200_000],
	[
		'Anthropic, with the answer',
		'input length and `max_tokens` exceed context limit: 199702 + 8192 > 200000, decrease input length or `max_tokens` and try again',
	],
	[
		'Vertex',
		'Unable to submit request because the input token count is 40000 but model only supports up to 32768. Reduce the input token count and try again.',
		32_768,
	],
	['Gemini', 'The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
	['Gemini, bytes', 'Request payload size exceeds the limit: 20971520 bytes.'],
	[
		'OpenRouter',
		"This endpoint's maximum context length is 40960 tokens. However, you requested about 55000 tokens (54000 of text input, 1000 in the output).",
		40_960,
	],
	['xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
	[
		'Cerebras',
		'Please reduce the length of the messages or completion. Current length is 8193 while limit is 8192',
		undefined,
	],
	['Together', "The input is longer than 8193 tokens, which this model can't read: it has 9000.", 8193],
	['Fireworks', 'The prompt is too long: 300000, model maximum context length: 131071', 131_071],
	['GitHub Copilot', 'prompt token count of 128557 exceeds the limit of 128000', 128_000],
	['GitHub Models', 'Request body too large for gpt-4o model. Max size: 8000 tokens.'],
	['MiniMax', 'invalid params, context window exceeds limit (2013)'],
	['SiliconFlow', 'length of prompt_tokens (41233) must be less than max_seq_len (32768).', 32_768],
	[
		'Cloudflare',
		'The estimated number of input and maximum output tokens (30240) exceeded this model context window limit (24000).',
		24_000,
	],
	['watsonx', 'the number of input tokens 5000 cannot exceed the total tokens limit 4096 for this model', 4096],
	['Volcengine', 'Total tokens of image and text exceed max message tokens.'],
	['Qianfan', 'the max input characters is 5120, and your messages exceed it'],
	['Hunyuan', '输入长度超过模型上限'],
	['Spark', 'token数量超过上限。对话历史+问题的字数太多，需要精简输入。'],
	['AI21', 'Prompt has too many tokens. Expected at most 8191, got 10000'],
	[
		'a long text',
		"Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12485760 instead.",
	],
	['nobody yet', 'Your chat history has become larger than what this deployment accepts'],
	['nobody yet, in another form', 'No room for 12000 more tokens in this sequence'],
];

test.each(overflows.map(([host, message, window]) => ({host, message, window})))(
	'$host says that the conversation is too long',
	({message, window}) => {
		for (const error of [
			failure(400, said(message)),
			failure(422, {detail: message}),
			failure(500, said(message)),
			streamFailure(vendor, said(message)),
		]) {
			expect(error, error.message).toMatchObject({code: 'provider', overflow: true, temporary: false});
		}

		if (window !== undefined) {
			expect(windowNamed(message)).toBe(window);
		}
	},
);

test.each([
	[
		'a list of tools',
		"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 174 instead.",
	],
	[
		'an id',
		"Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64, but got a string with length 72 instead.",
	],
	['a name', "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64."],
	['an image', 'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5316852 bytes > 5242880 bytes'],
	[
		'the answer',
		'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
	],
	[
		'the answer, at Anthropic',
		'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for this model',
	],
	['the temperature', 'Input should be less than or equal to 2'],
	[
		'a field',
		"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
	],
	['a schema', 'Invalid schema for function: schema must have less than 5 levels of nesting'],
	['the roles', 'Conversation roles must alternate user/assistant/user/assistant/...'],
	['tokens per minute', 'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 61000.'],
	['a time', 'The request exceeded the time limit of 60 seconds'],
	['a plan', 'You have exceeded the number of messages of your plan. Try again later.'],
	['requests at once', 'Too many concurrent requests: more than 300 requests are running'],
	['nothing', 'Bad request'],
])('a refusal of %s is no full window', (_, message) => {
	expect(failure(400, said(message)).overflow).toBe(false);
	expect(streamFailure(vendor, said(message)).overflow).toBe(false);
});

test('a limit of tokens per minute is a rate limit whatever its status, and its wait is read', () => {
	const message =
		'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 12345, please reduce your message size and try again.';
	expect(
		failure(413, {error: {message, type: 'tokens', code: 'rate_limit_exceeded'}}, {'retry-after': '7'}),
	).toMatchObject({
		message: expect.stringMatching(/^Host is rate-limiting you \(413\)/),
		overflow: false,
		temporary: true,
		retryAfter: 7000,
	});
});

test('the 413 page of a proxy is a request that is too large for it', () => {
	const page = '<html><head><title>413 Request Entity Too Large</title></head></html>';
	expect(failure(413, page)).toMatchObject({
		code: 'provider',
		message: 'The request is too large for the proxy in front of Host (413).',
		overflow: true,
	});
	expect(failure(502, page)).toMatchObject({code: 'network', overflow: false});
});
