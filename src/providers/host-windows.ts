import type {Json} from '../core/json.ts';
import {type ProviderName, providerRows} from '../core/provider-rows.ts';
import {readJson} from '../net/read-body.ts';
import type {Transport} from '../net/transport.ts';
import {endpointUrl} from './endpoint-url.ts';
import {at, countAt, listAt, textAt} from './json-path.ts';

/** A model where it runs. `model` is the host's name for it, without `provider/`. */
export type ModelAtHost = {
	readonly provider: ProviderName;
	readonly baseUrl: string;
	readonly model: string;
	/** Sends requests with the credential of the host. */
	readonly transport: Transport;
};

/** A model at its host, to which nothing is open yet. */
export type LocatedModel = Omit<ModelAtHost, 'transport'> & {readonly open: () => Promise<Transport>};

/**
 * The context window of a model in tokens. `isInForce` is true for what the host really serves, such as Ollama's `num_ctx`,
 * and false for what the model was trained for: the host may cut prompts that are much shorter.
 */
export type HostWindow = {readonly tokens: number; readonly isInForce: boolean};

/** The windows that hosts told, for the life of the program. One of these serves all sessions. */
export type HostWindows = {
	/** Returns what is known without a request. What a refusal named wins over what the host lists. */
	readonly known: (place: Omit<ModelAtHost, 'transport'>) => HostWindow | undefined;
	/**
	 * Asks the host unless its answer is known. Never throws and takes a few seconds at most; undefined if the host doesn't
	 * tell. A model that is not loaded yet, and a host that failed, are asked again at the next call, a few times at most.
	 * Nothing that the user waits for may depend on it: no first frame, and no first request.
	 */
	readonly find: (place: ModelAtHost, signal: AbortSignal) => Promise<HostWindow | undefined>;
	/** Remembers the window that a refusal named. */
	readonly learn: (place: Omit<ModelAtHost, 'transport'>, tokens: number) => void;
};

/** A host that doesn't tell is asked no more often. */
const maxAsked = 3;

export function createHostWindows(): HostWindows {
	const windows = new Map<string, HostWindow>();
	const asked = new Map<string, {count: number; latest: Promise<HostWindow | undefined> | undefined}>();
	const keyOf = ({baseUrl, model}: Omit<ModelAtHost, 'transport'>) => `${baseUrl}\n${model}`;

	return {
		known: place => windows.get(keyOf(place)),
		async find(place, signal) {
			const key = keyOf(place);
			const before = windows.get(key);
			const state = asked.get(key) ?? {count: 0, latest: undefined};
			asked.set(key, state);
			if (before?.isInForce || (state.count >= maxAsked && !state.latest)) {
				return before;
			}

			state.latest ??= (async () => {
				state.count++;
				const window = await askHostWindow(place, signal);
				state.latest = undefined;
				if (window && !windows.get(key)?.isInForce) {
					windows.set(key, window);
				}

				return windows.get(key);
			})();
			return state.latest;
		},
		learn(place, tokens) {
			windows.set(keyOf(place), {tokens, isInForce: true});
		},
	};
}

const timeoutMs = 3000;
const maxBodyBytes = 4 * 1024 * 1024;

/** Asks the host for the context window of a model; undefined if it doesn't tell. Never throws. */
export async function askHostWindow(place: ModelAtHost, signal: AbortSignal): Promise<HostWindow | undefined> {
	let best: HostWindow | undefined;
	for (const ask of questionsFor(place)) {
		const window = await ask({...place, signal}).catch(() => undefined);
		best = window && (window.isInForce || !best) ? window : best;
		if (best?.isInForce || signal.aborted) {
			break;
		}
	}

	return best;
}

type Asked = ModelAtHost & {readonly signal: AbortSignal};
type Question = (asked: Asked) => Promise<HostWindow | undefined>;

/** Returns what a host is asked. Only programs that say in their list who they are are asked for more. */
function questionsFor({provider}: ModelAtHost): readonly Question[] {
	const {adapter, keyless} = providerRows[provider];
	if (adapter === 'anthropic' || adapter === 'gemini') {
		return [askOneModel];
	}

	const own: Readonly<Partial<Record<ProviderName, readonly Question[]>>> = {
		ollama: [askOllama],
		lmstudio: [askLmStudio],
	};
	return own[provider] ?? [keyless ? askOwnHost : askList];
}

/** `GET /models` of hosts with a Chat Completions API: each has a field of its own for the window. */
async function askList(asked: Asked): Promise<HostWindow | undefined> {
	return windowIn(rowOf(await request(asked, endpointUrl(asked.baseUrl, '/models')), asked.model));
}

/** Who local servers say, in their lists, that their models are owned by. */
const owners: readonly (readonly [RegExp, Question])[] = [
	[/^llama-?\.?cpp$/i, askLlamaCpp],
	[/^library$/i, askOllama],
	[/^organization_owner$/i, askLmStudio],
];

/** A host of the user's own: its list, and what the program that it seems to be has beside it. */
async function askOwnHost(asked: Asked): Promise<HostWindow | undefined> {
	const row = rowOf(await request(asked, endpointUrl(asked.baseUrl, '/models')), asked.model);
	const listed = windowIn(row);
	const ask = owners.find(([owner]) => owner.test(textAt(row, 'owned_by')))?.[1];
	return listed?.isInForce || !ask ? listed : ((await ask(asked).catch(() => undefined)) ?? listed);
}

/** Anthropic's `GET /v1/models/{id}` (`max_input_tokens`), and Google's `GET /v1beta/models/{id}` (`inputTokenLimit`). */
async function askOneModel(asked: Asked): Promise<HostWindow | undefined> {
	const folder = asked.provider === 'google' ? '/v1beta/models/' : '/v1/models/';
	return windowIn(await request(asked, endpointUrl(asked.baseUrl, folder + asked.model)));
}

/** Ollama: `GET /api/ps` has the window of a loaded model, `POST /api/show` the parameters and the facts of any. */
async function askOllama(asked: Asked): Promise<HostWindow | undefined> {
	const running = await request(asked, besideApi(asked.baseUrl, '/api/ps')).catch(() => undefined);
	const loaded = countAt(rowOf(running, asked.model, {isExact: true}), 'context_length');
	if (loaded) {
		return {tokens: loaded, isInForce: true};
	}

	const shown = await request(asked, besideApi(asked.baseUrl, '/api/show'), {model: asked.model});
	const [, set] = /^\s*num_ctx\s+(\d+)/m.exec(textAt(shown, 'parameters')) ?? [];
	const facts = at(shown, 'model_info');
	const trained = Object.entries(typeof facts === 'object' && facts !== null ? facts : {}).find(([key]) =>
		key.endsWith('.context_length'),
	)?.[1];
	return windowOf(Number(set), true) ?? windowOf(trained, false);
}

/** LM Studio's own lists of models, the newer one first: a model that is loaded says with which window. */
async function askLmStudio(asked: Asked): Promise<HostWindow | undefined> {
	for (const path of ['/api/v1/models', '/api/v0/models']) {
		const window = windowIn(
			rowOf(await request(asked, besideApi(asked.baseUrl, path)).catch(() => undefined), asked.model),
		);
		if (window) {
			return window;
		}
	}

	return undefined;
}

/** `GET /props` of llama.cpp. Its router answers 0 unless it is asked about one model. */
async function askLlamaCpp(asked: Asked): Promise<HostWindow | undefined> {
	const path = `/props?model=${encodeURIComponent(asked.model)}`;
	return windowOf(
		at(await request(asked, besideApi(asked.baseUrl, path)), 'default_generation_settings', 'n_ctx'),
		true,
	);
}

async function request({transport, baseUrl, signal}: Asked, url: string, body?: object): Promise<Json | undefined> {
	const response = await transport({
		method: body ? 'POST' : 'GET',
		url,
		headers: {accept: 'application/json', ...(body && {'content-type': 'application/json'})},
		...(body && {body: JSON.stringify(body)}),
		signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
		headersTimeoutMs: timeoutMs,
		idleTimeoutMs: timeoutMs,
	});
	const value = await readJson(response, {from: new URL(baseUrl).origin, maxBytes: maxBodyBytes});
	return response.status >= 200 && response.status <= 299 ? value : undefined;
}

/** Returns an address beside the Chat Completions API of a local server, whose base URL ends in `/v1`. */
function besideApi(baseUrl: string, path: string): string {
	const [base = '', query] = baseUrl.split('?');
	return endpointUrl(`${base.replace(/\/+$/, '').replace(/\/v1$/, '')}${query ? `?${query}` : ''}`, path);
}

/**
 * Returns what a list says of a model. Names may have a folder before them or a tag after them. A server with one model
 * usually answers to any name.
 */
function rowOf(list: Json | undefined, model: string, {isExact = false} = {}): Json | undefined {
	const rows = [listAt(list), listAt(list, 'data'), listAt(list, 'models')].find(({length}) => length > 0) ?? [];
	const namesOf = (row: Json) => ['id', 'name', 'model', 'key'].map(key => textAt(row, key)).filter(Boolean);
	const short = (name: string) => name.toLowerCase().replace(/(?::latest|@[^/]*)$/, '');
	const wanted = short(model);
	return (
		rows.find(row => namesOf(row).includes(model)) ??
		rows.find(row => namesOf(row).some(name => short(name) === wanted || short(name).endsWith(`/${wanted}`))) ??
		(rows.length === 1 && !isExact ? rows[0] : undefined)
	);
}

/** Where hosts say which window they serve, and which one a model can have at most. */
const placesInForce: readonly (readonly (string | number)[])[] = [
	['loaded_instances', 0, 'config', 'context_length'],
	['loaded_context_length'],
	['max_model_len'],
	['meta', 'n_ctx'],
	['n_ctx'],
	['default_generation_settings', 'n_ctx'],
	['top_provider', 'context_length'],
	['max_input_tokens'],
	['inputTokenLimit'],
	['context_window'],
	['context_length'],
];
const placesAtMost: readonly (readonly (string | number)[])[] = [
	['max_context_length'],
	['max_context_window'],
	['max_sequence_length'],
	['max_seq_len'],
	['limits', 'max_context_window_tokens'],
	['capabilities', 'limits', 'max_context_window_tokens'],
	['capabilities', 'limits', 'max_prompt_tokens'],
	['model_info', 'max_input_tokens'],
	['metadata', 'context_length'],
	['meta', 'n_ctx_train'],
];

function windowIn(row: Json | undefined): HostWindow | undefined {
	for (const [places, isInForce] of [
		[placesInForce, true],
		[placesAtMost, false],
	] as const) {
		for (const place of places) {
			const window = windowOf(at(row, ...place), isInForce);
			if (window) {
				return window;
			}
		}
	}

	return undefined;
}

/** A host that says less has a dummy there, and one that says more has no limit. */
const [minTokens, maxTokens] = [256, 100_000_000];

function windowOf(value: unknown, isInForce: boolean): HostWindow | undefined {
	const tokens = typeof value === 'string' ? Number(value) : value;
	return typeof tokens === 'number' && tokens >= minTokens && tokens <= maxTokens
		? {tokens: Math.floor(tokens), isInForce}
		: undefined;
}
