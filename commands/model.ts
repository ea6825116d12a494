import * as z from 'zod/mini';
import {closest} from '../src/command/closest.ts';
import {command, noun} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {unchanged} from '../src/command/result.ts';
import {noCustomHost, resolveKey} from '../src/config/provider-keys.ts';
import {saveSettings} from '../src/config/settings/saved-settings.ts';
import {abortable} from '../src/core/abortable.ts';
import {AppError, reportError} from '../src/core/error.ts';
import {formatAmount, formatCount} from '../src/core/format.ts';
import {
	currentName,
	demoModel,
	type ModelInfo,
	type ModelProvider,
	type ProviderName,
	parseModelId,
} from '../src/core/model.ts';
import type {Choice} from '../src/core/question.ts';
import type {Price} from '../src/core/session/usage.ts';
import {registry} from '../src/providers/registry.ts';

const number = /^-?\$?[\d,]+(?:\.\d+)?$/;

/** Returns the cells of a column with spaces behind the numbers, so that their decimal points stand below each other. */
export function alignPoints(cells: readonly string[]): readonly string[] {
	const decimals = cells.map(cell => (number.test(cell) && cell.includes('.') ? cell.length - cell.indexOf('.') : 0));
	const most = Math.max(0, ...decimals);
	return cells.map((cell, index) => (number.test(cell) ? cell + ' '.repeat(most - (decimals[index] ?? 0)) : cell));
}

const list = command({
	name: 'list',
	summary: 'List known models with their context and prices',
	args: z.object({filter: z.optional(z.string())}),
	positional: ['filter'],
	describe: {filter: 'the beginning of the id, such as openai/, or a part of it'},
	examples: ['model list openai/', 'model list --json'],
	whileRunning: true,

	async run({filter = ''}, {program, signal}) {
		const {models: known, priceOf, date, source} = await program.models.catalog();
		const within = AbortSignal.any([signal, AbortSignal.timeout(listTimeoutMs)]);
		const ofHosts = await program.models.foundModels(within).catch(() => []);
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

const use = command({
	name: 'use',
	summary: 'Select the model for this and new sessions',
	args: z.object({model: z.optional(z.string())}),
	positional: ['model'],
	completes: {model: 'model'},
	describe: {model: 'provider/model-name; omit it to select one, or with --json to read which is selected'},
	examples: ['model use anthropic/claude-sonnet-4-5', 'model --json'],
	whileRunning: true,

	async run({model}, context) {
		const {
			ui: {interact, live},
			program: {
				store,
				local: {config, env},
			},
			flags: {json},
			signal,
		} = context;
		if (store.getState().agent) {
			const {setInAgent} = await import('../src/command/views/agent-options.ts');
			const inAgent = await setInAgent('model', model, context);
			if (inAgent) {
				return inAgent;
			}
		}

		// A program can't choose: it is told what is selected.
		if (model === undefined && json) {
			const {selectedModel} = await import('../src/command/views/selected-model.ts');
			return selectedModel(context);
		}

		const id =
			model ??
			(await interact.choose({
				title: 'Select a model',
				// It only reads, so that nothing of it must be waited for.
				choices: await abortable(modelChoices(context), signal),
				...(store.getState().model && {current: store.getState().model}),
			}));
		if (!id) {
			return unchanged;
		}

		const keyOf = (name: ModelProvider) =>
			name === 'demo' ? undefined : resolveKey(name, {data: config.read(), env, row: registry[name]});
		const {provider, name} = parseModelId(currentName(id, () => keyOf('custom') !== undefined));
		const chosen = `${provider}/${name}`;
		const key = keyOf(provider);
		if (provider !== 'demo' && registry[provider].defaultBaseUrl === undefined && !key) {
			throw noCustomHost();
		}

		if (provider !== 'demo' && registry[provider].defaultModel === undefined && key && model !== undefined) {
			await assertListed(provider, name, context);
		}

		// Trying the demo doesn't change the saved model, unless that one has no key.
		const isDemo = provider === 'demo';
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

/** The longest wait for the list of a host. A model that can't be looked up is accepted. */
const askTimeoutMs = 5000;

/** Throws AppError("not-found") for a model that the user's own host doesn't list. An empty or missing list is ignored. */
async function assertListed(provider: ProviderName, name: string, {program, signal}: CommandContext): Promise<void> {
	const within = AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)]);
	const ids = await program.models.hostModels(within).catch((): readonly string[] => []);
	const names = ids.filter(id => id.startsWith(`${provider}/`)).map(id => parseModelId(id).name);
	signal.throwIfAborted();
	if (names.length === 0 || names.some(listed => isListedAs(listed, name))) {
		return;
	}

	const near = closest(name, names);
	throw new AppError(
		'not-found',
		`${registry[provider].label} has no model “${name}”.${near ? ` Did you mean “${near}”?` : ''}`,
		{hint: otherModels(name, names)},
	);
}

/** Returns a sentence with the models that resemble a name, or all of a few; otherwise with the command that lists them. */
function otherModels(name: string, names: readonly string[]): string {
	const vendor = name.slice(0, name.indexOf('/') + 1);
	const resemble = names.filter(
		each => closest(name, [each]) || each.includes(name) || (vendor && each.startsWith(vendor)),
	);
	const shown = resemble.length > 0 ? resemble : names.length <= mostNamed ? names : [];
	const more = shown.length > mostNamed ? ', …' : '';
	return shown.length > 0
		? `${shown === names ? 'It lists' : 'It has'} ${shown.slice(0, mostNamed).join(', ')}${more}.`
		: `Choose one of its ${formatAmount(names.length, 'model')}: \`model use\``;
}

/** True if a host that lists `listed` has the model: Ollama adds a tag, and gateways list patterns such as `openai/*`. */
function isListedAs(listed: string, name: string): boolean {
	const [before = '', ...parts] = listed.split('*');
	return parts.length > 0
		? name.startsWith(before) && name.endsWith(parts.at(-1) ?? '')
		: listed === name || listed === `${name}:latest`;
}

const mostNamed = 8;

const enable = command({
	name: 'enable',
	summary: 'Enable models in your preferences on the server',
	args: z.object({model: z.array(z.string())}),
	positional: ['model'],
	completes: {model: 'model'},
	rest: true,
	describe: {model: 'provider/model-name, one or more'},
	examples: ['model enable anthropic/claude-sonnet-4-5 openai/gpt-5'],
	whileRunning: true,

	async run({model}, context) {
		const {changeEnabledModels} = await import('../src/command/views/enabled-models.ts');
		return await changeEnabledModels(model, true, context);
	},
});

const disable = command({
	name: 'disable',
	summary: 'Disable models in your preferences on the server',
	args: z.object({model: z.array(z.string())}),
	positional: ['model'],
	completes: {model: 'model'},
	rest: true,
	describe: {model: 'provider/model-name, one or more'},
	examples: ['model disable openai/gpt-5'],
	whileRunning: true,

	async run({model}, context) {
		const {changeEnabledModels} = await import('../src/command/views/enabled-models.ts');
		return await changeEnabledModels(model, false, context);
	},
});

export default noun({
	name: 'model',
	summary: 'Select or list models',
	verbs: [list, use, enable, disable],
	fallback: 'use',
});

/** What the details of a model are, and what it needs. */
export const modelGroups = {
	ready: 'Ready · context, $ per million tokens in and out',
	needsKey: 'These need an API key',
} as const;

/** Returns the size of the context window and the prices, in columns. */
function factsOf(contextWindow: number | undefined, price: Price | undefined): string {
	const size = contextWindow ? formatCount(contextWindow) : '';
	// Two decimals, or three: the points stand below each other.
	const dollars = (value: number) => `$${value.toFixed(3).replace(/0$/, ' ')}`.padStart(8);
	const prices = price ? ` ${dollars(price.input)} ${dollars(price.output)}` : '';
	return `${size.padStart(5)}${prices}`.trimEnd();
}

/** Returns the choices of `/model`: models that can be used now come first, those that need an API key after them. */
export async function modelChoices({program, signal, ui: {interact}}: CommandContext): Promise<readonly Choice[]> {
	const {models: known, priceOf} = await program.models.catalog();
	const data = program.local.config.read();
	const usable = (id: string) => {
		const {provider} = parseModelId(id);
		return (
			provider === 'demo' || resolveKey(provider, {data, env: program.local.env, row: registry[provider]}) !== undefined
		);
	};

	const choices = known.map(({id, contextWindow}) => {
		const isReady = usable(id);
		const detail = factsOf(contextWindow, priceOf(id));
		return {isReady, choice: {id, label: id, detail, group: isReady ? modelGroups.ready : modelGroups.needsKey}};
	});
	const configured = await program.models.hostModels(signal).catch(error => {
		signal.throwIfAborted();
		const report = reportError(error);
		// Nothing of a build that was replaced can go on.
		if (report.code === 'failed') {
			throw error;
		}

		interact.say(report.message);
		return [];
	});
	// A local program at its usual address needs no configuration.
	const ids = configured.length > 0 ? configured : await program.models.foundModels(signal).catch(() => []);
	const ofHosts = ids.map(id => ({id, label: id, group: modelGroups.ready}));
	const demo = {id: demoModel, label: demoModel, detail: 'demo model, no AI', group: modelGroups.ready};
	const [ready, others] = [true, false].map(state =>
		choices.filter(({isReady}) => isReady === state).map(({choice}) => choice),
	);
	return [...(ready ?? []), ...(ofHosts.length > 0 ? ofHosts : [demo]), ...(others ?? [])];
}
