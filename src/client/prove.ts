import {endpoints} from '../contract/endpoints.ts';
import {AppError} from '../core/error.ts';
import {isJsonObject, parseJson} from '../core/json.ts';
import type {Transport} from '../net/transport.ts';

const mostBytes = 4 * 1024 * 1024;

/**
 * Asks a server whether the credential of `transport` is good: `GET /api/v1/user/preferences`, where 401 means no. Throws
 * `auth` for a refusal, `upgrade` where the server wants a newer client, `network` for an answer that is not the API's.
 */
export async function proveCredential(server: string, transport: Transport, signal?: AbortSignal): Promise<void> {
	const {method, path} = endpoints.getUserPreferences;
	const response = await transport({
		method,
		url: `${server}${path}`,
		headers: {accept: 'application/json'},
		...(signal && {signal}),
	});
	const text = await readWhole(response.body);
	const answer = parseJson(text);
	const detail = isJsonObject(answer) && typeof answer['detail'] === 'string' ? ` (${answer['detail']})` : '';
	switch (response.status) {
		case 200:
			break;
		case 401:
		case 403:
			throw new AppError('auth', `${server} refused the key${detail}.`, {
				hint: 'Check the key, or make a new one there.',
			});
		case 426:
			throw new AppError('upgrade', `${server} needs a newer version of service${detail}.`, {hint: 'Update service.'});
		default:
			throw new AppError('network', `${server} answered ${response.status}${detail}.`, {
				hint: response.status === 404 ? 'Is this the address of an agent platform?' : 'Try again later.',
			});
	}

	if (!isJsonObject(answer)) {
		throw new AppError('network', `${server} did not answer as an agent platform does.`, {
			hint: 'Check the address; a proxy may stand in between.',
		});
	}
}

async function readWhole(body: AsyncIterable<Uint8Array>): Promise<string> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (bytes > mostBytes) {
			throw new AppError('network', 'The answer is too long.', {hint: 'Check the address of the server.'});
		}

		chunks.push(chunk);
	}

	return new TextDecoder().decode(Buffer.concat(chunks));
}
