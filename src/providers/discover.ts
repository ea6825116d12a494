import {readJson} from '../net/read-body.ts';
import type {Transport, TransportResponse} from '../net/transport.ts';
import {readBeginning} from './chunks.ts';
import {endpointUrl} from './endpoint-url.ts';
import {requestFailure, statusFailure, type Vendor} from './failure.ts';
import {listAt, textAt} from './json-path.ts';

const maxBodyBytes = 4 * 1024 * 1024;

/**
 * Returns the names of the models of an OpenAI-compatible host (`GET {baseUrl}/models`), sorted and unique. Reads
 * `{data: [{id}]}`, `{models: [{name}]}`, and lists of names. Throws `AppError` as an adapter does.
 */
export async function listHostModels(
	vendor: Vendor,
	baseUrl: string,
	transport: Transport,
	signal: AbortSignal,
): Promise<readonly string[]> {
	const url = endpointUrl(baseUrl, '/models');
	const response = await transport({method: 'GET', url, headers: {accept: 'application/json'}, signal}).catch(error => {
		throw requestFailure(vendor, baseUrl, error);
	});
	const {status, headers, body} = response;
	if (status < 200 || status > 299) {
		throw statusFailure(vendor, status, headers, await readBeginning(body));
	}

	return modelNames(response, url);
}

/** Returns the names in a list of models, sorted and unique; none if it has another shape. */
export async function modelNames(response: TransportResponse, url: string): Promise<readonly string[]> {
	const value = await readJson(response, {from: new URL(url).origin, maxBytes: maxBodyBytes});
	const items = [listAt(value), listAt(value, 'data'), listAt(value, 'models')].find(list => list.length > 0) ?? [];
	const names = items.map(item => textAt(item) || textAt(item, 'id') || textAt(item, 'name')).filter(Boolean);
	return [...new Set(names)].toSorted();
}
