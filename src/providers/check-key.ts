import {AppError, reportError} from '../core/error.ts';
import {parseJson} from '../core/json.ts';
import type {Transport} from '../net/transport.ts';
import {readBeginning} from './chunks.ts';
import {modelNames} from './discover.ts';
import {endpointUrl} from './endpoint-url.ts';
import {isRefusedKey, requestFailure, statusFailure, vendorMessage} from './failure.ts';
import type {ProviderRow} from './registry.ts';

/** What the provider said about a key. */
export type KeyCheck =
	/**
	 * `names` are the models that it lists, sorted; empty if the list can't be read. `baseUrl` is where its API is, if that
	 * isn't at the given address but below it.
	 */
	| {readonly isVerified: true; readonly names: readonly string[]; readonly baseUrl?: string}
	/** `why` is a sentence. */
	| {readonly isVerified: false; readonly why: string};

/** Headers that a provider requires besides the key. */
const headersOf: Partial<Record<ProviderRow['adapter'], Readonly<Record<string, string>>>> = {
	anthropic: {'anthropic-version': '2023-06-01'},
};

/** Longest wait for the answer. A provider that can't be reached is no reason not to store its key. */
const timeoutMs = 10_000;

/**
 * Asks a provider for its models with the credential of `transport`. Throws `AppError("auth")` if it rejects the key,
 * and the signal's reason on an abort.
 */
export async function checkKey(
	{name, label, adapter, keyless, checkPath = 'models'}: ProviderRow,
	baseUrl: string,
	transport: Transport,
	signal: AbortSignal,
): Promise<KeyCheck> {
	const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
	const ask = async (base: string) => {
		const url = endpointUrl(base, `/${checkPath}`);
		const headers = {accept: 'application/json', ...headersOf[adapter]};
		const response = await transport({method: 'GET', url, headers, signal: within});
		const isListed = response.status >= 200 && response.status <= 299;
		return {response, names: isListed ? await modelNames(response, url) : undefined};
	};
	try {
		const {response, names} = await ask(baseUrl);
		const {status} = response;
		// The root of a host is often given for its API, which is below /v1.
		const versioned = keyless && !/\/v\d/.test(baseUrl) ? endpointUrl(baseUrl, '/v1') : undefined;
		if (versioned && (names ? names.length === 0 : status === 404 || status === 405)) {
			const found = await ask(versioned).catch(() => undefined);
			if (found?.names?.length) {
				return {isVerified: true, names: found.names, baseUrl: versioned};
			}
		}

		if (names) {
			return {isVerified: true, names};
		}

		const text = await readBeginning(response.body);
		if (isRefusedKey(status, parseJson(text))) {
			const message = vendorMessage(parseJson(text));
			throw new AppError('auth', `${label} rejected the key (${status})${message ? `: ${message}` : ''}`);
		}

		return {isVerified: false, why: statusFailure({name, label}, status, response.headers, text).message};
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof AppError && error.code === 'auth') {
			throw error;
		}

		const why = within.aborted
			? `${label} did not answer within ${timeoutMs / 1000} s.`
			: reportError(requestFailure({name, label}, baseUrl, error)).message;
		return {isVerified: false, why};
	}
}
