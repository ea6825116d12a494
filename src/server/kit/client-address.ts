import {isIPv6} from 'node:net';
import {isLoopback} from '../../core/origin.ts';
import type {CoreServices} from './services.ts';

/** The header in which the listener passes the client address. A value that a client sends is overwritten. */
export const clientAddressHeader = 'x-service-client-address';

/**
 * Returns the client address for people to read; undefined if it is unknown. Behind a proxy with https, the address would be
 * the proxy's and mislead.
 */
export function describeClientAddress(
	request: Request,
	{publicUrl}: Pick<CoreServices, 'publicUrl'>,
): string | undefined {
	const address = request.headers.get(clientAddressHeader)?.replace(/^::ffff:(?=\d+\.)/, '');
	if (!address || publicUrl().startsWith('https:')) {
		return undefined;
	}

	const url = `http://${address.includes(':') ? `[${address}]` : address}`;
	return URL.canParse(url) && isLoopback(new URL(url)) ? `this machine (${address})` : address;
}

/**
 * Returns the network that attempts are counted by: the client address, or for IPv6 its /64, which one computer can use
 * whole. Behind a proxy with TLS it is the last address of `X-Forwarded-For`; clients can forge the earlier ones.
 */
export function networkOf({headers}: Request, {publicUrl}: Pick<CoreServices, 'publicUrl'>): string {
	const forwarded = publicUrl().startsWith('https:') ? headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() : '';
	const address = (forwarded || headers.get(clientAddressHeader) || 'unknown').replace(/^::ffff:(?=\d+\.)/i, '');
	return isIPv6(address) ? networkOfIPv6(address) : address;
}

/** The first four groups, of which `::` leaves out those that are zero. */
function networkOfIPv6(address: string): string {
	const [before = '', after] = address.split('%')[0]?.split('::') ?? [];
	const [head, tail] = [before, after ?? ''].map(part => part.split(':').filter(Boolean));
	const zeros = after === undefined ? 0 : 8 - (head?.length ?? 0) - (tail?.length ?? 0);
	const groups = [...(head ?? []), ...Array.from({length: zeros}, () => '0'), ...(tail ?? [])];
	return groups
		.slice(0, 4)
		.map(group => Number.parseInt(group, 16).toString(16))
		.join(':');
}
