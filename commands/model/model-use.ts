import * as z from 'zod/mini';
import {closest} from '../../src/command/closest.ts';
import {command} from '../../src/command/command.ts';
import type {CommandContext} from '../../src/command/context.ts';
import {modelChoices} from '../../src/command/picker/model-choices.ts';
import {noCustomHost, resolveKey} from '../../src/config/provider-keys.ts';
import {saveSettings} from '../../src/config/settings/saved-settings.ts';
import {AppError} from '../../src/core/error.ts';
import {formatAmount} from '../../src/core/format.ts';
import {currentName, type ModelProvider, type ProviderName, parseModelId} from '../../src/core/model.ts';
import {registry} from '../../src/providers/registry.ts';

export default command({
	name: 'use',
	summary: 'Select the model for this and new sessions',
	args: z.object({model: z.optional(z.string())}),
	positional: ['model'],
	completes: {model: 'model'},
	describe: {model: 'provider/model-name; omit it to select one'},
	examples: ['model use anthropic/claude-sonnet-4-5'],
	whileRunning: true,

	async run({model}, context) {
		const {
			ui: {interact, live},
			program: {
				store,
				local: {config, env},
			},
		} = context;
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
const listTimeoutMs = 5000;

/** Throws AppError("not-found") for a model that the user's own host doesn't list. An empty or missing list is ignored. */
async function assertListed(
	provider: ProviderName,
	name: string,
	{program: {models}, signal}: CommandContext,
): Promise<void> {
	const within = AbortSignal.any([signal, AbortSignal.timeout(listTimeoutMs)]);
	const ids = await models.hostModels(within).catch((): readonly string[] => []);
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
