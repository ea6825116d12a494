import {expect, test} from 'vitest';
import {modelChoices} from '../../commands/model.ts';
import {dispatch} from '../../src/command/dispatch.ts';
import {unchanged} from '../../src/command/result.ts';
import {reportError} from '../../src/core/error.ts';
import {replaced} from '../../src/loader/chunks.ts';
import {registry} from '../../src/providers/registry.ts';
import {httpServer} from '../net/servers.ts';
import {dataOf, drawn, testContext} from './context.ts';

test('the list has context, prices by bucket, and their date', async () => {
	const {run} = testContext();
	const result = await run('model', 'list', 'anthropic/claude-sonnet');
	const data = dataOf(result);
	expect(Array.isArray(data) && data.length).toBeGreaterThan(0);
	expect(Array.isArray(data) && data[0]).toEqual({
		id: expect.stringMatching(/^anthropic\/claude-sonnet/),
		name: expect.any(String),
		context_window: expect.any(Number),
		prices: {
			input: expect.any(Number),
			cache_read: expect.any(Number),
			cache_write: expect.any(Number),
			output: expect.any(Number),
		},
	});
	for (const width of [80, 120]) {
		const [head, first] = drawn(result, width).split('\n');
		expect(head).toMatch(/^model +context +input +cache read +cache write +output$/);
		expect(first).toMatch(/^anthropic\/claude-sonnet\S* +[\d.]+[kM]( +[\d.]+){4}$/);
		expect(drawn(result, width)).toMatch(
			/\nUS dollars per million tokens\.\sPrices\sas\sof\s\d{4}-\d\d-\d\d,\s[\s\S]+\.$/,
		);
	}
});

test('every vendor with prices is in the list', async () => {
	const data = dataOf(await testContext().run('model', 'list'));
	const ids: readonly string[] = Array.isArray(data) ? data.map(({id}) => String(id)) : [];
	const priced = Object.values(registry).flatMap(({name, prices}) => (prices ? [name] : []));
	expect([...new Set(ids.map(id => id.split('/')[0]))]).toEqual(priced);
});

test('an unknown model can be used', async () => {
	expect(drawn(await testContext().run('model', 'list', 'nope'), 120)).toContain(
		'No known model has “nope” in its name. You can still use it if its provider has it; its cost is unknown.',
	);
});

test('a model is selected for this and new sessions, and names a missing key', async () => {
	const {run, context, store} = testContext();
	const result = await run('model', 'use', 'OpenAI/gpt-x');
	expect(drawn(result, 80)).toBe('The model is now openai/gpt-x.\nIt needs a key: /keys set openai');
	expect(dataOf(result)).toEqual({model: 'openai/gpt-x'});
	expect(store.getState().model).toBe('openai/gpt-x');
	expect(context.program.local.config.read().settings.model).toBe('openai/gpt-x');

	const withKey = testContext({env: {OPENAI_API_KEY: 'sk-0123456789abc'}});
	expect(drawn(await withKey.run('model', 'openai/gpt-x'), 80)).toBe('The model is now openai/gpt-x.');
});

test('a program is told the selected model, and asked nothing', async () => {
	const here = testContext({flags: {json: true}});
	expect(dataOf(await here.run('model'))).toEqual({
		model: 'demo/demo',
		provider: 'demo',
		has_key: true,
		context_window: null,
		prices: null,
	});
	await here.run('model', 'use', 'openai/gpt-4o');
	expect(dataOf(await here.run('model'))).toMatchObject({
		model: 'openai/gpt-4o',
		provider: 'openai',
		has_key: false,
		context_window: expect.any(Number),
		prices: {input: expect.any(Number)},
	});
	expect(here.asked).toEqual([]);
});

test('the demo model is not saved for new sessions', async () => {
	const {run, context} = testContext();
	await run('model', 'use', 'openai/gpt-x');
	await run('model', 'use', 'custom/demo');
	expect(context.program.local.config.read().settings.model).toBeUndefined();
});

test.each([
	['stays what new sessions begin with', {OPENAI_API_KEY: 'sk-0123456789abc'}, 'openai/gpt-x'],
	['is no longer what they begin with, where it has no key', {}, undefined],
])('after a switch to the demo model, the previous one %s', async (_, env, kept) => {
	const {run, runInApp, context} = testContext({env});
	await run('model', 'use', 'openai/gpt-x');
	await runInApp('model', 'use', 'custom/demo');
	expect(context.program.local.config.read().settings.model).toBe(kept);
});

test.each([
	['gpt', 'Invalid model “gpt”.'],
	['opennai/gpt', 'Unknown provider “opennai”.'],
])('%s is refused and nothing changes', async (id, message) => {
	const {run, context} = testContext();
	await expect(run('model', 'use', id)).rejects.toMatchObject({code: 'usage', message});
	expect(context.program.local.config.read().settings.model).toBeUndefined();
});

test('without an id the user selects: usable models first, the others with what is missing', async () => {
	const {run, asked} = testContext({env: {GROQ_API_KEY: 'gsk-0123456789'}, answers: [undefined]});
	expect(await run('model')).toEqual(unchanged);
	const [pick] = asked;
	const choices = pick instanceof Object && 'choices' in pick && Array.isArray(pick.choices) ? pick.choices : [];
	expect(choices[0]).toMatchObject({
		id: expect.stringMatching(/^groq\//),
		group: expect.stringMatching(/^Ready/),
	});
	expect(choices.find(({id}) => id === 'demo/demo')).toEqual({
		id: 'demo/demo',
		label: 'demo/demo',
		detail: 'demo model, no AI',
		group: expect.stringMatching(/^Ready/),
	});
	expect(choices.at(-1)).toMatchObject({group: 'These need an API key'});
	// Beside a long name, context and prices fit 80 columns.
	expect(Math.max(...choices.map(({detail}) => detail.length))).toBeLessThanOrEqual(24);
	expect(choices.at(-1).detail).toMatch(/^ *[\d.]+[kM]? {2} *\$[\d.]+ {2} *\$[\d.]+$/);
});

test('a custom provider that does not respond is reported before the selection', async () => {
	const {run, said} = testContext({env: {CUSTOM_BASE_URL: 'http://127.0.0.1:1/v1'}, answers: [undefined]});
	await run('model');
	expect(said).toEqual(["Couldn't reach Custom at http://127.0.0.1:1/v1. Is it running?"]);
});

test('of many models, those are named that resemble the one that was not found', async () => {
	const names = [
		...Array.from({length: 12}, (_, index) => `openai/gpt-${index}`),
		'meta/llama-70b',
		'meta/llama-8b',
		'qwen',
	];
	const {origin} = await httpServer((_, response) => response.end(JSON.stringify({data: names.map(id => ({id}))})));
	const {run} = testContext({env: {CUSTOM_BASE_URL: `${origin}/v1`}});
	const hintFor = async (name: string) => await run('model', 'use', `custom/${name}`).catch(error => error.hint);
	expect(await hintFor('llama')).toBe('It has meta/llama-70b, meta/llama-8b.');
	expect(await hintFor('meta/gpt')).toBe('It has meta/llama-70b, meta/llama-8b.');
	expect(await hintFor('qwem')).toBe('It has qwen.');
	expect(await hintFor('openai/o3')).toBe(`It has ${names.toSorted().slice(2, 10).join(', ')}, ….`);
	expect(await hintFor('nothing-like-it')).toBe('Choose one of its 15 models: `model use`');
});

test('a build that changed on disk is reported as elsewhere, with what to do next', async () => {
	const {context, said} = testContext();
	const hostModels = () => Promise.reject(replaced('#pack/discover'));
	const choices = modelChoices({
		...context,
		program: {...context.program, models: {...context.program.models, hostModels}},
	});
	const report = await choices.catch(reportError);
	expect(report).toMatchObject({hint: 'Your session is saved. Quit, then continue it with `$ --continue`.'});
	expect(said).toEqual([]);
});

test('a model that a custom provider does not list is not found; without a list it is accepted', async () => {
	const {origin} = await httpServer((_, response) => response.end('{"data":[{"id":"llama-8b"},{"id":"qwen"}]}'));
	const {run, store, context} = testContext({env: {CUSTOM_BASE_URL: `${origin}/v1`}});
	await expect(run('model', 'use', 'custom/lama-8b')).rejects.toMatchObject({
		code: 'not-found',
		message: 'Custom has no model “lama-8b”. Did you mean “llama-8b”?',
		hint: 'It has llama-8b.',
	});
	await expect(run('model', 'use', 'custom/phi')).rejects.toMatchObject({hint: 'It lists llama-8b, qwen.'});
	expect([store.getState().model, context.program.local.config.read().settings.model]).toEqual([undefined, undefined]);
	await run('model', 'use', 'custom/qwen');
	expect(store.getState().model).toBe('custom/qwen');

	const down = testContext({env: {CUSTOM_BASE_URL: 'http://127.0.0.1:1/v1'}});
	await down.run('model', 'use', 'custom/anything');
	expect(down.store.getState().model).toBe('custom/anything');
});

test('a custom model is refused without a custom host, and nothing changes', async () => {
	const {run, store, context} = testContext();
	await expect(run('model', 'use', 'custom/nope')).rejects.toMatchObject({
		code: 'not-found',
		message: 'No custom host is configured.',
	});
	expect([store.getState().model, context.program.local.config.read().settings.model]).toEqual([undefined, undefined]);
});

test('a host lists models with a tag, or as a pattern', async () => {
	const {origin} = await httpServer((_, response) =>
		response.end('{"data":[{"id":"llama3:latest"},{"id":"openai/*"},{"id":"*-local"}]}'),
	);
	const {run, store} = testContext({env: {CUSTOM_BASE_URL: `${origin}/v1`}});
	for (const name of ['llama3', 'llama3:latest', 'openai/gpt-x', 'mine-local']) {
		await run('model', 'use', `custom/${name}`);
		expect(store.getState().model).toBe(`custom/${name}`);
	}

	await expect(run('model', 'use', 'custom/llama2')).rejects.toMatchObject({code: 'not-found'});
});

test.each(['model use', 'resume'])('%s ends at once when it is interrupted, whatever it still loads', async line => {
	const {context, asked} = testContext();
	const hangs = () => new Promise<never>(() => undefined);
	const abort = new AbortController();
	const program = {...context.program, models: {...context.program.models, catalog: hangs, hostModels: hangs}};
	const ended = dispatch(line.split(' '), {...context, program, signal: abort.signal});
	abort.abort(new Error('Esc'));
	await expect(ended).rejects.toThrow('Esc');
	expect(asked).toEqual([]);
});
