import {endpoints} from '../contract/endpoints.ts';
import type {LogAnswer, LogSource} from '../contract/log-cursor.ts';
import {isJsonObject} from '../core/json.ts';
import type {Origin} from '../core/origin.ts';
import {readText} from '../net/read-body.ts';
import type {Transport, TransportResponse} from '../net/transport.ts';
import {readAnswer, requestOf} from './request.ts';

/** Longest silence of a server. A tail retries. */
const timeoutMs = 30_000;

/**
 * Creates a source that reads the log of one environment with the operation `getEnvironmentLogs`, without a retry. It
 * sends the offset and the tag that a server offers beyond the contract. Throws `AppError("usage")` for invalid `params`.
 * Each read throws as the operations of `Client` do. `onFirst` is called with the first successful answer.
 */
export function environmentLogSource(
	server: Origin,
	transport: Transport,
	params: Readonly<Record<'org' | 'workspace' | 'environmentId', string>>,
	onFirst?: (answer: unknown) => void,
): LogSource {
	const row = endpoints.getEnvironmentLogs;
	const {headers, url, method} = requestOf(server, row, {params});
	let isFirst = true;
	return async ({after, etag}, signal) => {
		const response = await transport({
			method,
			url: after === undefined ? url : `${url}?after=${after}`,
			headers: {...headers, ...(etag && {'if-none-match': etag})},
			headersTimeoutMs: timeoutMs,
			idleTimeoutMs: timeoutMs,
			signal,
		});
		if (response.status === 304) {
			await readText(response);
			return {kind: 'unchanged', ended: response.headers['x-log-ended']};
		}

		const answer = await readAnswer(row, response, server);
		if (isFirst) {
			isFirst = false;
			onFirst?.(answer);
		}

		const text = isJsonObject(answer) && typeof answer['logs'] === 'string' ? answer['logs'] : '';
		return {kind: 'window', text, ...offeredBy(response)};
	};
}

/** Returns what the headers tell about the text of an answer. */
function offeredBy({headers}: TransportResponse): Omit<Extract<LogAnswer, {kind: 'window'}>, 'kind' | 'text'> {
	return {
		offset: readOffset(headers['x-log-offset']),
		start: readOffset(headers['x-log-start']),
		etag: headers['etag'],
		ended: headers['x-log-ended'],
	};
}

function readOffset(text: string | undefined): number | undefined {
	const offset = /^\d{1,16}$/.test(text ?? '') ? Number(text) : Number.NaN;
	return Number.isSafeInteger(offset) ? offset : undefined;
}
