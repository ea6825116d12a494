import {abortable} from '../core/abortable.ts';
import type {Transport, TransportResponse} from '../net/transport.ts';

/** Gets a new credential and gives a transport that has it; undefined where there is none to be had. */
export type Refresh = () => Promise<Transport | undefined>;

/**
 * A transport that answers 401 with one refresh and one more try. Whoever meets a 401 meanwhile waits for the same
 * refresh, and who comes back late with the old credential takes the new one at once. Throws what `refresh` throws.
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

/** Ends an answer that nobody reads, so that its connection is free again. */
async function discard({body}: TransportResponse): Promise<void> {
	try {
		for await (const _ of body) {
			break;
		}
	} catch {
		// It broke off by itself.
	}
}
