import {expect, test} from 'vitest';
import {listHostModels} from '../../src/providers/discover.ts';
import {registry} from '../../src/providers/registry.ts';
import {type Answer, fakeHost} from './replay.ts';

const {custom} = registry;

const ask = (answer: Answer, baseUrl = 'https://host.test/v1') =>
	listHostModels(custom, baseUrl, fakeHost(answer).transport, new AbortController().signal);

test.each([
	['OpenAI', {object: 'list', data: [{id: 'b', object: 'model'}, {id: 'a'}, {id: 'a'}]}],
	['Ollama', {models: [{name: 'a'}, {name: 'b', size: 1}]}],
	['a list of names', ['b', 'a']],
	['a list of models', [{id: 'b'}, {id: 'a'}, {id: 3}, null]],
])('models are read as %s lists them', async (_, body) => {
	expect(await ask({body: JSON.stringify(body)})).toEqual(['a', 'b']);
});

test('the address is built from a base URL with or without a final slash', async () => {
	const {transport, requests} = fakeHost({body: '{"data":[]}'});
	expect(await listHostModels(custom, 'http://127.0.0.1:11434/v1/', transport, new AbortController().signal)).toEqual(
		[],
	);
	expect(requests.map(({method, url}) => [method, url])).toEqual([['GET', 'http://127.0.0.1:11434/v1/models']]);
});

test('a refusal is an error that says what to do', async () => {
	await expect(ask({status: 401, body: '{"error":{"message":"Bad key"}}'})).rejects.toMatchObject({
		code: 'auth',
		message: 'Custom rejected the key (401): Bad key',
		hint: 'Check the key with `keys set custom`.',
	});
	await expect(ask({body: '<html>Welcome</html>'})).rejects.toMatchObject({code: 'network'});
});
