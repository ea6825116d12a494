import type {JSONRPCMessage, Transport} from '@modelcontextprotocol/client';
import {isJsonObject, type Json, type JsonObject, limitDepth, parseJson} from '../../core/json.ts';
import {isWebPage, noJson} from '../../net/read-body.ts';
import {saysSessionIsLost} from './connection-error.ts';
import {readAnswer, readCapabilities} from './read-answer.ts';

/** The key of a result that is no object, on its way through the SDK's own transport. */
const bareKey = 'service/bare';
/** The code of an error that gives none (JSON-RPC 2.0, section 5.1). */
const internalError = -32_603;
/** What is nested deeper is left out: one tool that is described so must not cost the others. */
const maxDepth = 100;

/**
 * Returns a transport whose incoming messages are what the SDK can read: answers are read part by part, by the method that
 * they answer, and errors get a code and a message. The SDK refuses a whole answer for one field of a wrong type.
 * `onUnknownVersion` gets the revision that a server speaks if this program doesn't know it.
 */
export function lenientTransport(inner: Transport, onUnknownVersion: (version: string) => void): Transport {
	/** The requests that wait, by their ids as text. */
	const waiting = new Map<string, {readonly id: string | number; readonly method: string}>();
	let ownVersion: string | undefined;
	const read = (message: JSONRPCMessage): JSONRPCMessage => {
		const given = limitDepth(message as object as JsonObject, maxDepth);
		if ('method' in given) {
			return given as object as JSONRPCMessage;
		}

		const key = keyOf(given['id'], waiting);
		const request = waiting.get(key);
		waiting.delete(key);
		if (request === undefined) {
			return given as object as JSONRPCMessage;
		}

		const {id, method} = request;
		const known = {jsonrpc: '2.0', id};
		const {error} = given;
		if (error !== undefined && error !== null) {
			return {...known, error: readError(error)} as object as JSONRPCMessage;
		}

		const {result: said} = given;
		const answer = isJsonObject(said) && bareKey in said ? said[bareKey] : said;
		const result = method === 'server/discover' ? readDiscovery(answer) : readAnswer(method, answer);
		const version = method === 'initialize' && isJsonObject(answer) ? answer['protocolVersion'] : undefined;
		if (typeof version === 'string' && version !== result['protocolVersion']) {
			ownVersion = version;
			onUnknownVersion(version);
		}

		return {...known, result} as object as JSONRPCMessage;
	};
	const outer: Transport = {
		...(inner.hasPerRequestStream !== undefined && {hasPerRequestStream: inner.hasPerRequestStream}),
		get sessionId() {
			return inner.sessionId;
		},
		async start() {
			inner.onmessage = (message, extra) => outer.onmessage?.(read(message), extra);
			inner.onerror = error => outer.onerror?.(error);
			inner.onclose = () => outer.onclose?.();
			await inner.start();
		},
		async send(message, options) {
			if ('method' in message && 'id' in message) {
				waiting.set(String(message.id), {id: message.id, method: message.method});
			}

			await inner.send(message, options);
		},
		close: () => inner.close(),
		// A server is told the revision that it named itself.
		setProtocolVersion: version => inner.setProtocolVersion?.(ownVersion ?? version),
	};
	return outer;
}

/** Returns the key of the request that an answer belongs to: its id, or the only request if it has none, as of an error may be. */
function keyOf(given: Json | undefined, waiting: ReadonlyMap<string, unknown>): string {
	if (typeof given === 'string' || typeof given === 'number') {
		return String(given);
	}

	const [only = ''] = waiting.size === 1 ? waiting.keys() : [];
	return only;
}

function readError(given: Json): JsonObject {
	const {code, message, data} = isJsonObject(given) ? given : {message: given};
	return {
		code: Number.isInteger(code) ? (code as number) : internalError,
		message: typeof message === 'string' && message.trim() ? message : JSON.stringify(given),
		...(data !== undefined && {data}),
	};
}

function readDiscovery(given: Json | undefined): JsonObject {
	const answer = isJsonObject(given) ? given : {};
	return 'supportedVersions' in answer
		? {resultType: 'complete', ...answer, capabilities: readCapabilities(answer['capabilities'])}
		: answer;
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Returns a `fetch` whose responses are what the SDK can read: JSON gets the fields of JSON-RPC that it lacks, a body that is
 * none is named, and what is accepted without an answer, though the request is for a server of another revision, is refused at once. A lost session that
 * is told with the status of a missing login becomes 404, because a login would not bring it back.
 */
export function lenientFetch(fetch: Fetch): Fetch {
	return async (url, init) => {
		const response = await fetch(url, init);
		const sent = new Headers(init?.headers);
		const isProbe = sent.get('mcp-method') === 'server/discover';
		if (isProbe && (response.status === 202 || response.status === 204)) {
			await response.body?.cancel();
			return new Response('', {status: 400, statusText: 'No answer'});
		}

		if (response.status === 401 && sent.has('mcp-session-id')) {
			const body = await response.text();
			const {headers, statusText} = response;
			return saysSessionIsLost(body)
				? new Response(body, {status: 404, statusText: 'Not Found'})
				: new Response(body, {status: 401, statusText, headers});
		}

		const id = requestIdIn(init?.body);
		const type = response.headers.get('content-type') ?? '';
		if (offersNoStream(response, {sent, method: init?.method, type})) {
			await response.body?.cancel();
			return new Response('', {status: 405, statusText: 'No stream'});
		}

		if (!response.ok || id === undefined || response.status === 202 || /^text\/event-stream\b/i.test(type)) {
			return response;
		}

		return readBody(response, {id, type, isProbe});
	};
}

/** True for JSON or a page instead of the stream that was asked for: as one that ends at once, it would be opened again and again. */
function offersNoStream(
	{ok}: Response,
	{sent, method, type}: {readonly sent: Headers; readonly method: string | undefined; readonly type: string},
): boolean {
	const asksForStream = method === 'GET' && sent.get('accept')?.includes('text/event-stream');
	return ok && asksForStream === true && /\b(?:json|html)\b/i.test(type);
}

/**
 * Returns a response to a request as JSON or as events, whatever its type says. Throws AppError("network") for a body that is
 * neither; to a probe it says that the server is of another revision.
 */
async function readBody(
	response: Response,
	{id, type, isProbe}: {readonly id: Json; readonly type: string; readonly isProbe: boolean},
): Promise<Response> {
	const {status} = response;
	const headers = new Headers(response.headers);
	const text = await response.text();
	const parsed = parseJson(text);
	if (parsed !== undefined) {
		const value = limitDepth(parsed, maxDepth);
		headers.set('content-type', 'application/json');
		return new Response(JSON.stringify(isJsonObject(value) ? readEnvelope(value, id) : value), {status, headers});
	}

	if (/^(?:event|data|id|retry)?:/.test(text)) {
		headers.set('content-type', 'text/event-stream');
		return new Response(text, {status, headers});
	}

	if (isProbe) {
		return new Response('', {status: 400, statusText: 'No answer'});
	}

	throw noJson(text, {from: 'It', isPage: isWebPage({'content-type': type}, text)});
}

/** Returns the id of the only request in a body. */
function requestIdIn(body: RequestInit['body']): Json | undefined {
	const message = typeof body === 'string' ? parseJson(body) : undefined;
	return isJsonObject(message) ? message['id'] : undefined;
}

/** Returns a response of JSON-RPC to a request with the fields and types that it must have. Other messages stay as they are. */
function readEnvelope(message: JsonObject, id: Json | undefined): Json {
	if (id === undefined || 'method' in message || !('result' in message || 'error' in message)) {
		return message;
	}

	const {result, error} = message;
	const known = {jsonrpc: '2.0', id};
	if (error !== undefined && error !== null) {
		return {...known, error: readError(error)};
	}

	if (!isJsonObject(result)) {
		return {...known, result: {[bareKey]: result ?? null}};
	}

	const {_meta: meta, ...rest} = result;
	return {...known, result: isJsonObject(meta) ? result : rest};
}
