import {lookup} from 'node:dns/promises';
import {once} from 'node:events';
import {createServer} from 'node:http';
import {isIP} from 'node:net';
import {AppError, messageOf} from '../../core/error.ts';
import {kindOfAddress} from '../../net/web/address-kind.ts';
import {type Metrics, metricsType} from './metrics.ts';

/** Where metrics are served. */
export type MetricsAddress = {
	readonly host: string;
	readonly port: number;
	/** Whether every address of the machine is listened on, so that other machines may reach it. */
	readonly isEverywhere: boolean;
};

const hint = 'Use an address of this machine or of a private network, such as 127.0.0.1:9464.';

/**
 * Parses `host:port` for metrics, which have no login. Throws AppError("usage") for anything else, for an unknown host and for
 * an address of the internet. Every address at once (`0.0.0.0`, `[::]`) is possible, because a container needs it.
 */
export async function parseMetricsAddress(text: string): Promise<MetricsAddress> {
	const [, bracketed, plain, digits = ''] = /^(?:\[([\da-f:.]+)\]|([^\s:/[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
	const host = bracketed ?? plain;
	const port = Number(digits);
	if (host === undefined || port > 65_535) {
		throw new AppError('usage', `--metrics takes host:port, not “${text}”.`, {hint});
	}

	const addresses = isIP(host) ? [host] : await addressesOf(host);
	if (addresses.length === 0) {
		throw new AppError('usage', `--metrics names the unknown host “${host}”.`, {hint});
	}

	const open = addresses.find(address => !['machine', 'network'].includes(kindOfAddress(address)));
	if (open !== undefined) {
		throw new AppError('usage', `--metrics ${text} is a public address, and metrics have no login.`, {hint});
	}

	return {host, port, isEverywhere: addresses.some(address => /^[0:.]*$/.test(address))};
}

async function addressesOf(host: string): Promise<readonly string[]> {
	const found = await lookup(host, {all: true}).catch(() => []);
	return found.map(({address}) => address);
}

/**
 * Answers `GET /metrics` on a listener of its own. Throws AppError("failed") if the address can't be used.
 */
export async function serveMetrics(
	metrics: Metrics,
	{host, port}: MetricsAddress,
): Promise<{readonly url: string; readonly close: () => Promise<void>}> {
	const server = createServer({requestTimeout: 10_000}, (incoming, outgoing) => {
		const isAsked = incoming.url?.split('?', 1)[0] === '/metrics';
		if (!isAsked || (incoming.method !== 'GET' && incoming.method !== 'HEAD')) {
			outgoing.writeHead(isAsked ? 405 : 404, {'content-type': 'text/plain'}).end('Metrics are at GET /metrics.\n');
			return;
		}

		metrics.text().then(
			text => outgoing.writeHead(200, {'content-type': metricsType, 'cache-control': 'no-store'}).end(text),
			(error: unknown) => outgoing.writeHead(500, {'content-type': 'text/plain'}).end(`${messageOf(error)}\n`),
		);
	});
	server.listen({host, port});
	await once(server, 'listening').catch((error: unknown) => {
		throw new AppError('failed', `Can't serve metrics on ${host}:${port}: ${messageOf(error)}.`, {
			hint: 'Choose another --metrics.',
			cause: error,
		});
	});
	const address = server.address();
	const bound = typeof address === 'object' && address ? address.port : port;
	return {
		url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`,
		async close() {
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}
