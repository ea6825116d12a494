import {execFile} from 'node:child_process';
import {readFile} from 'node:fs/promises';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {loadCatalog} from '../../src/core/catalog.ts';
import {parseModelId} from '../../src/core/model.ts';
import {registry} from '../../src/providers/registry.ts';

const root = new URL('../../', import.meta.url);
const catalog = await loadCatalog();

test('the data is the output of the script for the package', async () => {
	const script = fileURLToPath(new URL('.scripts/prices.mjs', root));
	const {stdout} = await promisify(execFile)(process.execPath, [script, '--print']);
	expect(await readFile(new URL('src/core/prices.json', root), 'utf8')).toBe(stdout);
});

test('a price has four buckets in dollars per million tokens', () => {
	expect(catalog.priceOf('anthropic/claude-sonnet-4-5')).toEqual({
		input: 3,
		cacheRead: 0.3,
		cacheWrite: 3.75,
		output: 15,
		tiers: [{above: 200_000, input: 6, cacheRead: 0.6, cacheWrite: 7.5, output: 22.5}],
	});
	expect(catalog.priceOf('google/gemini-2.5-flash')).toEqual({
		input: 0.3,
		cacheRead: 0.03,
		cacheWrite: 0.3,
		output: 2.5,
	});
});

test('cached tokens without their own price cost as much as others', () => {
	expect(catalog.priceOf('groq/llama-3.3-70b-versatile')).toEqual({
		input: 0.59,
		cacheRead: 0.59,
		cacheWrite: 0.59,
		output: 0.79,
	});
});

test('a dated snapshot costs what its model does', () => {
	const sonnet = catalog.priceOf('anthropic/claude-sonnet-4-5');
	expect(catalog.priceOf('anthropic/claude-sonnet-4-5-20250929')).toEqual(sonnet);
	expect(catalog.priceOf('anthropic/claude-sonnet-4-5@20250929')).toEqual(sonnet);
	expect(catalog.priceOf('openai/gpt-4.1-2031-01-01')).toEqual(catalog.priceOf('openai/gpt-4.1'));
	expect(catalog.priceOf('openai/GPT-4o-2024-08-06')).toEqual(catalog.priceOf('openai/gpt-4o'));
});

test('a snapshot with its own price keeps it', () => {
	expect(catalog.priceOf('openai/gpt-4o-2024-05-13')).toEqual({input: 5, cacheRead: 5, cacheWrite: 5, output: 15});
});

test.each([
	'anthropic/claude-unheard-of',
	'openai/gpt-4o-mini-tts',
	'google/gemini-2.5-pro-preview-tts',
	'google/gemma-4-31b-it',
	'google/claude-opus-4-5',
	'custom/gpt-4o',
	'custom/demo',
	'mistral/mistral-large-2702',
	'claude-sonnet-4-5',
	'anthropic/',
	'constructor/toString',
	'',
])('%j has no known price, which is not 0', id => {
	expect([catalog.priceOf(id), catalog.infoOf(id)]).toEqual([undefined, undefined]);
});

test('every listed model has a price above 0, and its own facts', () => {
	const priced = Object.values(registry).flatMap(({name, prices}) => (prices ? [name] : []));
	expect(new Set(catalog.models.map(({id}) => parseModelId(id).provider))).toEqual(new Set(priced));
	for (const model of catalog.models) {
		const {tiers = [], ...price} = catalog.priceOf(model.id) ?? {zero: 0};
		for (const each of [price, ...tiers]) {
			expect(Math.min(...Object.values(each))).toBeGreaterThan(0);
		}
		expect(catalog.infoOf(model.id)).toEqual(model);
	}
});

test('the facts about a model are its name and its context window', () => {
	expect(catalog.infoOf('anthropic/claude-haiku-4-5-20251001')).toEqual({
		id: 'anthropic/claude-haiku-4-5-20251001',
		name: 'Claude Haiku 4.5',
		contextWindow: 200_000,
	});
});

test('the facts have a date and a source', () => {
	expect(catalog.date).toMatch(/^20\d\d-\d\d-\d\d$/);
	expect(catalog.source).toMatch(/^@pydantic\/genai-prices \d/);
});

test('the default model of each vendor is in the list', () => {
	const first = Object.values(registry).flatMap(({name, defaultModel}) =>
		defaultModel ? [`${name}/${defaultModel}`] : [],
	);
	expect(catalog.models.map(({id}) => id)).toEqual(expect.arrayContaining(first));
});
