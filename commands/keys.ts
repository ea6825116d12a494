import * as z from 'zod/mini';
import {providerHelp} from '../src/command/argument-types.ts';
import {command, noun} from '../src/command/command.ts';
import type {CommandContext} from '../src/command/context.ts';
import {unchanged} from '../src/command/result.ts';
import {
	listKeys,
	missingBaseUrl,
	type NewKey,
	needsNoKey,
	newKey,
	removeKey,
	resolveKey,
	setKey,
} from '../src/config/provider-keys.ts';
import {saveSettings} from '../src/config/settings/saved-settings.ts';
import {asClause, storedWhere} from '../src/config/stored-where.ts';
import {AppError} from '../src/core/error.ts';
import {demoModel, type ProviderName, parseModelId, parseProviderName} from '../src/core/model.ts';
import {parseServerUrl} from '../src/core/origin.ts';
import type {Choice} from '../src/core/question.ts';
import {secret} from '../src/core/secrets/secret.ts';
import type {KeyCheck} from '../src/providers/check-key.ts';
import {registry} from '../src/providers/registry.ts';

/** The pages where vendors give out keys. Not in the rows of providers, which every start reads. */
const keyPages: Partial<Record<ProviderName, string>> = {
	anthropic: 'console.anthropic.com/settings/keys',
	openai: 'platform.openai.com/api-keys',
	google: 'aistudio.google.com/apikey',
	mistral: 'console.mistral.ai/api-keys',
	groq: 'console.groq.com/keys',
	openrouter: 'openrouter.ai/keys',
	deepseek: 'platform.deepseek.com/api_keys',
	xai: 'console.x.ai',
	together: 'api.together.ai/settings/api-keys',
	fireworks: 'app.fireworks.ai/settings/users/api-keys',
	cerebras: 'cloud.cerebras.ai',
};

const set = command({
	name: 'set',
	summary: 'Save the API key of a model provider',
	args: z.object({provider: z.string(), key: z.optional(z.string()), baseUrl: z.optional(z.string())}),
	positional: ['provider', 'key'],
	completes: {provider: 'provider'},
	secret: 'key',
	describe: {
		provider: providerHelp,
		key: 'omit it: you are asked for it (masked), or it is read from stdin',
		baseUrl: 'base URL to use instead of the vendor’s, up to /v1; custom needs it',
	},
	examples: ['keys set anthropic', 'keys set custom --base-url http://127.0.0.1:11434/v1', 'keys set openai < key.txt'],
	whileRunning: true,

	async run({provider, key, baseUrl}, context) {
		const {
			program: {
				local: {config},
			},
			ui: {live},
		} = context;
		if (demoModel.startsWith(`${provider.toLowerCase()}/`)) {
			throw new AppError('usage', 'The demo model needs no key: it runs on this machine.', {
				hint: `Select it: \`model use ${demoModel}\``,
			});
		}

		const chosen = parseProviderName(provider);
		const {label} = registry[chosen];
		const typed = await askForKey(chosen, key, baseUrl, context);
		const checked = typed && (await checkOrAsk(chosen, typed, context));
		if (!checked) {
			return {...unchanged, text: 'Nothing was stored.'};
		}

		const {check} = checked;
		const given: NewKey =
			check.isVerified && check.baseUrl ? {...checked.given, baseUrl: check.baseUrl} : checked.given;
		let refusal: string | undefined;
		const saved = await setKey(config, chosen, given.key, given.baseUrl, why => {
			refusal = why;
		});
		const what = given.key ? 'key' : 'base URL';
		const shown = given.key?.last4 ? ` (…${given.key.last4})` : '';
		const stored = [
			`Stored the ${what} of ${label}${shown}.`,
			storedWhere(config, [saved?.key], refusal),
			...(check.isVerified ? [] : [`It could not be verified: ${asClause(check.why)}.`.replace(/\?\.$/, '?')]),
		];
		const {variable} =
			resolveKey(chosen, {data: config.read(), env: context.program.local.env, row: registry[chosen]}) ?? {};
		const begun = await (live ? beginWith : keepOnlyModel)(chosen, check, context);
		return {
			kind: 'text',
			text: [...stored, variable && `${variable} is set and used instead; unset it to use what you stored.`, begun.text]
				.filter(Boolean)
				.join(' '),
			hint: begun.hint,
			data: {provider: chosen, stored: true, verified: check.isVerified},
		};
	},
});

/** Returns the key and the base URL, given or asked for; undefined if the user cancels. Throws as `newKey`. */
async function askForKey(
	provider: ProviderName,
	key: string | undefined,
	baseUrl: string | undefined,
	{program, ui: {interact, live}}: CommandContext,
): Promise<NewKey | undefined> {
	const row = registry[provider];
	const needsBaseUrl = row.defaultBaseUrl === undefined;
	const asksBaseUrl = needsBaseUrl && baseUrl === undefined && live !== undefined;
	const base = asksBaseUrl
		? await interact.ask({label: 'Base URL (e.g. http://localhost:11434/v1):', masked: false})
		: baseUrl;
	if (asksBaseUrl && base === undefined) {
		return undefined;
	}

	if (needsBaseUrl && !base) {
		throw missingBaseUrl(program.local.env[row.baseVariable] && row.baseVariable);
	}

	// What is no URL is refused by `newKey`.
	const optional = needsNoKey(row, base === undefined ? undefined : parseServerUrl(base).href);
	const page = keyPages[provider];
	const from = page ? `, from ${page}` : '';
	const label = `API key for ${row.label}${from} (typing is hidden${optional ? '; leave blank if it needs none' : ''}):`;
	const ask = async () => interact.ask({label, masked: true, ...(optional && {optional})});
	// A program that needs no key isn't asked for one.
	const typed = key ?? (optional && !needsBaseUrl ? '' : await ask());
	return typed === undefined ? undefined : newKey(provider, typed.trim() ? secret(typed.trim()) : undefined, base);
}

/**
 * Checks a key with its provider. Asks for one if there is none and the host answers that it needs one; undefined if the
 * user cancels. Throws AppError("auth") if the provider rejects the key.
 */
async function checkOrAsk(
	provider: ProviderName,
	given: NewKey,
	{program, signal, ui: {interact}}: CommandContext,
): Promise<{readonly given: NewKey; readonly check: KeyCheck} | undefined> {
	try {
		return {given, check: await program.models.checkKey(provider, given, signal)};
	} catch (error) {
		if (given.key || !(error instanceof AppError && error.code === 'auth')) {
			throw rejected(error, provider);
		}
	}

	const {label} = registry[provider];
	const typed = await interact.ask({label: `${label} asks for an API key (typing is hidden):`, masked: true});
	if (typed === undefined) {
		return undefined;
	}

	const withKey = newKey(provider, secret(typed.trim()), given.baseUrl);
	const check = await program.models.checkKey(provider, withKey, signal).catch(error => {
		throw rejected(error, provider);
	});
	return {given: withKey, check};
}

/** Returns the error of a rejected key. It isn't saved, so the previous key stays. */
function rejected(error: unknown, provider: ProviderName): unknown {
	return error instanceof AppError && error.code === 'auth'
		? new AppError('auth', `${error.message.replace(/[.]?$/, '.')} It was not saved.`, {
				hint: `Try again: \`keys set ${provider}\``,
				cause: error,
			})
		: error;
}

type Begun = {readonly text: string; readonly hint: string};

/**
 * Selects a model for a new key in the app: the vendor's default, or one that the user's own host lists. A key that
 * couldn't be verified leaves a model that can answer as it is.
 */
async function beginWith(provider: ProviderName, check: KeyCheck, context: CommandContext): Promise<Begun> {
	const {
		program: {store},
		ui: {interact},
	} = context;
	const present = store.getState().model;
	if (!check.isVerified && present !== undefined && hasKey(present, context)) {
		const other = registry[provider].defaultModel ?? '<name>';
		return {text: `The model is still ${present}.`, hint: `Select its model: \`model ${provider}/${other}\`.`};
	}

	const names = check.isVerified ? check.names : [];
	const [only] = names;
	const name =
		registry[provider].defaultModel ??
		(names.length > 1
			? await interact.choose({title: 'Select a model', choices: names.map(choiceOf(provider))})
			: only);
	if (name === undefined) {
		const text = check.isVerified && names.length === 0 ? 'It lists no models.' : '';
		return {text, hint: `Name a model: \`model ${provider}/<name>\`.`};
	}

	const model = `${provider}/${name}`;
	store.getState().setModel(model);
	return {text: `The model is now ${model}.`, hint: '`model` chooses another one.'};
}

/** True if the provider of a model has a key, or needs none. */
function hasKey(model: string, {program}: CommandContext): boolean {
	const {provider} = parseModelId(model);
	return (
		provider !== 'demo' &&
		resolveKey(provider, {data: program.local.config.read(), env: program.local.env, row: registry[provider]}) !==
			undefined
	);
}

function choiceOf(provider: ProviderName): (name: string) => Choice {
	return name => ({id: name, label: `${provider}/${name}`});
}

/** Saves the only model of a host for new sessions, in a shell, unless the saved model has a key. */
async function keepOnlyModel(provider: ProviderName, check: KeyCheck, context: CommandContext): Promise<Begun> {
	if (registry[provider].defaultModel !== undefined) {
		return {text: '', hint: 'Run `$` to chat with a real model.'};
	}

	const {
		program: {
			local: {config},
		},
	} = context;
	const [only, ...others] = check.isVerified ? check.names : [];
	const kept = config.read().settings.model;
	const canAnswer = kept !== undefined && parseModelId(kept).provider !== provider && hasKey(kept, context);
	if (only === undefined || others.length > 0 || canAnswer) {
		return {text: '', hint: `Select its model: \`model use ${provider}/${only ?? '<name>'}\`.`};
	}

	await saveSettings(config, {model: `${provider}/${only}`});
	return {text: `The model is now ${provider}/${only}.`, hint: 'Run `$` to chat with it.'};
}

const list = command({
	name: 'list',
	summary: 'List the API keys and where each comes from',
	args: z.object({}),
	whileRunning: true,

	run(_, {program}) {
		const keys = listKeys({config: program.local.config, env: program.local.env, rows: registry});
		return {
			kind: 'table',
			columns: [{label: 'provider'}, {label: 'key'}, {label: 'source'}, {label: 'goes to', cut: 'middle'}],
			rows: keys.map(({provider: name, last4, source, baseUrl}) => [
				name,
				last4 ? `…${last4}` : last4 === '' ? '(hidden)' : 'none',
				source,
				baseUrl ?? `nowhere: set ${registry[name].baseVariable}`,
			]),
			empty: 'No keys yet. Add one: `keys set <provider>`',
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
	summary: 'Remove the saved API key of a provider',
	args: z.object({provider: z.string()}),
	positional: ['provider'],
	completes: {provider: 'provider'},
	describe: {provider: providerHelp},
	examples: ['keys remove openai'],
	whileRunning: true,

	async run({provider: name}, {program, ui: {live}}) {
		const chosen = parseProviderName(name);
		let fault = '';
		await removeKey(program.local.config, chosen, why => {
			fault = ` The keychain still has it. ${why}`;
		});
		const {model, setModel} = program.store.getState();
		if (live && model?.startsWith(`${chosen}/`)) {
			setModel(program.models.initial());
		}

		return {
			kind: 'text',
			text: `Removed the API key of ${registry[chosen].label}.${fault}`,
			data: {provider: chosen, removed: true},
		};
	},
});

export default noun({name: 'keys', summary: 'API keys of model providers', verbs: [set, list, remove]});
