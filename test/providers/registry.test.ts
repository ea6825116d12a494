import {expect, test} from 'vitest';
import {providerNames} from '../../src/core/model.ts';
import {registry} from '../../src/providers/registry.ts';
import {collect, fakeHost, requestOf} from './replay.ts';

test('there is one row for each provider, under its own name', () => {
	expect(Object.entries(registry).map(([key, {name}]) => [key, name])).toEqual(providerNames.map(name => [name, name]));
});

const base = 'https://host.test/v1';

test.each([
	['anthropic', 'https://host.test', 'https://host.test/v1/messages'],
	['openai', base, 'https://host.test/v1/responses'],
	['google', 'https://host.test', 'https://host.test/v1beta/models/some-model:streamGenerateContent?alt=sse'],
	['mistral', base, 'https://host.test/v1/chat/completions'],
	['groq', 'https://host.test/openai/v1', 'https://host.test/openai/v1/chat/completions'],
	['custom', base, 'https://host.test/v1/chat/completions'],
] as const)(
	'%s reads its base URL as its own SDK does, with or without a slash at the end',
	async (name, baseUrl, url) => {
		for (const address of [baseUrl, `${baseUrl}/`]) {
			const {transport, requests} = fakeHost({body: ''});
			const provider = await registry[name].load();
			expect(await collect(provider(requestOf(transport, {baseUrl: address})))).toEqual([]);
			expect(requests.map(request => [request.method, request.url])).toEqual([['POST', url]]);
		}
	},
);

test('[6] no adapter puts a credential into a request', async () => {
	for (const {load} of Object.values(registry)) {
		const {transport, requests} = fakeHost({body: ''});
		await collect((await load())(requestOf(transport)));
		const names = Object.keys(requests[0]?.headers ?? {});
		expect(names.filter(name => /authorization|key|cookie/i.test(name))).toEqual([]);
	}
});
