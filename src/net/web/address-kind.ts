import {BlockList, isIP} from 'node:net';

/**
 * Where an address leads: to the internet, the user's own network, the user's own machine, or nowhere that a request may
 * go, such as the metadata of a cloud machine, which holds its credentials.
 */
export type AddressKind = 'internet' | 'network' | 'machine' | 'forbidden';

type Range = readonly [address: string, prefix: number];

/** Where clouds serve a machine's credentials over IPv4: link-local addresses, and those of Azure, Alibaba and Oracle. */
export const metadataRanges: readonly Range[] = [
	['169.254.0.0', 16],
	['168.63.129.16', 32],
	['100.100.100.200', 32],
	['192.0.0.192', 32],
];

const forbidden: readonly Range[] = [
	...metadataRanges,
	// Link-local addresses, and the metadata of AWS and Google.
	['fe80::', 10],
	['fd00:ec2::', 32],
	['fd20:ce::254', 128],
	// Multicast, broadcast and reserved addresses.
	['224.0.0.0', 3],
	['ff00::', 8],
	// Tunnels and old notations that hide an IPv4 address: 6to4, Teredo, IPv4-compatible, site-local.
	['2002::', 16],
	['2001::', 32],
	['::', 96],
	['fec0::', 10],
];

/** A connection to the unspecified address ends at this machine. */
const machine: readonly Range[] = [
	['127.0.0.0', 8],
	['0.0.0.0', 8],
	['::1', 128],
	['::', 128],
];

const network: readonly Range[] = [
	['10.0.0.0', 8],
	['172.16.0.0', 12],
	['192.168.0.0', 16],
	['fc00::', 7],
	['100.64.0.0', 10],
	['192.0.0.0', 24],
	['198.18.0.0', 15],
];

/** IPv6 notations of an IPv4 address: mapped ones, and those of translators (RFC 2765, RFC 6052). */
const translated: readonly Range[] = [
	['::ffff:0:0', 96],
	['::ffff:0:0:0', 96],
	['64:ff9b::', 96],
	['64:ff9b:1::', 48],
];

type Lists = {
	/** By precedence. */
	readonly kinds: ReadonlyArray<{readonly kind: AddressKind; readonly list: BlockList}>;
	readonly translated: BlockList;
};

const makeLists = (): Lists => ({
	kinds: (
		[
			['machine', machine],
			['forbidden', forbidden],
			['network', network],
		] as const
	).map(([kind, ranges]) => ({kind, list: listOf(ranges)})),
	translated: listOf(translated),
});

/** Made with the first address: Node takes milliseconds to compile what reads the ranges. */
let lists: Lists | undefined;

/** Returns where an IP address leads. An invalid address is forbidden. */
export function kindOfAddress(address: string): AddressKind {
	const family = isIP(address);
	if (family === 0 || address.includes('%')) {
		return 'forbidden';
	}

	lists ??= makeLists();
	if (family === 6 && lists.translated.check(address, 'ipv6')) {
		return kindOfAddress(lastFourBytes(address));
	}

	const type = family === 6 ? 'ipv6' : 'ipv4';
	return lists.kinds.find(({list}) => list.check(address, type))?.kind ?? 'internet';
}

/** Returns where a host of a URL leads, as far as its name tells without a request; undefined for other names. */
export function kindOfHost(hostname: string): AddressKind | undefined {
	const name = hostname.replace(/^\[|\]$|\.$/g, '');
	if (isIP(name)) {
		return kindOfAddress(name);
	}

	return name === 'localhost' || name.endsWith('.localhost') ? 'machine' : undefined;
}

function listOf(ranges: readonly Range[]): BlockList {
	const list = new BlockList();
	for (const [address, prefix] of ranges) {
		list.addSubnet(address, prefix, isIP(address) === 6 ? 'ipv6' : 'ipv4');
	}

	return list;
}

/** Returns the IPv4 address in the last 32 bits. `URL` writes it as two groups. */
function lastFourBytes(address: string): string {
	const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split(':').slice(-2);
	const [high = 0, low = 0] = groups.map(group => Number.parseInt(group || '0', 16));
	return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
