import * as z from 'zod/mini';
import {command, noun} from '../src/command/command.ts';
import type {Models} from '../src/command/context.ts';
import {listKeys, missingAddress, removeKey, setKey} from '../src/config/provider-keys.ts';
import {storedWhere} from '../src/config/stored-where.ts';
import {reportError} from '../src/core/error.ts';
import {type ProviderName, parseProviderName, providerNames} from '../src/core/model.ts';
import {isLoopback, parseServerUrl} from '../src/core/origin.ts';
import {secret} from '../src/core/secret.ts';
import {registry} from '../src/providers/registry.ts';

const providerHelp = `one of ${providerNames.join(', ')}`;

const set = command({
	name: 'set',
	summary: 'Store the key of a model provider',
	args: z.object({provider: z.string(), key: z.optional(z.string()), baseUrl: z.optional(z.string())}),
	positional: ['provider', 'key'],
	completes: {provider: 'provider'},
	secret: 'key',
	describe: {
		provider: providerHelp,
		key: 'better left out: it is asked for masked, or read from standard input',
		baseUrl: 'where the key may go instead of the vendor; custom needs it, up to /v1',
	},
	examples: ['keys set anthropic', 'keys set custom --base-url http://127.0.0.1:11434/v1', 'keys set openai < key.txt'],
	whileRunning: true,

	async run({provider, key, baseUrl}, {config, interact, models, store, signal, live}) {
		const chosen = parseProviderName(provider);
		const {label} = registry[chosen];
		const asksAddress = chosen === 'custom' && baseUrl === undefined && live !== undefined;
		const base = asksAddress ? await interact.ask({label: 'Address, up to /v1:', masked: false}) : baseUrl;
		if (asksAddress && base === undefined) {
			return {kind: 'text', text: 'Nothing was stored.'};
		}

		if (chosen === 'custom' && !base) {
			throw missingAddress();
		}

		const optional = chosen === 'custom' && base !== undefined && isLoopback(parseServerUrl(base));
		const question = `Key of ${label}${optional ? ' (empty for none)' : ''}:`;
		const typed = key ?? (await interact.ask({label: question, masked: true, ...(optional && {optional})}));
		if (typed === undefined) {
			return {kind: 'text', text: 'Nothing was stored.'};
		}

		const wrapped = typed.trim() ? secret(typed.trim()) : undefined;
		let refusal: string | undefined;
		const saved = await setKey(config, chosen, wrapped, base, why => {
			refusal = why;
		});
		const done = `Stored the ${wrapped ? 'key' : 'address'} of ${label}${wrapped?.last4 ? ` (…${wrapped.last4})` : ''}.`;
		const stored = [done, storedWhere(config, [saved?.key], refusal)].filter(Boolean).join(' ');
		if (!live) {
			const hint =
				chosen === 'custom'
					? 'Choose its model: model use custom/<name>.'
					: 'Run service: it answers with a real model now.';
			return {kind: 'text', text: stored, hint, data: {provider: chosen, stored: true}};
		}

		const {name, fault} = await firstModel(chosen, models, signal);
		const model = name && `${chosen}/${name}`;
		store.getState().setModel(model);
		return model
			? {kind: 'text', text: `${stored} The model is now ${model}.`, hint: '`model` chooses another one.'}
			: {kind: 'text', text: `${stored} ${fault}`, hint: 'Name one: `model custom/<name>`.'};
	},
});

/** The model to begin with, or why there is none: only a custom host has to be asked for its models. */
async function firstModel(
	provider: ProviderName,
	models: Models,
	signal: AbortSignal,
): Promise<{readonly name: string | undefined; readonly fault: string}> {
	try {
		const name = registry[provider].defaultModel ?? (await models.customModels(signal))[0];
		return {name, fault: 'It lists no models.'};
	} catch (error) {
		signal.throwIfAborted();
		return {name: undefined, fault: reportError(error).message};
	}
}

const list = command({
	name: 'list',
	summary: 'List the keys and where they come from',
	args: z.object({}),
	whileRunning: true,

	run(_, {config, env}) {
		const keys = listKeys({config, env, rows: registry});
		return {
			kind: 'table',
			columns: [{label: 'provider'}, {label: 'key'}, {label: 'source'}, {label: 'goes to'}],
			rows: keys.map(({provider: name, last4, source, baseUrl}) => [
				name,
				last4 ? `…${last4}` : last4 === '' ? '(hidden)' : 'none',
				source,
				baseUrl ?? `nowhere: set ${registry[name].baseVariable}`,
			]),
			empty: 'No keys yet. `keys set <provider>` stores one.',
			data: keys.map(({provider: name, last4, source, baseUrl}) => ({
				provider: name,
				last4: last4 ?? null,
				source,
				base_url: baseUrl ?? null,
			})),
		};
	},
});

const remove = command({
	name: 'remove',
	aliases: ['delete', 'rm'],
	summary: 'Forget the stored key of a provider',
	args: z.object({provider: z.string()}),
	positional: ['provider'],
	completes: {provider: 'provider'},
	describe: {provider: providerHelp},
	examples: ['keys remove openai'],
	whileRunning: true,

	async run({provider: name}, {config, store, live, models}) {
		const chosen = parseProviderName(name);
		let fault = '';
		await removeKey(config, chosen, why => {
			fault = ` The keychain still has it. ${why}`;
		});
		const {model, setModel} = store.getState();
		if (live && model?.startsWith(`${chosen}/`)) {
			setModel(models.initial());
		}

		return {
			kind: 'text',
			text: `Forgot the key of ${registry[chosen].label}.${fault}`,
			data: {provider: chosen, removed: true},
		};
	},
});

export default noun({name: 'keys', summary: 'Keys of model providers', verbs: [set, list, remove]});
