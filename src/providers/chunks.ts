import {createParser} from 'eventsource-parser';
import {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import {isDeeper, isJsonObject, type Json, type JsonObject, parseJson} from '../core/json.ts';
import {inTime} from '../net/read-body.ts';
import {bodyBytes} from './body-bytes.ts';
import {looksLikeHtml, requestFailure, statusFailure, streamFailure, type Vendor, vendorMessage} from './failure.ts';
import type {ProviderRequest} from './provider.ts';

type Bytes = AsyncIterable<Uint8Array>;

/** A chunk of an answer, parsed but not validated, or the vendor's end mark. */
export type Chunk = JsonObject | '[DONE]';

/** Chunks that arrived together, and the error that came behind them. */
export type ChunkList = {readonly chunks: readonly Chunk[]; readonly failure?: {readonly error: unknown} | undefined};

/** A request to a provider. */
export type Call = {
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body: JsonObject;
};

/** Most characters of an error body. */
const maxErrorLength = 64 * 1024;
/** Most characters of an answer that doesn't come as a stream. */
const maxWholeLength = 8 * 1024 * 1024;
/** Most bytes of one answer: more than twice the longest answers with all their framing. */
const maxAnswerBytes = 128_000_000;
/** Most bytes of white space before the first event. */
const maxBlankBytes = 64 * 1024;
const maxDepth = 100;
/** Longest silence before and within an answer: local models read long prompts for minutes, others think for minutes. */
const idleTimeoutMs = 600_000;

/**
 * Sends a request. Returns the chunks of its answer: those that arrived together as one list, which ends where one is an
 * error. An answer that doesn't come as a stream is one chunk, or some in a list, of which `isWhole` tells one. Throws
 * `AppError` for a status other than 2xx, an answer that is neither, an endless answer and a broken connection. A
 * connection that merely closes ends the chunks.
 */
export async function openChunks(
	{transport, signal, baseUrl, messages}: ProviderRequest,
	vendor: Vendor,
	{url, headers, body}: Call,
	isWhole: (answer: JsonObject) => boolean = () => false,
): Promise<AsyncGenerator<ChunkList>> {
	const {bytes: sent, release} = bodyBytes(body, messages);
	const response = await transport({
		method: 'POST',
		url,
		headers: {'content-type': 'application/json', accept: 'text/event-stream', ...headers},
		body: sent,
		signal,
		headersTimeoutMs: idleTimeoutMs,
		idleTimeoutMs,
	}).catch(error => {
		throw requestFailure(vendor, baseUrl, error);
	});
	if (response.status < 200 || response.status > 299) {
		throw statusFailure(vendor, response.status, response.headers, await readBeginning(response.body));
	}

	// Compatible hosts send events under any content type or none, so the first character decides.
	const {first, bytes} = await peek(response.body, signal, vendor);
	if (first === '<' || first === '{' || first === '[') {
		const text = await readBeginning(bytes, maxWholeLength);
		const whole = [parseJson(text) ?? []].flat();
		if (whole.some(answer => isJsonObject(answer) && isWhole(answer))) {
			return wholeAnswer(whole, vendor, release);
		}

		throw notAStream(vendor, text.slice(0, maxErrorLength));
	}

	return readChunks(bytes, vendor, release);
}

/** Yields the answer of a host that doesn't stream: it is paid for. */
async function* wholeAnswer(chunks: readonly Json[], vendor: Vendor, onEnd: () => void): AsyncGenerator<ChunkList> {
	onEnd();
	yield listOf(chunks, chunk => (isJsonObject(chunk) ? checkedChunk(chunk, undefined, vendor) : undefined));
}

/** Yields the chunks of an answer up to its limit: an endless one would fill memory and disk (SAFETY 21). */
async function* readChunks(body: Bytes, vendor: Vendor, onEnd: () => void): AsyncGenerator<ChunkList> {
	const parser = createSseParser();
	let left = maxAnswerBytes;
	try {
		for await (const bytes of body) {
			left -= bytes.length;
			if (left < 0) {
				throw new AppError('network', `${vendor.label} sent more than ${formatBytes(maxAnswerBytes)} in one answer.`, {
					hint: 'Check that the address is that of a model provider.',
					permanent: true,
				});
			}

			const events = parser.feed(bytes);
			if (events.length > 0) {
				yield parseChunks(events, vendor);
			}
		}

		const last = parser.end();
		if (last.length > 0) {
			yield parseChunks(last, vendor);
		}
	} finally {
		onEnd();
	}
}

function parseChunks(events: readonly ServerSentEvent[], vendor: Vendor): ChunkList {
	return listOf(events, event => parseChunk(event, vendor));
}

/** Returns the chunks that `read` finds, up to the error that it throws. */
function listOf<Item>(items: readonly Item[], read: (item: Item) => Chunk | undefined): ChunkList {
	const chunks: Chunk[] = [];
	try {
		for (const item of items) {
			const chunk = read(item);
			if (chunk !== undefined) {
				chunks.push(chunk);
			}
		}
	} catch (error) {
		return {chunks, failure: {error}};
	}

	return {chunks};
}

/** Returns the chunk that an event is; undefined for one that is none. Throws `AppError` for an error. */
function parseChunk({event, data}: ServerSentEvent, vendor: Vendor): Chunk | undefined {
	const chunk = parseJson(data);
	if (isJsonObject(chunk)) {
		return checkedChunk(chunk, event, vendor);
	}

	if (data.trim() === '[DONE]') {
		return '[DONE]';
	}

	if (event === 'error') {
		throw streamFailure(vendor, data);
	}

	if (data.startsWith('{')) {
		throw new AppError('network', `${vendor.label} sent an invalid stream.`, {hint: 'Try again.'});
	}

	return undefined;
}

/** Returns a chunk that is neither too deep nor an error. Throws `AppError` for another one. */
function checkedChunk(chunk: JsonObject, event: string | undefined, vendor: Vendor): JsonObject {
	if (isDeeper(chunk, maxDepth)) {
		throw new AppError('network', `${vendor.label} sent JSON nested deeper than ${maxDepth} levels.`, {
			hint: 'Check that the address is that of a model provider.',
			permanent: true,
		});
	}

	if (isError(event, chunk)) {
		throw streamFailure(vendor, chunk);
	}

	return chunk;
}

/** Returns the beginning of a body, at most `maxLength` characters. After a read error it returns what came before. */
export async function readBeginning(body: Bytes, maxLength = maxErrorLength): Promise<string> {
	const decoder = new TextDecoder();
	let text = '';
	try {
		for await (const bytes of inTime(body)) {
			text += decoder.decode(bytes, {stream: true});
			if (text.length >= maxLength) {
				break;
			}
		}
	} catch {
		// The text so far is enough.
	}

	return text.slice(0, maxLength);
}

/** True for a chunk that reports an error, in one of the ways that vendors use. */
function isError(event: string | undefined, chunk: JsonObject): boolean {
	const {error, type, object} = chunk;
	return event === 'error' || type === 'error' || object === 'error' || (!!error && vendorMessage({error}) !== '');
}

function notAStream(vendor: Vendor, text: string): AppError {
	if (looksLikeHtml(text)) {
		return new AppError('network', `Couldn't reach ${vendor.label}: a web page answered instead.`, {
			hint: 'Check the base URL, and any proxy in between.',
			permanent: true,
		});
	}

	const body = parseJson(text);
	if (isJsonObject(body) && isError(undefined, body)) {
		return streamFailure(vendor, body);
	}

	return new AppError('provider', `${vendor.label} didn't stream its answer.`, {
		hint: 'Check that the base URL belongs to a host that supports streaming.',
	});
}

/** Returns the first character that isn't white space, '' for an empty body, and the whole body. */
async function peek(body: Bytes, signal: AbortSignal, {label}: Vendor): Promise<{first: string; bytes: Bytes}> {
	const source = body[Symbol.asyncIterator]();
	const decoder = new TextDecoder();
	const seen: Uint8Array[] = [];
	const failWith = (error: unknown): never => {
		throw error instanceof AppError || signal.aborted
			? error
			: new AppError('network', `The connection to ${label} was cut.`, {cause: error, hint: 'Try again.'});
	};
	let text = '';
	let size = 0;
	while (text === '' && size < maxBlankBytes) {
		const {done, value} = await source.next().catch(failWith);
		if (done) {
			break;
		}

		seen.push(value);
		size += value.length;
		text = decoder.decode(value, {stream: true}).trimStart();
	}

	// Without a generator around the rest: each would cost promises for every read of the network.
	const next = () => {
		const value = seen.shift();
		return value ? Promise.resolve({done: false, value}) : source.next().catch(failWith);
	};
	const close = async () => {
		await source.return?.();
		return {done: true, value: undefined} as const;
	};
	return {first: text.slice(0, 1), bytes: {[Symbol.asyncIterator]: () => ({next, return: close})}};
}

/** One event of a stream: its name, if it has one, and its data lines joined by LF. */
export type ServerSentEvent = {readonly event: string | undefined; readonly data: string};

type Options = {
	/** The most characters of one line or one event's data; 8 Mi by default (SAFETY 21). */
	readonly maxLength?: number;
};

const mebi = 1024 * 1024;

/** Reads the events of one stream. */
type SseParser = {
	/** Returns the events that these bytes end. Throws AppError("network") for a line over `maxLength`. */
	readonly feed: (bytes: Uint8Array) => readonly ServerSentEvent[];
	/** Returns the last events, once the stream has ended. Throws like `feed`. */
	readonly end: () => readonly ServerSentEvent[];
};

/**
 * Creates a parser of server-sent events (WHATWG HTML, section 9.2) in bytes that may be split anywhere. Lines end in LF,
 * CRLF or CR, a BOM may come first, comments are skipped. Some vendors leave out the last blank line, so a last event
 * counts without it if it's whole: `[DONE]` or valid JSON.
 */
export function createSseParser({maxLength = 8 * mebi}: Options = {}): SseParser {
	// The decoder removes the BOM; the parser only recognizes it undecoded.
	const decoder = new TextDecoder();
	const toLineFeeds = lineFeeds();
	const events: ServerSentEvent[] = [];
	let isTooLong = false;
	const parser = createParser({
		maxBufferSize: maxLength,
		onEvent({event, data}) {
			isTooLong ||= data.length > maxLength;
			events.push({event, data});
		},
		onError({type, field, value = ''}) {
			// Unknown fields are ignored, except the one in which llama.cpp reports failures.
			isTooLong ||= type === 'max-buffer-size-exceeded';
			if (type === 'unknown-field' && field === 'error') {
				events.push({event: 'error', data: value});
			}
		},
	});

	const feed = (text: string): readonly ServerSentEvent[] => {
		if (text) {
			parser.feed(text);
		}

		if (isTooLong) {
			throw new AppError('network', `A line of the response is longer than ${Math.floor(maxLength / mebi)} MiB.`, {
				hint: 'Check that the address belongs to a model provider.',
				permanent: true,
			});
		}

		return events.splice(0);
	};

	return {
		feed: bytes => feed(toLineFeeds(decoder.decode(bytes, {stream: true}))),
		end() {
			const rest = feed(toLineFeeds(decoder.decode()));
			const last = feed('\n\n').filter(({data}) => data.trim() === '[DONE]' || parseJson(data) !== undefined);
			return [...rest, ...last];
		},
	};
}

/**
 * Returns a function that normalizes line ends to LF. The parser accepts CR, but holds an event back until it knows that no
 * LF follows, which may take long in a stream.
 */
function lineFeeds(): (text: string) => string {
	let isAfterReturn = false;
	return text => {
		const rest = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
		isAfterReturn = text === '' ? isAfterReturn : text.endsWith('\r');
		return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
	};
}
