import {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {isDeeper, isJsonObject, type JsonObject, parseJson, wellFormedJson} from '../core/json.ts';
import {inTime} from '../net/read-body.ts';
import {readSse, type ServerSentEvent} from '../net/sse.ts';
import {looksLikeHtml, requestFailure, statusFailure, streamFailure, type Vendor, vendorMessage} from './failure.ts';
import type {ProviderRequest} from './provider.ts';

type Bytes = AsyncIterable<Uint8Array>;

/** Where a request goes, and what it says. */
export type Call = {
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body: JsonObject;
};

const errorBodyLimit = 64 * 1024;
/** Most bytes of one answer: more than twice what the longest answers take with all that is written around each token. */
const answerLimit = 128_000_000;
/** So much white space may stand before the first event, in bytes. */
const blankLimit = 64 * 1024;
const deepest = 100;
/**
 * Longest silence in milliseconds, before the answer and within it: a model on the user's own machine reads a long prompt
 * for minutes, and others think for minutes without a word.
 */
const longestSilence = 600_000;

/**
 * Sends a request and gives the chunks of its answer, parsed but not validated, and `[DONE]` where the vendor says so.
 * Throws `AppError` for a status that is not 2xx, for what is no stream of events, for an error inside the stream, for an
 * answer that has no end, and for a connection that breaks; one that merely ends, ends the chunks.
 */
export async function openChunks(
	{transport, signal, baseUrl}: ProviderRequest,
	vendor: Vendor,
	{url, headers, body}: Call,
): Promise<AsyncGenerator<JsonObject | '[DONE]'>> {
	const response = await transport({
		method: 'POST',
		url,
		headers: {'content-type': 'application/json', accept: 'text/event-stream', ...headers},
		body: wellFormedJson(body),
		signal,
		headersTimeoutMs: longestSilence,
		idleTimeoutMs: longestSilence,
	}).catch(error => {
		throw requestFailure(vendor, baseUrl, error);
	});
	if (response.status < 200 || response.status > 299) {
		throw statusFailure(vendor, response.status, response.headers, await readBeginning(response.body));
	}

	// Compatible hosts send events under any content type or none, so the first character decides.
	const {first, bytes} = await peek(response.body, signal, vendor);
	if (first === '<' || first === '{' || first === '[') {
		throw notAStream(vendor, await readBeginning(bytes));
	}

	return parseChunks(readSse(capped(bytes, vendor)), vendor);
}

/** Passes an answer on up to its limit: one without end would fill memory and disk (SAFETY 21). */
async function* capped(body: Bytes, {label}: Vendor): AsyncGenerator<Uint8Array> {
	let left = answerLimit;
	for await (const bytes of body) {
		left -= bytes.length;
		if (left < 0) {
			throw new AppError('network', `${label} sent more than ${formatBytes(answerLimit)} in one answer.`, {
				hint: 'Check that the address is that of a model provider.',
				permanent: true,
			});
		}

		yield bytes;
	}
}

/** Reads the beginning of a body, `limit` characters at most; what cannot be read is left out. */
export async function readBeginning(body: Bytes, limit = errorBodyLimit): Promise<string> {
	const decoder = new TextDecoder();
	let text = '';
	try {
		for await (const bytes of inTime(body)) {
			text += decoder.decode(bytes, {stream: true});
			if (text.length >= limit) {
				break;
			}
		}
	} catch {
		// What came has to do.
	}

	return text.slice(0, limit);
}

async function* parseChunks(
	events: AsyncIterable<ServerSentEvent>,
	vendor: Vendor,
): AsyncGenerator<JsonObject | '[DONE]'> {
	for await (const {event, data} of events) {
		const chunk = parseJson(data);
		if (isJsonObject(chunk)) {
			if (isDeeper(chunk, deepest)) {
				throw new AppError('network', `${vendor.label} sent JSON nested deeper than ${deepest} levels.`, {
					hint: 'Check that the address is that of a model provider.',
					permanent: true,
				});
			}

			if (isError(event, chunk)) {
				throw streamFailure(vendor, chunk);
			}

			yield chunk;
		} else if (data.trim() === '[DONE]') {
			yield '[DONE]';
		} else if (event === 'error') {
			throw streamFailure(vendor, data);
		} else if (data.startsWith('{')) {
			throw new AppError('network', `${vendor.label} sent a damaged stream.`, {hint: 'Try again.'});
		}
	}
}

/** Passes chunks on; a connection that breaks after the end mark takes nothing from an answer that is whole. */
export async function* untilBreak<Chunk>(chunks: AsyncIterable<Chunk>, isWhole: () => boolean): AsyncGenerator<Chunk> {
	try {
		yield* chunks;
	} catch (error) {
		if (!(isWhole() && error instanceof AppError && error.code === 'network')) {
			throw error;
		}
	}
}

/** All vendors mark errors in one of these ways, some of them in two. */
function isError(event: string | undefined, chunk: JsonObject): boolean {
	const {error, type, object} = chunk;
	return event === 'error' || type === 'error' || object === 'error' || (!!error && vendorMessage({error}) !== '');
}

function notAStream(vendor: Vendor, text: string): AppError {
	if (looksLikeHtml(text)) {
		return new AppError('network', `${vendor.label} was not reached: a web page answered instead.`, {
			hint: 'Check the base URL, and any proxy on the way.',
			permanent: true,
		});
	}

	const body = parseJson(text);
	if (isJsonObject(body) && isError(undefined, body)) {
		return streamFailure(vendor, body);
	}

	return new AppError('provider', `${vendor.label} sent its answer in one piece instead of as a stream.`, {
		hint: 'Check that the base URL belongs to a host that can stream.',
	});
}

/** Looks at the first character that is no white space without taking it from the body; empty for an empty body. */
async function peek(body: Bytes, signal: AbortSignal, {label}: Vendor): Promise<{first: string; bytes: Bytes}> {
	const source = body[Symbol.asyncIterator]();
	const decoder = new TextDecoder();
	const seen: Uint8Array[] = [];
	const explain = (error: unknown): unknown =>
		error instanceof AppError || signal.aborted
			? error
			: new AppError('network', `The connection to ${label} was cut.`, {cause: error, hint: 'Try again.'});
	let text = '';
	let size = 0;
	try {
		while (text === '' && size < blankLimit) {
			const {done, value} = await source.next();
			if (done) {
				break;
			}

			seen.push(value);
			size += value.length;
			text = decoder.decode(value, {stream: true}).trimStart();
		}
	} catch (error) {
		throw explain(error);
	}

	return {first: text.slice(0, 1), bytes: resume(seen, source, explain)};
}

async function* resume(
	seen: readonly Uint8Array[],
	source: AsyncIterator<Uint8Array>,
	explain: (error: unknown) => unknown,
) {
	try {
		yield* seen;
		for (let next = await source.next(); !next.done; next = await source.next()) {
			yield next.value;
		}
	} catch (error) {
		throw explain(error);
	} finally {
		await source.return?.();
	}
}
