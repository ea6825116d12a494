import {isIPv6} from 'node:net';
import {isLoopback} from '../../core/origin.ts';

/** The header in which the listener passes the client address. A value that a client sends is overwritten. */
export const clientAddressHeader = 'x-service-client-address';

/**
 * Returns the client address for display; undefined if unknown. Behind an HTTPS proxy it would be the proxy's, which
 * misleads.
 */
export function describeClientAddress(
	request: Request,
	{publicUrl}: {readonly publicUrl: () => string},
): string | undefined {
	const address = request.headers.get(clientAddressHeader)?.replace(/^::ffff:(?=\d+\.)/, '');
	if (!address || publicUrl().startsWith('https:')) {
		return undefined;
	}

	const url = `http://${address.includes(':') ? `[${address}]` : address}`;
	return URL.canParse(url) && isLoopback(new URL(url)) ? `this machine (${address})` : address;
}

type Addresses = {readonly address: string | undefined; readonly forwardedFor?: string | undefined};

/**
 * Returns where a client is: the address at the other end of the connection. Behind a TLS proxy it is the last address in
 * `X-Forwarded-For`; clients can forge the earlier ones.
 */
export function clientAddress({address, forwardedFor}: Addresses, publicUrl: string): string {
	const forwarded = publicUrl.startsWith('https:') ? forwardedFor?.split(',').at(-1)?.trim() : '';
	return (forwarded || address || 'unknown').replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Returns the same for a request that a listener passed on. */
export function clientAddressOf({headers}: Request, {publicUrl}: {readonly publicUrl: () => string}): string {
	const address = headers.get(clientAddressHeader) ?? undefined;
	const forwardedFor = headers.get('x-forwarded-for') ?? undefined;
	return clientAddress({address, forwardedFor}, publicUrl());
}

/**
 * Returns the network by which attempts are counted: the client address, or the /64 for IPv6, because one computer can
 * use a whole /64.
 */
export function networkOf(request: Request, services: {readonly publicUrl: () => string}): string {
	const address = clientAddressOf(request, services);
	return isIPv6(address) ? networkOfIPv6(address) : address;
}

/** Returns the first four groups of an IPv6 address, with the zeros that `::` omits. */
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
