import {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {isDeeper, type Json, parseJson} from '../core/json.ts';
import type {TransportResponse} from './transport.ts';

const bodyLimit = 64 * 1024 * 1024;
const depthLimit = 100;

type Limits = {
	/** Who answered, for the message of an error; an origin. */
	readonly from?: string;
	/** Most bytes, after decompression. */
	readonly limit?: number;
	/** Milliseconds of any clock. */
	readonly now?: (() => number) | undefined;
	/** Most levels of arrays and objects in each other. */
	readonly depth?: number;
};

/** So long a body may take, in milliseconds, and a second more for every so many bytes that came. */
const baseTimeoutMs = 60_000;
const slowest = 4096;

/**
 * A body as it comes. Throws `AppError` (`network`) for one that drips: a far end that sends a byte now and then is never
 * silent, and would keep whoever waits for the end for ever (SAFETY 21).
 */
export async function* inTime(
	body: AsyncIterable<Uint8Array>,
	{from = 'The server', now = performance.now.bind(performance)}: Pick<Limits, 'from' | 'now'> = {},
): AsyncGenerator<Uint8Array> {
	const begun = now();
	let bytes = 0;
	for await (const chunk of body) {
		bytes += chunk.length;
		if (now() - begun > baseTimeoutMs + (bytes / slowest) * 1000) {
			throw new AppError('network', `${from} answers too slowly: ${formatBytes(bytes)} in a minute or more.`, {
				hint: 'Try again later.',
				permanent: true,
			});
		}

		yield chunk;
	}
}

/**
 * Reads a whole body as UTF-8. Throws `AppError` (`network`) for one over `limit` bytes or that drips, and what the body
 * throws.
 */
export async function readText(
	{body}: Pick<TransportResponse, 'body'>,
	{from = 'The server', limit = bodyLimit, now}: Limits = {},
): Promise<string> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of inTime(body, {from, now})) {
		bytes += chunk.length;
		if (bytes > limit) {
			throw new AppError('network', `${from} answered with more than ${formatBytes(limit)}.`, {
				hint: 'Ask for less at once.',
				permanent: true,
			});
		}

		chunks.push(chunk);
	}

	return new TextDecoder().decode(Buffer.concat(chunks));
}

/**
 * Reads a whole body as JSON, not yet checked against any schema (SAFETY 24). Throws `AppError` (`network`) for what is
 * none, above all the HTML page of a proxy, and for JSON nested deeper than `depth`.
 */
export async function readJson(
	response: Pick<TransportResponse, 'body' | 'headers'>,
	limits: Limits = {},
): Promise<Json> {
	const {from = 'The server', depth = depthLimit} = limits;
	const text = await readText(response, limits);
	const value = parseJson(text);
	if (value !== undefined && isDeeper(value, depth)) {
		throw new AppError('network', `${from} answered with JSON nested deeper than ${depth} levels.`, {
			hint: 'Check the address.',
			permanent: true,
		});
	}

	if (value !== undefined) {
		return value;
	}

	throw isWebPage(response.headers, text)
		? new AppError('network', `${from} answered with a web page instead of data.`, {
				hint: 'Check the address, and whether a proxy or a login page stands in between.',
				permanent: true,
			})
		: new AppError('network', `${from} answered with ${text ? 'something that is not JSON' : 'nothing'}.`, {
				hint: 'Check the address.',
				permanent: true,
			});
}

/** True for the page that a proxy or a login page shows to people. */
export function isWebPage(headers: Readonly<Record<string, string>>, text: string): boolean {
	return /^text\/html\b/i.test(headers['content-type'] ?? '') || /^\s*<(?:!doctype|html|head|body)\b/i.test(text);
}
