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
	/** `names` are the models that it lists, sorted; empty if the list can't be read. */
	| {readonly isVerified: true; readonly names: readonly string[]}
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
	{name, label, adapter, checkPath = 'models'}: ProviderRow,
	baseUrl: string,
	transport: Transport,
	signal: AbortSignal,
): Promise<KeyCheck> {
	const url = endpointUrl(baseUrl, `/${checkPath}`);
	const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
	try {
		const response = await transport({
			method: 'GET',
			url,
			headers: {accept: 'application/json', ...headersOf[adapter]},
			signal: within,
		});
		const {status} = response;
		if (status >= 200 && status <= 299) {
			return {isVerified: true, names: await modelNames(response, url)};
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
