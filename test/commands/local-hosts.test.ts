import type {IncomingMessage, ServerResponse} from 'node:http';
import {describe, expect, test} from 'vitest';
import {httpServer} from '../net/servers.ts';
import {dataOf, drawn, testContext} from './context.ts';

type Answer = readonly [status: number, body: unknown];

/** Serves what a program answers by path; anything else as it does. */
async function host(paths: Readonly<Record<string, Answer>>, other: Answer, key?: string) {
	const answer = (request: IncomingMessage, response: ServerResponse) => {
		const isRefused = key !== undefined && request.headers.authorization !== `Bearer ${key}`;
		const [status, body] = isRefused
			? [401, {error: {message: 'Invalid API Key', type: 'authentication_error', code: 401}}]
			: (paths[request.url ?? ''] ?? other);
		response.writeHead(status, {'content-type': typeof body === 'string' ? 'text/plain' : 'application/json'});
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	};
	return httpServer(answer);
}

const list = (...ids: readonly string[]): Answer => [
	200,
	{object: 'list', data: ids.map(id => ({id, object: 'model', owned_by: 'library'}))},
];

/** What each program answers to a path that it doesn't know. */
const others = {
	ollama: [404, '404 page not found'],
	lmstudio: [200, {error: 'Unexpected endpoint or method. (GET /models)'}],
	llamacpp: [404, {error: {code: 404, message: 'File Not Found', type: 'not_found_error'}}],
	vllm: [404, {detail: 'Not Found'}],
} as const satisfies Readonly<Record<string, Answer>>;

describe('the base URL of a host of the user', () => {
	test.each(Object.entries(others))('of %s may be its root', async (_, other) => {
		for (const path of ['', '/', '/v1', '/v1/', '/v1/chat/completions', '/v1/models']) {
			const {origin} = await host({'/v1/models': list('qwen')}, other);
			const {run, context} = testContext({answers: ['']});
			const result = await run('keys', 'set', 'custom', '--base-url', `${origin}${path}`);
			expect(drawn(result, 120)).toContain('The model is now custom/qwen.');
			expect(context.program.local.config.read().keys['custom']).toMatchObject({baseUrl: `${origin}/v1`});
		}
	});

	test('stays where its list of models is', async () => {
		const {origin} = await host({'/models': list('a'), '/v1/models': list('b')}, others.llamacpp);
		const {run, context} = testContext({answers: ['']});
		await run('keys', 'set', 'custom', '--base-url', origin);
		expect(context.program.local.config.read().keys['custom']).toMatchObject({baseUrl: origin});
	});

	test('of Ollama is found from its root and its native API', async () => {
		for (const path of ['', '/api', '/api/tags']) {
			const {origin} = await host({'/v1/models': list('llama3:latest')}, others.ollama);
			const {run, context} = testContext();
			expect(drawn(await run('keys', 'set', 'ollama', '--base-url', `${origin}${path}`), 120)).toContain(
				'The model is now ollama/llama3:latest.',
			);
			expect(context.program.local.config.read().keys['ollama']).toEqual({
				baseUrl: `${origin}/v1`,
				savedAt: expect.any(String),
			});
		}
	});
});

describe('a key', () => {
	test('is asked for only if the host answers that it needs one', async () => {
		const {origin} = await host({'/v1/models': list('qwen')}, others.vllm, 'sk-local-0123456789');
		const {run, context, asked} = testContext({answers: ['sk-local-0123456789']});
		await run('keys', 'set', 'lmstudio', '--base-url', `${origin}/v1`);
		expect(asked).toEqual([{label: 'LM Studio asks for an API key (typing is hidden):', masked: true}]);
		expect(context.program.local.config.read().keys['lmstudio']?.key?.reveal()).toBe('sk-local-0123456789');
	});

	test('that is not given stores nothing', async () => {
		const {origin} = await host({}, others.vllm, 'sk-local-0123456789');
		const {run, context} = testContext();
		expect(drawn(await run('keys', 'set', 'lmstudio', '--base-url', `${origin}/v1`), 120)).toBe('Nothing was stored.');
		expect(context.program.local.config.read().keys).toEqual({});
	});

	test('is not asked for by a host on another machine', async () => {
		const {run, context, asked} = testContext();
		for (const address of ['http://192.168.1.5:11434', 'https://box.local/v1', 'https://ollama.example.com/v1']) {
			await run('keys', 'set', 'ollama', '--base-url', address);
		}

		expect(asked).toEqual([]);
		expect(context.program.local.config.read().keys['ollama']).toMatchObject({
			baseUrl: 'https://ollama.example.com/v1',
		});
	});

	test('[9] and plain http to another machine still needs its flag', async () => {
		const {run} = testContext();
		expect(drawn(await run('keys', 'set', 'ollama', '--base-url', 'http://192.168.1.5:11434'), 200)).toContain(
			'It could not be verified: Refusing plain HTTP',
		);
	});
});

test('the models of the user’s own hosts are in the list', async () => {
	const {origin} = await host({'/v1/models': list('qwen3:8b', 'gemma3')}, others.ollama);
	const {run} = testContext({env: {OLLAMA_BASE_URL: origin}});
	expect(dataOf(await run('model', 'list', 'ollama/'))).toEqual(
		['gemma3', 'qwen3:8b'].map(name => ({id: `ollama/${name}`, name, context_window: null, prices: null})),
	);
});
