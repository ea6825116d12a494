import * as z from 'zod/mini';
import {command} from '../../src/command/command.ts';
import {alignPoints} from '../../src/command/render/align-points.ts';
import {formatCount} from '../../src/core/format.ts';
import {type ModelInfo, parseModelId} from '../../src/core/model.ts';

export default command({
	name: 'list',
	summary: 'List known models with their context and prices',
	args: z.object({filter: z.optional(z.string())}),
	positional: ['filter'],
	describe: {filter: 'the beginning of the id, such as openai/, or a part of it'},
	examples: ['model list openai/', 'model list --json'],
	whileRunning: true,

	async run({filter = ''}, {program: {models}, signal}) {
		const {models: known, priceOf, date, source} = await models.catalog();
		const within = AbortSignal.any([signal, AbortSignal.timeout(listTimeoutMs)]);
		const ofHosts = await models.foundModels(within).catch(() => []);
		signal.throwIfAborted();
		const own = ofHosts.map((id): ModelInfo => ({id, name: parseModelId(id).name, contextWindow: undefined}));
		const found = matching([...known, ...own], filter.toLowerCase());
		const prices = found.map(({id}) => priceOf(id));
		const column = (kind: 'input' | 'cacheRead' | 'cacheWrite' | 'output') =>
			alignPoints(prices.map(price => dollars(price?.[kind])));
		const [input, cacheRead, cacheWrite, output] = [
			column('input'),
			column('cacheRead'),
			column('cacheWrite'),
			column('output'),
		];
		const right = 'right';
		return {
			kind: 'table',
			columns: [
				{label: 'model', whole: true},
				{label: 'context', align: right, spare: true},
				{label: 'input', align: right},
				{label: 'cache read', align: right, spare: true},
				{label: 'cache write', align: right, spare: true},
				{label: 'output', align: right},
			],
			rows: found.map(({id, contextWindow}, index) => [
				id,
				contextWindow ? formatCount(contextWindow) : 'unknown',
				...[input, cacheRead, cacheWrite, output].map(cells => cells[index] ?? ''),
			]),
			empty: `No known model has “${filter}” in its name. You can still use it if its provider has it; its cost is unknown.`,
			opens: {words: ['model', 'use'], ids: found.map(({id}) => id)},
			notes: [`US dollars per million tokens. Prices as of ${date}, ${source}.`],
			data: found.map(({id, name, contextWindow}, index) => {
				const price = prices[index];
				return {
					id,
					name,
					context_window: contextWindow ?? null,
					prices: price
						? {input: price.input, cache_read: price.cacheRead, cache_write: price.cacheWrite, output: price.output}
						: null,
				};
			}),
		};
	},
});

/** The longest wait for the lists of the user's own hosts. */
const listTimeoutMs = 3000;

/** Returns a price with at least two decimals. */
function dollars(value: number | undefined): string {
	return value === undefined ? 'unknown' : value.toFixed(4).replace(/0{1,2}$/, '');
}

/** Returns the models whose ids begin with the filter; if none does, those that contain it. */
function matching(known: readonly ModelInfo[], filter: string): readonly ModelInfo[] {
	const begun = known.filter(({id}) => id.startsWith(filter));
	return begun.length > 0 ? begun : known.filter(({id}) => id.includes(filter));
}
