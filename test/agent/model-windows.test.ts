import {expect, test} from 'vitest';
import {guessWindow} from '../../src/agent/context/guess-window.ts';
import {createModelWindows} from '../../src/agent/context/model-windows.ts';
import {loadCatalog} from '../../src/core/catalog.ts';
import type {Transport} from '../../src/net/transport.ts';
import {createCountingModel} from '../session/counting-model.ts';
import {scripted} from '../store/scripted-conversation.ts';

/** Creates a host that lists the window of its model, or nothing. */
function windowsAt(tokens: number | undefined, inTable?: number) {
	const paths: string[] = [];
	const transport: Transport = async ({url}) => {
		paths.push(new URL(url).pathname);
		return {
			status: tokens === undefined ? 500 : 200,
			headers: {},
			body: (async function* () {
				yield Buffer.from(JSON.stringify({data: [{id: 'demo', max_model_len: tokens}]}));
			})(),
		};
	};
	const windows = createModelWindows({
		inTable: async () => (inTable === undefined ? undefined : {contextWindow: inTable || undefined}),
		locate: () => ({provider: 'groq', baseUrl: 'https://host.test/v1', model: 'demo', open: async () => transport}),
	});
	return {windows, paths};
}

const signal = new AbortController().signal;

test('a window that no table has is that of the host, and a refusal wins over both', async () => {
	const {windows, paths} = windowsAt(8192);
	expect(await windows.sizeOf('custom/demo')).toBeUndefined();
	expect(await windows.find('custom/demo', signal)).toBe(8192);
	expect(await windows.sizeOf('custom/demo')).toBe(8192);
	windows.learn('custom/demo', 6000);
	await expect.poll(() => windows.sizeOf('custom/demo')).toBe(6000);
	expect(paths).toEqual(['/v1/models']);
	expect(await windowsAt(8192, 100_000).windows.sizeOf('custom/demo')).toBe(100_000);
});

test('a model of the price table without a window has that of its family once its host was asked in vain', async () => {
	const {windows} = windowsAt(undefined, 0);
	expect(await windows.sizeOf('groq/llama-3.3-70b-versatile')).toBeUndefined();
	await windows.find('groq/llama-3.3-70b-versatile', signal);
	expect(await windows.sizeOf('groq/llama-3.3-70b-versatile')).toBe(131_072);
	const {models, infoOf} = await loadCatalog();
	for (const {id} of models) {
		expect(infoOf(id)?.contextWindow ?? guessWindow(id), id).toBeGreaterThanOrEqual(8192);
	}

	expect(['google/gemini-2.5-pro', 'anthropic/claude-sonnet-4', 'custom/anything'].map(guessWindow)).toEqual([
		1_048_576, 200_000, 32_768,
	]);
});

test('a host is asked from the second request on, nobody waits for it, and its window is kept from then on', async () => {
	const {windows, paths} = windowsAt(3000);
	const model = createCountingModel();
	const {conversation, transcript} = scripted([], {openModel: async () => model.ask, windows});
	await conversation.send('One.');
	expect(paths).toEqual([]);
	await conversation.send('Two.');
	expect(paths).toEqual(['/v1/models']);
	for (let turn = 0; turn < 30; turn++) {
		await conversation.send(`Question ${turn}: ${'why? '.repeat(100)}`);
	}

	expect(paths).toEqual(['/v1/models']);
	expect(transcript().compactions).toBeGreaterThan(0);
});

test('a host that fails costs nothing but three questions', async () => {
	const {windows, paths} = windowsAt(undefined);
	const model = createCountingModel();
	const {conversation, transcript} = scripted([], {openModel: async () => model.ask, windows});
	for (let turn = 0; turn < 8; turn++) {
		await conversation.send('Why?');
	}

	expect([paths.length, transcript().compactions]).toEqual([3, 0]);
});

test('[6] a host that the user did not agree to is not asked for a window', async () => {
	const {windows, paths} = windowsAt(3000);
	const model = createCountingModel();
	const {conversation} = scripted([], {
		openModel: async () => model.ask,
		windows,
		createBindings: () => ({
			select: () => undefined,
			covers: async () => false,
			startRun: () => async () => ({provider: 'custom', host: undefined}),
			fork: () => expect.fail('not needed'),
		}),
	});
	await conversation.send('One.');
	await conversation.send('Two.');
	expect([model.requests.length, paths]).toEqual([2, []]);
});
