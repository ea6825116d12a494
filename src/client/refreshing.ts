import {abortable} from '../core/abortable.ts';
import type {Transport, TransportResponse} from '../net/transport.ts';

/** Returns a transport with a new credential; undefined if there is none. */
export type Refresh = () => Promise<Transport | undefined>;

/**
 * Returns a transport that refreshes its credential after a 401 and retries once. Requests that get a 401 meanwhile share
 * the refresh; one that used the old credential is retried with the new one at once. Throws what `refresh` throws.
 */
export function refreshing(first: Transport, refresh: Refresh): Transport {
	let current = first;
	let pending: Promise<void> | undefined;
	const renew = () => {
		pending ??= refresh()
			.then(next => {
				current = next ?? current;
			})
			.finally(() => {
				pending = undefined;
			});
		return pending;
	};

	return async request => {
		const used = current;
		const response = await used(request);
		if (response.status !== 401) {
			return response;
		}

		if (used === current) {
			await (request.signal ? abortable(renew(), request.signal) : renew());
		}

		if (used === current) {
			return response;
		}

		await discard(response);
		return current(request);
	};
}

/** Ends an unread response, so that its connection can be used again. */
async function discard({body}: TransportResponse): Promise<void> {
	try {
		for await (const _ of body) {
			break;
		}
	} catch {
		// The connection broke; there is nothing to end.
	}
}
