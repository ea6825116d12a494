import type {Transport, WarmTransport} from './transport.ts';

/** The requests that have no whole answer yet. */
export type OpenRequests = {
	/** Returns the same transport, whose requests are known here. */
	readonly follow: (transport: WarmTransport) => WarmTransport;
	/** Returns the host that has been waited for the longest; undefined if no request is open. */
	readonly host: () => string | undefined;
};

/** Creates the list of the requests of a program. */
export function createOpenRequests(): OpenRequests {
	const open = new Set<{readonly host: string}>();
	const begin = (host: string) => {
		const request = {host};
		open.add(request);
		return () => void open.delete(request);
	};

	return {
		host: () => open.values().next().value?.host,
		follow(transport) {
			const send: Transport = async request => {
				const host = URL.canParse(request.url) ? new URL(request.url).host : '';
				const end = begin(host);
				const {body, ...head} = await transport(request).finally(end);
				return {...head, body: followed(body, () => begin(host))};
			};
			return Object.assign(send, transport.warm && {warm: transport.warm});
		},
	};
}

/** Yields a body as it comes, between a call of `begin` and one of what that returns. */
async function* followed(body: AsyncIterable<Uint8Array>, begin: () => () => void): AsyncGenerator<Uint8Array> {
	const end = begin();
	try {
		yield* body;
	} finally {
		end();
	}
}
