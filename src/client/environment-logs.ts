import {endpoints} from '../contract/endpoints.ts';
import {isJsonObject} from '../core/json.ts';
import type {Origin} from '../core/origin.ts';
import {readText} from '../net/read-body.ts';
import type {Transport, TransportResponse} from '../net/transport.ts';
import {readAnswer} from './answer.ts';
import {requestOf} from './request.ts';

/** What an answer says of the log beyond the contract, as far as the server says such things. */
type Offered = {
	/** Offset in bytes just after the last byte of the text, which `after` takes. */
	readonly offset?: number | undefined;
	/** Offset of its first byte. */
	readonly start?: number | undefined;
	readonly etag?: string | undefined;
};

export type EnvironmentLog =
	| {readonly kind: 'unchanged'}
	| ({readonly kind: 'window'; readonly text: string} & Offered);

/** What the answer before offered. */
type Known = {readonly after?: number | undefined; readonly etag?: string | undefined};

/** Reads the log of one environment, once. */
export type ReadEnvironmentLog = (known: Known, signal: AbortSignal) => Promise<EnvironmentLog>;

/** Longest silence of a server in milliseconds: whoever follows a log asks again. */
const timeoutMs = 30_000;

/**
 * The operation `getEnvironmentLogs` for one environment of one server, as whoever follows a log needs it: with what a
 * server may offer beyond the contract, an offset and a tag, which are sent only where it gave them before; and without
 * a retry. `params` are checked here: throws `usage`. Each call throws as those of `Client` do. `onFirst` hears of the
 * first one that went well.
 */
export function environmentLogReader(
	server: Origin,
	transport: Transport,
	params: Readonly<Record<'org' | 'workspace' | 'environmentId', string>>,
	onFirst?: (answer: unknown) => void,
): ReadEnvironmentLog {
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
			return {kind: 'unchanged'};
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

function offeredBy({headers}: TransportResponse): Offered {
	return {
		offset: readOffset(headers['x-log-offset']),
		start: readOffset(headers['x-log-start']),
		etag: headers['etag'],
	};
}

function readOffset(text: string | undefined): number | undefined {
	const offset = /^\d{1,16}$/.test(text ?? '') ? Number(text) : Number.NaN;
	return Number.isSafeInteger(offset) ? offset : undefined;
}
