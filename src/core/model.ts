import {AppError} from './error.ts';
import {type ProviderName, providerRows} from './provider-rows.ts';

export type {ProviderName};

export const providerNames = Object.keys(providerRows) as readonly ProviderName[];

/** The environment variables that may hold a provider's key; the first one that is set counts. */
export const keyVariables = Object.fromEntries(
	providerNames.map(name => [name, providerRows[name].keyVariables]),
) as Readonly<Record<ProviderName, readonly string[]>>;

/**
 * The provider of the demo model: the embedded server of this program, on loopback. It has no row, so that no key, variable or
 * setting can send what is meant for it anywhere else.
 */
const demoProvider = 'demo';

/** The model of the embedded server: a script without AI, so that the first minute needs no key. */
export const demoModel = `${demoProvider}/demo`;

/** The demo model as a server lists it, for which it is a host of the user's own, and as older settings and journals name it. */
export const servedDemoModel = 'custom/demo';

/** Returns the name of a model that the user selects: the demo model's older name means that if no custom host may have it. */
export function currentName(model: string, hasCustomHost: () => boolean): string {
	return model.trim() === servedDemoModel && !hasCustomHost() ? demoModel : model;
}

/** What stands in place of a provider where another agent answers. */
const agentPrefix = 'agent/';

/** Returns what is recorded as the model of an answer by another agent. */
export function agentModel(agent: string): string {
	return `${agentPrefix}${agent}`;
}

/** True if another agent gave an answer, so that it names no model. */
export function isAgentModel(model: string | undefined): boolean {
	return model?.startsWith(agentPrefix) === true;
}

export function isProviderName(name: string): name is ProviderName {
	return (providerNames as readonly string[]).includes(name);
}

/** Parses a provider's name as typed. Throws AppError("usage") with the list of names if it is unknown. */
export function parseProviderName(name: string): ProviderName {
	const lower = name.toLowerCase();
	if (!isProviderName(lower)) {
		throw new AppError('usage', `Unknown provider “${name}”.`, {
			hint: `Choose one of ${providerNames.join(', ')}.`,
		});
	}

	return lower;
}

/** A model id `provider/model-name`, split at its first slash: names on custom hosts may contain more. */
type ModelId = {readonly provider: ModelProvider; readonly name: string};

/** Who runs a model. */
export type ModelProvider = ProviderName | typeof demoProvider;

/** Parses a model id. Throws AppError("usage") unless it is `provider/model-name` with a known provider. */
export function parseModelId(id: string): ModelId {
	const slash = id.indexOf('/');
	const name = id.slice(slash + 1).trim();
	if (slash < 1 || !name) {
		throw new AppError('usage', `Invalid model “${id}”.`, {
			hint: 'Use provider/model-name, for example anthropic/claude-sonnet-4-5. `model list` shows known models.',
		});
	}

	return {provider: id.trim() === demoModel ? demoProvider : parseProviderName(id.slice(0, slash).trim()), name};
}

/** Returns what is wrong with a model id, worded to follow a name; undefined if it has the form `provider/model-name`. */
export function modelIdFault(id: string): string | undefined {
	const [, provider = '', name = ''] = /^([^/]+)\/(.+)$/.exec(id.trim()) ?? [];
	return !name.trim()
		? 'must be provider/model-name, for example anthropic/claude-sonnet-4-5'
		: isProviderName(provider) || id.trim() === demoModel
			? undefined
			: `must begin with one of ${providerNames.join(', ')}`;
}

/** Facts about a model. */
export type ModelInfo = {
	/** `provider/model-name`. */
	readonly id: string;
	readonly name: string;
	/** Tokens that fit into one request; undefined if unknown. */
	readonly contextWindow: number | undefined;
};
