import {type ProviderData, type ProviderName, providerRows} from '../src/core/provider-rows.ts';

/** One request to a model and its response, a line of a recording. */
export type Exchange = {
	readonly provider: ProviderName;
	/** The name of the model, without its provider. */
	readonly model: string;
	/** Path below the base URL, without query. */
	readonly path: string;
	/** The request's body with each text replaced by its length. */
	readonly body: unknown;
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	/** Parts of the response as received: milliseconds since the request, and text. */
	readonly chunks: ReadonlyArray<readonly [atMs: number, text: string]>;
	/** True if the response broke off. */
	readonly isCut: boolean;
};

/** Paths of model requests, by the adapter that sends them. */
const modelPaths: Readonly<Record<ProviderData['adapter'], RegExp>> = {
	anthropic: /\/v1\/messages$/,
	gemini: /\/v1beta\/models\/([^/:]+):streamGenerateContent$/,
	'openai-chat': /\/chat\/completions$/,
	'openai-responses': /\/responses$/,
};

/** The provider for an unknown host. */
const usualProviders: Readonly<Record<ProviderData['adapter'], ProviderName>> = {
	anthropic: 'anthropic',
	gemini: 'google',
	'openai-chat': 'custom',
	'openai-responses': 'openai',
};

/** Returns provider and path of a request to a model; undefined for any other request. */
export function modelRequest(
	url: URL,
	env: Readonly<Record<string, string | undefined>>,
): {readonly provider: ProviderName; readonly path: string} | undefined {
	for (const [adapter, pattern] of entriesOf(modelPaths)) {
		const [path] = pattern.exec(url.pathname) ?? [];
		if (path !== undefined) {
			const base = `${url.origin}${url.pathname.slice(0, -path.length)}`;
			const known = entriesOf(providerRows).find(
				([, row]) => row.adapter === adapter && [env[row.baseVariable], row.defaultBaseUrl].includes(base),
			);
			return {provider: known?.[0] ?? usualProviders[adapter], path};
		}
	}

	return undefined;
}

/** Returns the model of a request: Gemini names it in the path. */
export function modelOf(path: string, body: unknown): string {
	const [, inPath] = modelPaths.gemini.exec(path) ?? [];
	const named = typeof body === 'object' && body !== null && 'model' in body ? body.model : undefined;
	return inPath ?? (typeof named === 'string' ? named : 'unknown');
}

/** Fields whose values are words of the protocol, or names of tools. */
const plainFields: readonly string[] = ['model', 'role', 'type', 'name', 'object', 'stream'];

/** Returns a body with each text replaced by its length, except those in `plainFields`. */
export function shapeOf(value: unknown, field = ''): unknown {
	if (typeof value === 'string') {
		return plainFields.includes(field) && value.length <= 128 ? value : `${value.length} characters`;
	}

	if (Array.isArray(value)) {
		return value.map(item => shapeOf(item));
	}

	return typeof value === 'object' && value !== null
		? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner, name)]))
		: value;
}

/** Reads the lines of a recording. Throws if one is not an exchange. */
export function readRecording(text: string): readonly Exchange[] {
	return text
		.split('\n')
		.filter(Boolean)
		.map((line, index) => {
			const exchange: unknown = JSON.parse(line);
			if (!isExchange(exchange)) {
				throw new Error(`Line ${index + 1} is not part of a recording.`);
			}

			return exchange;
		});
}

function isExchange(value: unknown): value is Exchange {
	return (
		typeof value === 'object' &&
		value !== null &&
		'provider' in value &&
		Object.hasOwn(providerRows, String(value.provider)) &&
		'chunks' in value &&
		Array.isArray(value.chunks)
	);
}

function entriesOf<Name extends string, Value>(record: Readonly<Record<Name, Value>>) {
	return (Object.keys(record) as Name[]).map(name => [name, record[name]] as const);
}
