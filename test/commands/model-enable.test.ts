import {expect, test} from 'vitest';
import {api} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const url = '/api/v1/user/preferences';
const models = ['a/one', 'b/two', 'c/three/four'].map(id => ({id, name: id}));

/** Starts a server that saves the list it receives. */
async function setUp(enabled_model_ids: unknown = ['a/one', 'b/two']) {
	const preferences = {enabled_model_ids, inference_credits_per_dollar: 100, models};
	const platform = await api({
		[`GET ${url}`]: {json: preferences},
		[`PATCH ${url}`]: ({body}) => ({json: {...preferences, ...JSON.parse(body.toString())}}),
	});
	const written = () =>
		platform.seen.filter(({method}) => method === 'PATCH').map(({body}) => JSON.parse(body.toString()));
	return {...testContext({env: platform.env}), preferences, seen: platform.seen, written};
}

test.each([80, 120])('models are enabled in addition to the others, at %d columns', async width => {
	const {run, preferences, written} = await setUp();
	const result = await run('model', 'enable', 'c/three/four', 'a/one', 'd/new', 'd/new');
	expect(drawn(result, width).split('\n')).toEqual([
		'Enabled c/three/four, d/new.',
		'a/one is enabled already.',
		"d/new is not in the server's catalog.",
		'4 models are enabled.',
	]);
	const enabled_model_ids = ['a/one', 'b/two', 'c/three/four', 'd/new'];
	expect(written()).toEqual([{enabled_model_ids}]);
	expect(dataOf(result)).toEqual({...preferences, enabled_model_ids});
});

test.each([80, 120])('models are disabled, the others stay, at %d columns', async width => {
	const {run, written} = await setUp();
	const result = await run('model', 'disable', 'b/two', 'x/none');
	expect(drawn(result, width).split('\n')).toEqual([
		'Disabled b/two.',
		'x/none is not enabled.',
		'One model is enabled.',
	]);
	expect(written()).toEqual([{enabled_model_ids: ['a/one']}]);
});

test('nothing is written if nothing changes', async () => {
	const {run, preferences, written} = await setUp();
	const result = await run('model', 'enable', 'a/one');
	expect(drawn(result, 80).split('\n')).toEqual(['a/one is enabled already.', 'Nothing changed.']);
	expect(dataOf(result)).toEqual(preferences);
	expect(written()).toEqual([]);
});

test.each<[unknown, string, RegExp]>([
	[null, 'network', /returned a response without enabled_model_ids\.$/],
	['all', 'network', /returned a response without enabled_model_ids\.$/],
	[['a/one', 7], 'failed', /^The server does not show which models are enabled\.$/],
])('an invalid list (%j) is not overwritten', async (list, code, message) => {
	const {run, written} = await setUp(list);
	await expect(run('model', 'enable', 'c/three/four')).rejects.toMatchObject({
		code,
		message: expect.stringMatching(message),
	});
	expect(written()).toEqual([]);
});

test.each([
	[['enable', 'gpt'], 'Invalid model “gpt”.'],
	[['enable', 'a/one', '/x'], 'Invalid model “/x”.'],
	[['disable', 'a/ b'], 'Invalid model “a/ b”.'],
	[['disable'], 'model disable needs <model>.'],
])('%j is refused before anything is sent', async (words, message) => {
	const {run, seen} = await setUp();
	await expect(run('model', ...words)).rejects.toMatchObject({code: 'usage', message});
	expect(seen).toEqual([]);
});
