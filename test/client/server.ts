import type {IncomingHttpHeaders} from 'node:http';
import {buffer} from 'node:stream/consumers';
import {createClient} from '../../src/client/client.ts';
import {originOf} from '../../src/core/origin.ts';
import {secret} from '../../src/core/secrets/secret.ts';
import {createTransport, type HttpTransport} from '../../src/net/undici-transport.ts';
import {atEnd, httpServer} from '../net/servers.ts';

export const token = 'token-0123456789abcdef';
export const apiKey = 'key-0123456789abcdef';

/** An answer of `getUserPreferences` with no more than it requires. */
export const preferences = '{"enabled_model_ids":[],"inference_credits_per_dollar":1}';

/** The same of `getAutoRefill`. */
export const refill = JSON.stringify({
	enabled: true,
	has_payment_method: true,
	month_count: 0,
	month_reset: null,
	monthly_cap: null,
	quantity: null,
	threshold: null,
});

/** A request as it came over the socket. */
export type Asked = {
	readonly method: string | undefined;
	readonly url: URL;
	readonly headers: IncomingHttpHeaders;
	readonly body: Buffer;
};

export type Reply = {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
};

/** A server that answers as it is told, with all that it was asked. */
export async function scripted(reply: (asked: Asked, count: number) => Reply | 'cut') {
	const asked: Asked[] = [];
	const server = await httpServer(async (request, response) => {
		const {method, url = '/', headers} = request;
		const seen = {method, url: new URL(url, 'http://127.0.0.1'), headers, body: await buffer(request)};
		asked.push(seen);
		const answer = reply(seen, asked.length);
		if (answer === 'cut') {
			request.socket.destroy();
			return;
		}

		const {status = 200, headers: sent = {'content-type': 'application/json'}, body} = answer;
		response.writeHead(status, sent).end(body);
	});
	return {origin: server.origin, asked};
}

/** A transport with a credential of that origin, closed after the test. */
export function transportTo(origin: string, kind: 'bearer' | 'x-api-key', value: string): HttpTransport {
	const transport = createTransport({
		userAgent: 'service/test',
		credential: {origin: originOf(origin), kind, secret: secret(value)},
	});
	atEnd(() => void transport.close());
	return transport;
}

type Options = Omit<Parameters<typeof createClient>[0], 'server' | 'transports'>;

/** A client of that origin with both credentials, and with every wait of its retries noted instead of waited. */
export function clientOf(origin: string, options: Options = {}) {
	const waits: number[] = [];
	const client = createClient({
		server: origin,
		transports: {bearer: transportTo(origin, 'bearer', token), apiKey: transportTo(origin, 'x-api-key', apiKey)},
		retry: {
			clock: {
				sleep: async milliseconds => {
					waits.push(milliseconds);
				},
				random: () => 0,
			},
		},
		...options,
	});
	return {client, waits};
}
