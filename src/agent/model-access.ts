import type {Config} from '../config/config.ts';
import {noCustomHost, type ResolvedKey, resolveKey} from '../config/provider-keys.ts';
import type {Effort} from '../core/effort.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {currentName, demoModel, type ModelProvider, type ProviderName, parseModelId} from '../core/model.ts';
import {originOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport, WarmTransport} from '../net/transport.ts';
import type {LocatedModel} from '../providers/host-windows.ts';
import type {ModelCall, RequestBeginning} from '../providers/provider.ts';
import {demoRow, type ProviderRow, registry} from '../providers/registry.ts';
import {hashOf} from './request-usage.ts';
import {endpointOf, type ModelBinding} from './session-bindings.ts';

type Dependencies = {
	readonly config: Config;
	readonly env: Environment;
	/** Returns the embedded server, which starts at the first call. */
	readonly embedded: () => Promise<{readonly url: string; readonly token: Secret}>;
	readonly createTransport: CreateTransport;
	/** Returns the session in front. */
	readonly front: () => Asker;
	/** Returns the system prompt; that of a sub-agent with its tools. */
	readonly instructions: (asker: Asker, task?: readonly ToolDefinition[]) => Promise<string>;
	readonly tools: () => Promise<readonly ToolDefinition[]>;
};

/** The session that asks a model, as far as the system prompt depends on it. */
export type AskingSession = {
	/** Its id, to find its cache with. */
	readonly session: string;
	/** When it began, as ISO 8601; undefined for a session without records. */
	readonly beganAt?: string | undefined;
	readonly isPlanning: boolean;
};

/** The session that asks a model, as far as requests depend on it. */
export type Asker = AskingSession & {
	/** Returns the reasoning effort of a model; undefined for its own default. */
	readonly effortOf: (model: string) => Effort | undefined;
};

export type ModelAccess = {
	/**
	 * Returns where a model is now. Throws `usage` without a model, `auth` without a key; asks no host, which alone knows its
	 * models.
	 */
	readonly resolve: (model: string | undefined) => ModelBinding;
	/**
	 * Binds a model to its host and key, instructions and tools; `task` are those of a sub-agent, `asker` is the session in
	 * front by default, and `binding` says where requests go: where the model is now by default. Throws as `resolve` does.
	 */
	readonly open: (
		model: string | undefined,
		task?: readonly ToolDefinition[],
		asker?: Asker,
		binding?: ModelBinding,
	) => Promise<ModelCall>;
	/**
	 * Does all that `open` does, and connects to the host if that is agreed to, so that the next request is sent at once.
	 * Throws as `open` does.
	 */
	readonly prepare: (model: string | undefined, isAgreed: boolean) => Promise<void>;
	/** Throws as `resolve` does. */
	readonly assertUsable: (model: string) => void;
	/** Returns the name of a model that the user selects: the demo's former one means the demo without a custom host. */
	readonly named: (model: string) => string;
	/** Returns where a model is now; undefined for the demo model, and without a host. */
	readonly locate: (model: string) => LocatedModel | undefined;
	/** Returns what every request begins with. */
	readonly beginning: () => Promise<{readonly system: string; readonly tools: readonly ToolDefinition[]}>;
	/**
	 * Returns the configured hosts that list their own models. With `isAny`, also local programs at their usual addresses,
	 * which may not run.
	 */
	readonly hosts: (isAny?: boolean) => Promise<readonly ModelHost[]>;
	/** Returns the model of a new session: the user's choice, else that of the first key, else the demo model. */
	readonly initial: () => string | undefined;
	/** Returns what the user must know about the key for a model, such as a variable that was ignored. */
	readonly notice: (model: string | undefined) => string | undefined;
	/** True if the embedded server runs that model. */
	readonly isDemo: (model: string | undefined) => boolean;
	/** True if the model's provider needs a key and has none. */
	readonly lacksKey: (model: string | undefined) => boolean;
};

/** A host that lists its own models, with a transport to it. */
type ModelHost = {readonly name: ProviderName; readonly baseUrl: string; readonly transport: Transport};

const rows = Object.values(registry);

/** Creates the access to models. It alone decides which key goes to which host (SAFETY 6). */
export function createModelAccess(dependencies: Dependencies): ModelAccess {
	const {config, env, embedded, front, instructions, tools} = dependencies;
	const transportTo = createHostTransports(dependencies.createTransport);
	// Every request begins with the tools, and a vendor has that beginning in its cache only if it is the same.
	const sortedTools = async (given?: readonly ToolDefinition[]) =>
		(given ?? (await tools())).toSorted((a, b) => (a.name < b.name ? -1 : 1));
	const keyOf: KeyOf = row => resolveKey(row.name, {data: config.read(), env, row});
	const isDemo = (model: string | undefined) => model === demoModel;
	const keyOfModel = (model: string) => {
		const {provider} = parseModelId(model);
		return provider === 'demo' ? undefined : keyOf(registry[provider]);
	};
	const named = (model: string) => currentName(model, () => keyOf(registry.custom) !== undefined);

	const resolve = (model: string | undefined): ModelBinding => {
		const {provider} = parseModelId(assertSelected(model));
		const row = provider === 'demo' ? undefined : registry[provider];
		const host = row && keyOf(row);
		if (row && !host) {
			throw noHost(row);
		}

		return {provider, host};
	};
	const bind = async (model: string | undefined, {provider, host: ownHost}: ModelBinding) => {
		const id = parseModelId(assertSelected(model));
		const row = provider === 'demo' ? demoRow : registry[provider];
		const host = ownHost ?? demoHost(await embedded());
		return {row, id, host, transport: transportTo(host, row.auth)};
	};

	return {
		resolve,
		async open(model, task, asker = front(), binding = resolve(model)) {
			const {row, id, host, transport: opening} = await bind(model, binding);
			const [transport, adapter, definitions, system] = await Promise.all([
				opening,
				row.load(),
				sortedTools(task),
				instructions(asker, task),
			]);
			const effort = asker.effortOf(`${id.provider}/${id.name}`);
			const bound = {
				model: id.name,
				baseUrl: host.baseUrl,
				system,
				tools: definitions,
				transport,
				...(effort && {effort}),
			};
			// A sub-agent has a conversation of its own.
			const cacheKey = task ? undefined : {cacheKey: hashOf(asker.session)};
			const beginning = {...beginningOf(system, definitions, effort), endpoint: endpointOf(binding)};
			return async function* (messages, signal, plain) {
				const own = plain && {system: plain.system, tools: []};
				yield own ? {...beginningOf(own.system, own.tools, effort), endpoint: endpointOf(binding)} : beginning;
				try {
					yield* adapter({...bound, ...own, ...cacheKey, messages, signal});
				} catch (error) {
					throw explainKey(error, id.provider, host);
				}
			};
		},
		async prepare(model, isAgreed) {
			const {row, host, transport} = await bind(model, resolve(model));
			const connect = isAgreed && transport.then(({warm}) => warm?.(host.baseUrl));
			await Promise.all([connect, row.load(), tools(), instructions(front())]);
		},
		locate(model) {
			try {
				const {provider, name} = parseModelId(model);
				const {host} = resolve(model);
				return provider === 'demo' || !host
					? undefined
					: {provider, baseUrl: host.baseUrl, model: name, open: () => transportTo(host, registry[provider].auth)};
			} catch {
				return undefined;
			}
		},
		async beginning() {
			return {system: await instructions(front()), tools: await sortedTools()};
		},
		hosts: (isAny = false) => openListingHosts(isAny ? keyOf : row => configuredKey(keyOf, row), transportTo),
		assertUsable: model => void resolve(model),
		named,
		initial() {
			const {model} = config.read().settings;
			return model === undefined ? firstModel(keyOf) : named(model);
		},
		notice: model => (model ? keyOfModel(model)?.notice : undefined),
		isDemo,
		lacksKey: model => model !== undefined && !isDemo(model) && !keyOfModel(model),
	};
}

function beginningOf(
	system: string,
	definitions: readonly ToolDefinition[],
	effort: Effort | undefined,
): RequestBeginning {
	const tools = definitions.map(({name, description, parameters}) => ({name, description, parameters}));
	return {type: 'request', system: hashOf(system), tools: hashOf(tools), ...(effort && {effort})};
}

type KeyOf = (row: ProviderRow) => ResolvedKey | undefined;

/** Returns the key of a provider that the user configured. A keyless program at its default address may not even run. */
function configuredKey(keyOf: KeyOf, row: ProviderRow): ResolvedKey | undefined {
	const key = keyOf(row);
	return key?.source === 'default' ? undefined : key;
}

function listingHosts(keyOf: KeyOf): readonly {readonly row: ProviderRow; readonly host: Host}[] {
	return rows.flatMap(row => {
		const host = row.defaultModel === undefined ? keyOf(row) : undefined;
		return host ? [{row, host}] : [];
	});
}

async function openListingHosts(keyOf: KeyOf, transportTo: OpenTransport): Promise<readonly ModelHost[]> {
	const found = listingHosts(keyOf).map(async ({row, host}) => {
		const transport = await transportTo(host, row.auth);
		return {name: row.name, baseUrl: host.baseUrl, transport};
	});
	return Promise.all(found);
}

/** Returns the default model of the first provider with a key; undefined if that provider has no default. */
function firstModel(keyOf: KeyOf): string | undefined {
	const first = rows.find(row => configuredKey(keyOf, row));
	return first ? first.defaultModel && `${first.name}/${first.defaultModel}` : demoModel;
}

function demoHost({url, token}: {readonly url: string; readonly token: Secret}): Host {
	return {baseUrl: `${url}/v1`, key: token};
}

function assertSelected(model: string | undefined): string {
	if (!model) {
		throw new AppError('usage', 'No model selected.', {
			hint: 'Select one: `model use`, or --model provider/model-name.',
		});
	}

	return model;
}

function noHost({name, label, keyVariables, defaultBaseUrl}: ProviderRow): AppError {
	if (defaultBaseUrl === undefined) {
		return noCustomHost();
	}

	const [variable] = keyVariables;
	return new AppError('auth', `No API key for ${label}.`, {
		hint: variable ? `Run \`keys set ${name}\`, or set ${variable}.` : `Run \`keys set ${name} --base-url <address>\`.`,
	});
}

/** Where a provider's requests go, the API key that may go there, and the variable that the key is from. */
type Host = {readonly baseUrl: string; readonly key: Secret | undefined; readonly variable?: string};

type CreateTransport = (credential: Credential | undefined) => Promise<WarmTransport>;

/** Opens a transport to a host, with its key in the header of this kind. */
type OpenTransport = (host: Host, kind: Credential['kind']) => Promise<WarmTransport>;

/**
 * Returns a function that opens a transport to a host. A host keeps its transport, and so its connections, until its key
 * changes.
 */
function createHostTransports(createTransport: CreateTransport): OpenTransport {
	const opened = new Map<string, {readonly key: Secret | undefined; readonly transport: Promise<WarmTransport>}>();
	return ({baseUrl, key}, kind) => {
		// Several providers may share one gateway, each with a header of its own.
		const name = `${kind} ${baseUrl}`;
		const known = opened.get(name);
		if (known && isSame(known.key, key)) {
			return known.transport;
		}

		const transport = createTransport(key && {origin: originOf(baseUrl), kind, secret: key});
		opened.set(name, {key, transport});
		// After a failure the next call tries again.
		transport.catch(() => opened.delete(name));
		return transport;
	};
}

function isSame(a: Secret | undefined, b: Secret | undefined): boolean {
	return a && b ? a.equals(b) : a === b;
}

/**
 * Returns the error of a request. If the host rejected a key that is from a variable, its hint names the variable, because a
 * stored key isn't used while that is set; if it got no key, the error says that it asks for one. Any other error stays.
 */
function explainKey(error: unknown, provider: ModelProvider, {variable, key}: Host): unknown {
	if (!(error instanceof AppError && error.badKey && (variable || !key))) {
		return error;
	}

	const {code, cause} = error;
	if (!key) {
		const message = error.message.replace(/ rejected the key \((\d+)\)/, ' asks for an API key ($1)');
		return new AppError(code, message, {
			cause,
			hint: `Store it: \`keys set ${provider} --base-url <address>\``,
			badKey: true,
		});
	}

	return new AppError(code, error.message, {
		cause,
		hint: `The key is from ${variable}. Correct it, or unset it and run \`keys set ${provider}\`.`,
		badKey: true,
	});
}
