import {expect, test} from 'vitest';
import {hideInChunks} from '../.scripts/hide-in-chunks.ts';
import {modelOf, modelRequest, readRecording, shapeOf} from '../.scripts/recording.ts';
import {mask} from '../src/core/secrets/secret.ts';

const secret = 'key-0123456789';
const hide = (text: string) => text.replaceAll(secret, mask);
const event = (content: string) => `data: ${JSON.stringify({id: 'c', delta: {content}})}\n\n`;
const textOf = (chunks: ReadonlyArray<readonly [number, string]>) => chunks.map(([, text]) => text).join('');

test('[8] a credential is masked even if chunks and events split it', () => {
	for (let cut = 0; cut <= secret.length; cut++) {
		const stream = `: note ${secret}\n${event(`a ${secret.slice(0, cut)}`)}${event(`${secret.slice(cut)} b`)}${event('c')}`;
		for (let split = 0; split <= stream.length; split += 3) {
			const shown = hideInChunks(
				[
					[1, stream.slice(0, split)],
					[5, stream.slice(split)],
				],
				hide,
			);
			const text = textOf(shown);
			const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, part]) => part).join('');
			expect(text).not.toContain(secret);
			expect(said).toBe(`a ${'*'.repeat(secret.length)} bc`);
			expect(shown.map(([at]) => at)).toEqual([1, 5]);
		}
	}
});

test('chunks without a credential stay unchanged', () => {
	const stream = `${event('größe')}data: [DONE]\n\n`;
	for (let split = 0; split <= stream.length; split++) {
		const chunks = [[1, stream.slice(0, split)] as const, [2, stream.slice(split)] as const];
		expect(hideInChunks(chunks, hide)).toEqual(chunks);
	}
});

test('the shape of a request has lengths instead of texts', () => {
	const body = {
		model: 'small',
		stream: true,
		messages: [{role: 'user', content: 'a prompt'}],
		tools: [{name: 'read_file', description: 'Reads.', parameters: {properties: {path: {type: 'string'}}}}],
	};
	expect(shapeOf(body)).toEqual({
		model: 'small',
		stream: true,
		messages: [{role: 'user', content: '8 characters'}],
		tools: [{name: 'read_file', description: '6 characters', parameters: {properties: {path: {type: 'string'}}}}],
	});
});

test.each([
	['https://api.anthropic.com/v1/messages', {}, {provider: 'anthropic', path: '/v1/messages'}],
	['https://api.openai.com/v1/responses', {}, {provider: 'openai', path: '/responses'}],
	['https://api.groq.com/openai/v1/chat/completions', {}, {provider: 'groq', path: '/chat/completions'}],
	[
		'http://127.0.0.1:1/v1/chat/completions?key=x',
		{GROQ_BASE_URL: 'http://127.0.0.1:1/v1'},
		{provider: 'groq', path: '/chat/completions'},
	],
	['http://127.0.0.1:1/v1/chat/completions', {}, {provider: 'custom', path: '/chat/completions'}],
	['http://127.0.0.1:1/api/v1/user/preferences', {}, undefined],
])('the provider of %s is known', (url, env, found) => {
	expect(modelRequest(new URL(url), env)).toEqual(found);
});

test('the model of a request is read from its body, or from its path for Gemini', () => {
	expect(modelOf('/chat/completions', {model: 'small'})).toBe('small');
	expect(modelOf('/v1beta/models/gemini-9:streamGenerateContent', {})).toBe('gemini-9');
});

test('a line that is not an exchange is refused', () => {
	expect(() => readRecording('{"provider":"nobody","chunks":[]}\n')).toThrow('Line 1');
	expect(() => readRecording('no JSON\n')).toThrow();
});
