import {AppError} from '../core/error.ts';
import {parseJson} from '../core/json.ts';
import type {Transport} from '../net/transport.ts';
import {readText} from './chunks.ts';
import {statusFailure} from './failure.ts';
import {endpointUrl} from './history.ts';
import {listAt, textAt} from './json-path.ts';

const bodyLimit = 4 * 1024 * 1024;

/**
 * Asks an OpenAI-compatible host for the names of its models (`GET {baseUrl}/models`), sorted and each one once. Reads
 * `{data: [{id}]}`, `{models: [{name}]}`, and lists of names. Throws `AppError` as an adapter does.
 */
export async function listHostModels(
	baseUrl: string,
	transport: Transport,
	signal: AbortSignal,
): Promise<readonly string[]> {
	const url = endpointUrl(baseUrl, '/models');
	const {status, headers, body} = await transport({method: 'GET', url, headers: {accept: 'application/json'}, signal});
	const text = await readText(body, bodyLimit);
	if (status < 200 || status > 299) {
		throw statusFailure({name: 'custom', label: 'The custom provider'}, status, headers, text);
	}

	const value = parseJson(text);
	if (typeof value !== 'object' || value === null) {
		throw new AppError('network', `No list of models came from ${url}.`, {
			hint: 'Check that the base URL ends where the host serves /models, often in /v1.',
		});
	}

	const items = [listAt(value), listAt(value, 'data'), listAt(value, 'models')].find(list => list.length > 0) ?? [];
	const names = items.map(item => textAt(item) || textAt(item, 'id') || textAt(item, 'name')).filter(Boolean);
	return [...new Set(names)].toSorted();
}
