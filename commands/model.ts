import * as z from 'zod/mini';
import {closest} from '../src/command/closest.ts';
import {command, noun} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {modelChoices} from '../src/command/picker/model-choices.ts';
import {changeEnabledModels} from '../src/command/views/enabled-models.ts';
import {resolveKey} from '../src/config/provider-keys.ts';
import {saveSettings} from '../src/config/settings.ts';
import {AppError} from '../src/core/error.ts';
import {formatCount} from '../src/core/format.ts';
import {demoModel, type ModelInfo, type ProviderName, parseModelId} from '../src/core/model.ts';
import {registry} from '../src/providers/registry.ts';

const list = command({
	name: 'list',
	summary: 'List known models with their context and prices',
	args: z.object({filter: z.optional(z.string())}),
	positional: ['filter'],
	describe: {filter: 'the beginning of the id, such as openai/, or a part of it'},
	examples: ['model list openai/', 'model list --json'],
	whileRunning: true,

	async run({filter = ''}, {models}) {
		const {models: known, priceOf, date, source} = await models.catalog();
		const found = matching(known, filter.toLowerCase());
		const dollars = (value: number | undefined) => (value === undefined ? 'unknown' : String(Number(value.toFixed(4))));
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
			rows: found.map(({id, contextWindow}) => {
				const price = priceOf(id);
				return [
					id,
					contextWindow ? formatCount(contextWindow) : 'unknown',
					dollars(price?.input),
					dollars(price?.cacheRead),
					dollars(price?.cacheWrite),
					dollars(price?.output),
				];
			}),
			empty: `No known model has “${filter}” in its name. You can still use it if its provider has it; its cost is unknown.`,
			opens: {words: ['model', 'use'], ids: found.map(({id}) => id)},
			notes: [`US dollars per million tokens. Prices as of ${date}, ${source}.`],
			data: found.map(({id, name, contextWindow}) => {
				const price = priceOf(id);
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

/** Returns the models whose ids begin with the filter; where none does, those that contain it. */
function matching(known: readonly ModelInfo[], filter: string): readonly ModelInfo[] {
	const begun = known.filter(({id}) => id.startsWith(filter));
	return begun.length > 0 ? begun : known.filter(({id}) => id.includes(filter));
}

const use = command({
	name: 'use',
	summary: 'Select the model for this and new sessions',
	args: z.object({model: z.optional(z.string())}),
	positional: ['model'],
	completes: {model: 'model'},
	describe: {model: 'provider/model-name; omit it to select one'},
	examples: ['model use anthropic/claude-sonnet-4-5'],
	whileRunning: true,

	async run({model}, context) {
		const {interact, store, config, env, live} = context;
		const id =
			model ??
			(await interact.choose({
				title: 'Select a model',
				choices: await modelChoices(context),
				...(store.getState().model && {current: store.getState().model}),
			}));
		if (!id) {
			return {kind: 'text', text: 'Nothing changed.'};
		}

		const {provider, name} = parseModelId(id);
		const chosen = `${provider}/${name}`;
		const keyOf = (name: ProviderName) => resolveKey(name, {data: config.read(), env, row: registry[name]});
		const key = keyOf(provider);
		// A host of the user's own may have a model of that name too.
		const isDemo = chosen === demoModel && !key;
		if (registry[provider].defaultModel === undefined && key && model !== undefined) {
			await assertListed(provider, name, context);
		}

		// A look at the demo changes nothing for new sessions, unless what is kept for them cannot answer.
		const kept = config.read().settings.model;
		const stays = isDemo && live && (kept === undefined || keyOf(parseModelId(kept).provider));
		if (!stays) {
			await saveSettings(config, {model: isDemo ? undefined : chosen});
		}

		store.getState().setModel(chosen);
		const hint = key || isDemo ? undefined : `It needs a key: \`keys set ${provider}\``;
		return {kind: 'text', text: `The model is now ${chosen}.`, ...(hint && {hint}), data: {model: chosen}};
	},
});

/** The longest wait for the list of a host, in milliseconds: a model that cannot be looked up is accepted as it is. */
const listTimeoutMs = 5000;

/** Throws `not-found` for a model that the user's own host does not list. A list that is empty or not there says nothing. */
async function assertListed(provider: ProviderName, name: string, {models, signal}: CommandContext): Promise<void> {
	const within = AbortSignal.any([signal, AbortSignal.timeout(listTimeoutMs)]);
	const ids = await models.hostModels(within).catch((): readonly string[] => []);
	const names = ids.filter(id => id.startsWith(`${provider}/`)).map(id => parseModelId(id).name);
	signal.throwIfAborted();
	if (names.length === 0 || names.includes(name)) {
		return;
	}

	const near = closest(name, names);
	throw new AppError(
		'not-found',
		`${registry[provider].label} has no model “${name}”.${near ? ` Did you mean “${near}”?` : ''}`,
		{
			hint: `It lists ${names.slice(0, mostNamed).join(', ')}${names.length > mostNamed ? ', …' : ''}.`,
		},
	);
}

const mostNamed = 8;
const modelIds = 'provider/model-name, one or more';

const enable = command({
	name: 'enable',
	summary: 'Enable models in your preferences on the server',
	args: z.object({model: z.array(z.string())}),
	positional: ['model'],
	completes: {model: 'model'},
	rest: true,
	describe: {model: modelIds},
	examples: ['model enable anthropic/claude-sonnet-4-5 openai/gpt-5'],
	whileRunning: true,

	run: ({model}, context) => changeEnabledModels(model, true, context),
});

const disable = command({
	name: 'disable',
	summary: 'Disable models in your preferences on the server',
	args: z.object({model: z.array(z.string())}),
	positional: ['model'],
	completes: {model: 'model'},
	rest: true,
	describe: {model: modelIds},
	examples: ['model disable openai/gpt-5'],
	whileRunning: true,

	run: ({model}, context) => changeEnabledModels(model, false, context),
});

export default noun({
	name: 'model',
	summary: 'Select or list models',
	verbs: [list, use, enable, disable],
	fallback: 'use',
});
