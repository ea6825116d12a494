import type {Config} from '../config/config.ts';
import {resolveKey} from '../config/provider-keys.ts';
import type {Environment} from '../core/environment.ts';
import {AppError} from '../core/error.ts';
import {demoModel, type ProviderName, parseModelId} from '../core/model.ts';
import {originOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {ToolDefinition} from '../core/session/tool.ts';
import type {Credential} from '../net/credential.ts';
import type {Transport} from '../net/transport.ts';
import type {ModelCall} from '../providers/provider.ts';
import {type ProviderRow, registry} from '../providers/registry.ts';

type Dependencies = {
	readonly config: Config;
	readonly env: Environment;
	/** The embedded server, started when it is first asked for. */
	readonly embedded: () => Promise<{readonly url: string; readonly token: Secret}>;
	readonly createTransport: (credential: Credential | undefined) => Promise<Transport>;
	readonly instructions: () => Promise<string>;
	readonly tools: () => Promise<readonly ToolDefinition[]>;
};

export type ModelAccess = {
	/** Binds a model to its host, key, instructions and tools. Throws `usage` without a model, `auth` without a key. */
	readonly open: (model: string | undefined) => Promise<ModelCall>;
	/** The hosts that are configured and must be asked for their models, each with a transport. */
	readonly hosts: () => Promise<readonly ModelHost[]>;
	/** The model that a session begins with: the chosen one, else that of the first key, else the demo. */
	readonly initial: () => string | undefined;
	/** What the user must know of the key in use for a model, such as a part of the environment that was passed over. */
	readonly notice: (model: string | undefined) => string | undefined;
	/** True where that model is the embedded server's. */
	readonly isDemo: (model: string | undefined) => boolean;
	/** True for a model whose provider has no key, so that it cannot answer. */
	readonly lacksKey: (model: string | undefined) => boolean;
};

/** A host that lists models of its own, and the way to it. */
export type ModelHost = {readonly name: ProviderName; readonly baseUrl: string; readonly transport: Transport};

type Host = {readonly baseUrl: string; readonly key: Secret | undefined};

/** Knows which key may go where (SAFETY 6). */
export function createModelAccess(dependencies: Dependencies): ModelAccess {
	const {config, env, embedded, createTransport, instructions, tools} = dependencies;
	const transports = new Map<string, {readonly key: Secret | undefined; readonly transport: Promise<Transport>}>();

	const rows = Object.values(registry);
	const keyOf = (row: ProviderRow) => resolveKey(row.name, {data: config.read(), env, row});

	/** A program that nobody named may not even run here. */
	const configured = (row: ProviderRow) => {
		const found = keyOf(row);
		return found?.source === 'default' ? undefined : found;
	};

	/** The same host and key keep their connections from one turn to the next. */
	const transportTo = (host: Host, row: ProviderRow) => {
		// Vendors may stand behind one gateway, each with a header of its own.
		const name = `${row.auth} ${host.baseUrl}`;
		const known = transports.get(name);
		if (known && isSame(known.key, host.key)) {
			return known.transport;
		}

		const transport = createTransport(host.key && {origin: originOf(host.baseUrl), kind: row.auth, secret: host.key});
		transports.set(name, {key: host.key, transport});
		// One that could not be made is created again the next time.
		transport.catch(() => transports.delete(name));
		return transport;
	};

	const isDemo = (model: string | undefined) => model === demoModel && !keyOf(registry.custom);

	const hostOf = async (model: string, row: ProviderRow): Promise<Host> => {
		if (isDemo(model)) {
			const {url, token} = await embedded();
			return {baseUrl: `${url}/v1`, key: token};
		}

		const host = keyOf(row);
		if (!host) {
			throw missingKey(row);
		}

		return host;
	};

	return {
		async open(model) {
			if (!model) {
				throw new AppError('usage', 'No model is chosen.', {
					hint: 'Choose one: `model use`, or --model provider/model-name.',
				});
			}

			const {provider, name} = parseModelId(model);
			const row = registry[provider];
			const host = await hostOf(model, row);
			const [transport, adapter, definitions, system] = await Promise.all([
				transportTo(host, row),
				row.load(),
				tools(),
				instructions(),
			]);
			return (messages, signal) =>
				adapter({
					model: name,
					baseUrl: host.baseUrl,
					system,
					messages,
					tools: definitions,
					transport,
					signal,
				});
		},
		hosts: () =>
			Promise.all(
				rows.flatMap(row => {
					const host = row.defaultModel === undefined ? configured(row) : undefined;
					const open = async ({baseUrl, key}: Host) => ({
						name: row.name,
						baseUrl,
						transport: await transportTo({baseUrl, key}, row),
					});
					return host ? [open(host)] : [];
				}),
			),
		initial() {
			const {model} = config.read().settings;
			const first = rows.find(configured);
			return model ?? (first ? first.defaultModel && `${first.name}/${first.defaultModel}` : demoModel);
		},
		notice: model => (model ? keyOf(registry[parseModelId(model).provider])?.notice : undefined),
		isDemo,
		lacksKey: model =>
			model !== undefined && !isDemo(model) && keyOf(registry[parseModelId(model).provider]) === undefined,
	};
}

function isSame(a: Secret | undefined, b: Secret | undefined): boolean {
	return a && b ? a.equals(b) : a === b;
}

function missingKey({name, label, keyVariables, defaultBaseUrl}: ProviderRow): AppError {
	const [variable] = keyVariables;
	if (defaultBaseUrl === undefined) {
		return new AppError('auth', 'No custom host is configured.', {
			hint: 'Run `keys set custom --base-url <address>`, or set CUSTOM_BASE_URL and CUSTOM_API_KEY.',
		});
	}

	return new AppError('auth', `No API key for ${label}.`, {
		hint: variable ? `Run \`keys set ${name}\`, or set ${variable}.` : `Run \`keys set ${name} --base-url <address>\`.`,
	});
}
