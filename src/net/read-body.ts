import {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {isDeeper, type Json, parseJson} from '../core/json.ts';
import type {TransportResponse} from './transport.ts';

const defaultMaxBytes = 64 * 1024 * 1024;
const defaultMaxDepth = 100;

type Limits = {
	/** Origin of the response, for error messages. */
	readonly from?: string;
	/** After decompression. */
	readonly maxBytes?: number;
	/** Returns milliseconds of any clock. */
	readonly now?: (() => number) | undefined;
	/** Nesting of arrays and objects. */
	readonly maxDepth?: number;
};

const baseTimeoutMs = 60_000;
/** A body at this rate or above never times out. */
const minBytesPerSecond = 4096;

/**
 * Yields a body as it comes. Throws AppError("network") if it's too slow: a server that sends a byte now and then never
 * hits the idle timeout, and would never let its caller finish (SAFETY 21).
 */
export async function* inTime(
	body: AsyncIterable<Uint8Array>,
	{from = 'The server', now = performance.now.bind(performance)}: Pick<Limits, 'from' | 'now'> = {},
): AsyncGenerator<Uint8Array> {
	const begun = now();
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (now() - begun > baseTimeoutMs + (bytes / minBytesPerSecond) * 1000) {
			throw new AppError('network', `${from} is too slow: ${formatBytes(bytes)} in over a minute.`, {
				hint: 'Try again later.',
				permanent: true,
			});
		}

		yield chunk;
	}
}

/**
 * Returns a whole body as UTF-8. Throws AppError("network") if it's larger than `maxBytes` or too slow, and what the body
 * throws.
 */
export async function readText(
	{body}: Pick<TransportResponse, 'body'>,
	{from = 'The server', maxBytes = defaultMaxBytes, now}: Limits = {},
): Promise<string> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of inTime(body, {from, now})) {
		bytes += chunk.length;
		if (bytes > maxBytes) {
			throw new AppError('network', `${from} sent more than ${formatBytes(maxBytes)}.`, {
				hint: 'Request less at once.',
				permanent: true,
			});
		}

		chunks.push(chunk);
	}

	return new TextDecoder().decode(Buffer.concat(chunks));
}

/**
 * Returns a whole body as JSON, not yet checked against any schema (SAFETY 24). Throws AppError("network") if it isn't
 * JSON, such as the web page of a proxy, or is nested deeper than `maxDepth`.
 */
export async function readJson(
	response: Pick<TransportResponse, 'body' | 'headers'>,
	limits: Limits = {},
): Promise<Json> {
	const {from = 'The server', maxDepth = defaultMaxDepth} = limits;
	const text = await readText(response, limits);
	const value = parseJson(text);
	if (value !== undefined && isDeeper(value, maxDepth)) {
		throw new AppError('network', `${from} sent JSON that is nested over ${maxDepth} levels deep.`, {
			hint: 'Check the address.',
			permanent: true,
		});
	}

	if (value !== undefined) {
		return value;
	}

	throw noJson(text, {from, isPage: isWebPage(response.headers, text)});
}

/** Returns the error for a body that is no JSON. */
export function noJson(text: string, {from, isPage}: {readonly from: string; readonly isPage: boolean}): AppError {
	return isPage
		? new AppError('network', `${from} returned a web page instead of data.`, {
				hint: 'Check the address, and whether a proxy or login page is in between.',
				permanent: true,
			})
		: new AppError('network', `${from} returned ${text.trim() ? 'something other than JSON' : 'an empty response'}.`, {
				hint: 'Check the address.',
				permanent: true,
			});
}

/** Returns true for a web page, such as that of a proxy or a login. */
export function isWebPage(headers: Readonly<Record<string, string>>, text: string): boolean {
	return /^text\/html\b/i.test(headers['content-type'] ?? '') || /^\s*<(?:!doctype|html|head|body)\b/i.test(text);
}
