import {expect, test} from 'vitest';
import {renderResult} from '../../../src/command/render/render.ts';
import {usageResult} from '../../../src/command/views/usage-view.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {called, folded, said, transcriptOf, used, user} from '../../core/records.ts';

const priceOf = (model: string) =>
	model === 'custom/demo' ? {input: 1, cacheRead: 1, cacheWrite: 1, output: 10} : undefined;
const palette = createPalette({color: false});
const draw = (...events: readonly AgentEvent[]) =>
	renderResult(usageResult(transcriptOf(...events), priceOf, '2026-01-01'), {width: 80, palette});

test('an unused session has zeros and no cost', () => {
	expect(draw()).toEqual([
		'Usage of this session',
		'                current     total',
		'messages              0         0',
		'tool calls            0         0',
		'input tokens          0         0',
		'cache read            0         0',
		'cache write           0         0',
		'output tokens         0         0',
		'cost           none yet  none yet',
		'Compactions: 0 · no requests yet',
		'',
		'By model',
		'Nothing used yet. Send a message first.',
	]);
});

test('usage shows every field, the current era beside the total, and the cost by model', () => {
	expect(
		draw(
			user('a'),
			said('b'),
			called('c1'),
			used('m1', 1_234_567, 1000),
			folded(),
			user('c'),
			used('m2', 2000, 30, 'custom/else'),
		),
	).toEqual([
		'Usage of this session',
		'               current      total',
		'messages             2          4',
		'tool calls           0          1',
		'input tokens     2,000  1,236,567',
		'cache read           0          0',
		'cache write          0          0',
		'output tokens       30      1,030',
		'cost           unknown    unknown',
		'Compactions: 1 · last request: 2,000 input tokens',
		'',
		'By model',
		'model            input  cache read  cache write  output     cost',
		'custom/demo  1,234,567           0            0   1,000    $1.24',
		'custom/else      2,000           0            0      30  unknown',
		'Prices as of 2026-01-01. “unknown” = no price on record (not free).',
		'Set US dollars per million tokens, in and out:',
		'/config set prices.custom/else 3,15',
	]);
});

test('the data is the usage of the API, plus the models', () => {
	const result = usageResult(transcriptOf(used('m1', 1000, 10)), priceOf, '2026-01-01');
	expect(result.kind === 'group' && result.data).toEqual({
		usage: expect.objectContaining({total_input_tokens: 1000, total_cost_usd: 0.0011, compaction_count: 0}),
		models: [
			{
				model: 'custom/demo',
				input_tokens: 1000,
				cache_read_input_tokens: 0,
				cache_creation_input_tokens: 0,
				output_tokens: 10,
				reasoning_tokens: 0,
				cost_usd: 0.0011,
			},
		],
	});
});
