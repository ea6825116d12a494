import {type Debug, debugError, debugUrl} from '../core/debug.ts';
import type {Transport, TransportRequest, WarmTransport} from './transport.ts';

/** Returns a transport that writes one entry for each request, once its response was read or has failed. */
export function withDebug(transport: WarmTransport, debug: Debug, now = () => performance.now()): WarmTransport {
	const send: Transport = async request => {
		const log = entryWriter(request, debug, now);
		try {
			const {body, ...head} = await transport(request);
			return {...head, body: counted(body, (bytes, error) => log(bytes, {status: head.status, error}))};
		} catch (error) {
			log(0, {status: undefined, error});
			throw error;
		}
	};
	return Object.assign(send, transport.warm && {warm: transport.warm});
}

type End = {readonly status: number | undefined; readonly error: unknown};

function entryWriter({method, url}: TransportRequest, debug: Debug, now: () => number) {
	const startedAt = now();
	return (bytes: number, {status, error}: End) => {
		debug({
			kind: 'request',
			method,
			url: URL.canParse(url) ? debugUrl(url) : 'invalid',
			status,
			durationMs: Math.round(now() - startedAt),
			bytes,
			...(error !== undefined && {error: debugError(error)}),
		});
	};
}

/** Yields a body as it comes, and calls `onEnd` once with its bytes, also if it breaks or is left unread. */
async function* counted(
	body: AsyncIterable<Uint8Array>,
	onEnd: (bytes: number, error: unknown) => void,
): AsyncGenerator<Uint8Array> {
	let bytes = 0;
	let failure: unknown;
	try {
		for await (const chunk of body) {
			bytes += chunk.length;
			yield chunk;
		}
	} catch (error) {
		failure = error;
		throw error;
	} finally {
		onEnd(bytes, failure);
	}
}
