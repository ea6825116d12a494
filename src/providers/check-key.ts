import {AppError, reportError} from '../core/error.ts';
import {parseJson} from '../core/json.ts';
import type {ProviderName} from '../core/model.ts';
import type {Transport} from '../net/transport.ts';
import {readBeginning} from './chunks.ts';
import {modelNames} from './discover.ts';
import {isRefusedKey, statusFailure, vendorMessage} from './failure.ts';
import {endpointUrl} from './history.ts';
import type {ProviderRow} from './registry.ts';

/** What is known of a key after its provider was asked. */
export type KeyCheck =
	/** `names` are the models that it lists, sorted; none where its list cannot be read. */
	| {readonly isVerified: true; readonly names: readonly string[]}
	/** `why` is a sentence. */
	| {readonly isVerified: false; readonly why: string};

/** Where a provider lists its models, which costs nothing, and what it wants besides the key. */
const lists: Partial<
	Record<ProviderName, {readonly path: string; readonly headers?: Readonly<Record<string, string>>}>
> = {
	anthropic: {path: '/v1/models', headers: {'anthropic-version': '2023-06-01'}},
	google: {path: '/v1beta/models'},
};

/** The longest wait for the answer, in milliseconds: a provider that is not there is no reason not to store its key. */
const timeoutMs = 10_000;

/**
 * Asks a provider for its models with the credential of `transport`. Throws `AppError("auth")` where it rejects the key,
 * and the signal's reason.
 */
export async function checkKey(
	{name, label}: ProviderRow,
	baseUrl: string,
	transport: Transport,
	signal: AbortSignal,
): Promise<KeyCheck> {
	const {path, headers} = lists[name] ?? {path: '/models'};
	const url = endpointUrl(baseUrl, path);
	const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
	try {
		const response = await transport({
			method: 'GET',
			url,
			headers: {accept: 'application/json', ...headers},
			signal: within,
		});
		const {status} = response;
		if (status >= 200 && status <= 299) {
			return {isVerified: true, names: await modelNames(response, url)};
		}

		const text = await readBeginning(response.body);
		if (isRefusedKey(status, parseJson(text))) {
			const words = vendorMessage(parseJson(text));
			throw new AppError('auth', `${label} rejected the key (${status})${words ? `: ${words}` : ''}`);
		}

		return {isVerified: false, why: statusFailure({name, label}, status, response.headers, text).message};
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof AppError && error.code === 'auth') {
			throw error;
		}

		const why = within.aborted ? `${label} did not answer within ${timeoutMs / 1000} s.` : reportError(error).message;
		return {isVerified: false, why};
	}
}
