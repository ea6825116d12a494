import type {Config} from '../config/config.ts';
import {noCustomHost, type ResolvedKey, resolveKey} from '../config/provider-keys.ts';
import type {CommandPlace} from '../core/command-words.ts';
import type {Effort} from '../core/effort.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {
	currentName,
	demoModel,
	type ModelProvider,
	type ProviderName,
	parseModelId,
	servedDemoModel,
} from '../core/model.ts';
import {shownUrl} from '../core/secrets/redact-positions.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {RequestEndpoint} from '../core/session/request-record.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {Transport} from '../net/transport.ts';
import type {LocatedModel} from '../providers/host-windows.ts';
import type {ModelCall, RequestBeginning} from '../providers/provider.ts';
import {demoRow, type ProviderRow, registry} from '../providers/registry.ts';
import type {BindingChange} from './changed-binding.ts';
import {type CreateTransport, createHostTransports, explainKey, type Host} from './host-transports.ts';
import {hashOf} from './ledger-entry.ts';

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

/** The session that asks a model, as far as requests depend on it. */
export type Asker = {
	/** Its id, to find its cache with. */
	readonly session: string;
	/** When it began, as ISO 8601; undefined for a session without records. */
	readonly beganAt?: string | undefined;
	readonly isPlanning: boolean;
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
export type ModelHost = {readonly name: ProviderName; readonly baseUrl: string; readonly transport: Transport};

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

async function openListingHosts(
	keyOf: KeyOf,
	transportTo: ReturnType<typeof createHostTransports>,
): Promise<readonly ModelHost[]> {
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

/**
 * What the requests of a session for the models of a provider are bound to. Without a host, that is the embedded server of
 * this program, which runs the demo model.
 */
export type ModelBinding = {readonly provider: ModelProvider; readonly host: ResolvedKey | undefined};

/** What a session was bound to when its last request was recorded. */
export type RecordedBinding = {
	/** `provider/model-name`. */
	readonly model: string;
	/** Undefined in journals of versions that did not record it. */
	readonly endpoint?: RequestEndpoint | undefined;
	/** True if the same request would cost more today. */
	readonly isDearer: () => Promise<boolean>;
};

/** A request for a model, as far as agreeing to where it goes depends on it. */
type Bound = {
	/** False if nobody started by hand what the request is for, so that nobody is asked. */
	readonly isAttended: boolean;
	readonly signal: AbortSignal;
};

/** Returns where a request for a model goes. Throws AppError("failed") if the user has not agreed to it. */
export type BindRequest = (model: string | undefined, request: Bound) => Promise<ModelBinding>;

/** What the requests of one session are bound to, as the user agreed to it. */
export type SessionBindings = {
	/** Agrees to where a model is now: the user selected it by hand, or began the session with it. */
	readonly select: (model: string | undefined) => void;
	/** Returns whether a request for a model would be sent without a question. Throws as `resolve` does. */
	readonly covers: (model: string | undefined) => Promise<boolean>;
	/** Returns what binds the requests of one run. What the user refused in it isn't asked again. */
	readonly startRun: () => BindRequest;
	/** Returns those of a session that continues this one. */
	readonly fork: () => SessionBindings;
};

type Options = {
	/** Returns where a model is now. Throws `AppError` if nothing here can answer for it. */
	readonly resolve: (model: string | undefined) => ModelBinding;
	/** Of a session that is resumed. */
	readonly recorded?: RecordedBinding | undefined;
	/** Asks the user. Left out, or false, for no. */
	readonly ask: (change: BindingChange, signal: AbortSignal) => Promise<boolean>;
	/** Where the user reads what was refused. */
	readonly place: () => CommandPlace;
};

/**
 * Creates the bindings of a session. A request goes to the host that the session was bound to, with the same key and at no
 * higher price. After a change from outside, such as another window that stores a key, the user is asked first.
 */
export function createSessionBindings(options: Options, agreed: ReadonlyMap<string, ModelBinding> = new Map()) {
	const {resolve, recorded, ask, place} = options;
	/** The bindings that the user agreed to, by provider; the last one is that of the last request. */
	const bindings = new Map(agreed);
	let previous: Promise<unknown> = Promise.resolve();

	const agree = (binding: ModelBinding) => {
		bindings.delete(binding.provider);
		bindings.set(binding.provider, binding);
	};

	const bindOne = async (model: string | undefined, {isAttended, signal}: Bound, refused: ModelBinding[]) => {
		for (;;) {
			signal.throwIfAborted();
			const now = resolve(model);
			const change = await changeTo(now, model ?? '', bindings, recorded);
			if (change) {
				const mayAsk = isAttended && !refused.some(binding => isSame(binding, now));
				if (!(mayAsk && (await ask(change, signal)))) {
					refused.push(now);
					const {refusedChange} = await import('./changed-binding.ts');
					throw refusedChange(change, place());
				}
			}

			// The user saw this one: it may have changed again meanwhile.
			agree(now);
			if (!change) {
				return now;
			}
		}
	};

	const session: SessionBindings = {
		select(model) {
			try {
				agree(resolve(model));
			} catch {
				// Without a key there is nothing to agree to: the first one that the user sets will do.
			}
		},
		covers: async model => !(await changeTo(resolve(model), model ?? '', bindings, recorded)),
		startRun() {
			const refused: ModelBinding[] = [];
			return (model, request) => {
				// Sub-agents ask one at a time, so that one answer holds for all of them.
				const bound = previous.then(() => bindOne(model, request, refused));
				previous = bound.catch(() => undefined);
				return bound;
			};
		},
		fork: () => createSessionBindings(options, bindings),
	};
	return session;
}

/** Returns what changed between what the session was bound to and where a model is now; undefined if nothing did. */
async function changeTo(
	now: ModelBinding,
	model: string,
	bindings: ReadonlyMap<string, ModelBinding>,
	recorded: RecordedBinding | undefined,
): Promise<BindingChange | undefined> {
	const to = endpointOf(now);
	const last = [...bindings.values()].at(-1);
	const bound = bindings.get(now.provider) ?? last;
	if (bound) {
		const from = endpointOf(bound);
		return isSame(bound, now) ? undefined : {model, from, to, what: from.host === to.host ? 'key' : 'host'};
	}

	if (!recorded) {
		return undefined;
	}

	const from = recorded.endpoint;
	if (!from) {
		// Which host the older name of the demo meant isn't known any more.
		const isKnown = recorded.model.startsWith(`${now.provider}/`) && recorded.model !== servedDemoModel;
		return isKnown || !now.host ? undefined : {model, from, to, what: 'host'};
	}

	const isOtherKey =
		from.key !== to.key || (from.keyMark !== undefined && to.keyMark !== undefined && from.keyMark !== to.keyMark);
	if (from.host !== to.host || isOtherKey) {
		return {model, from, to, what: from.host === to.host ? 'key' : 'host'};
	}

	const isDearer = recorded.model === model && (await recorded.isDearer());
	return isDearer ? {model, from, to, what: 'price'} : undefined;
}

/** Returns true if both bind a request to the same host with the same key, whichever provider has it. */
function isSame(one: ModelBinding, other: ModelBinding): boolean {
	const [a, b] = [one.host, other.host];
	return a && b
		? a.baseUrl === b.baseUrl && (a.key && b.key ? a.key.equals(b.key) : a.key === b.key)
		: one.provider === other.provider;
}

/** Returns where the requests of a binding go and where their key is from, as it is recorded and shown: without any secret. */
export function endpointOf({provider, host}: ModelBinding): RequestEndpoint {
	if (!host) {
		return {host: provider, key: 'none'};
	}

	const {baseUrl, key, variable} = host;
	// A key in the keychain may be locked: its last characters are known all the same.
	const keyMark = key?.last4 && hashOf(key.last4).slice(0, 4);
	return {host: shownUrl(baseUrl), key: variable ?? (key ? 'stored' : 'none'), ...(keyMark && {keyMark})};
}
