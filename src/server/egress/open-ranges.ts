import {BlockList, isIP, isIPv4} from 'node:net';
import {AppError} from '../../core/error.ts';
import {kindOfAddress} from '../../net/web/address-kind.ts';

/** An address and the bits that count of it. */
type Range = {readonly address: string; readonly bits: number};

/**
 * Ranges that no sandbox reaches unless the operator names them: private, shared and reserved ones (RFC 6890), those that
 * stand for IPv4 addresses in IPv6, and where clouds answer their machines.
 */
const closedRanges: readonly string[] = [
	'0.0.0.0/8',
	'10.0.0.0/8',
	'100.64.0.0/10',
	'127.0.0.0/8',
	'169.254.0.0/16',
	'172.16.0.0/12',
	'192.0.0.0/24',
	'192.168.0.0/16',
	'198.18.0.0/15',
	'224.0.0.0/4',
	'240.0.0.0/4',
	'168.63.129.16/32',
	'169.254.169.254/32',
	'::/96',
	'::ffff:0:0/96',
	'64:ff9b::/96',
	'64:ff9b:1::/48',
	'2002::/16',
	'fc00::/7',
	'fe80::/10',
	'ff00::/8',
];

/** Where clouds tell a machine its credentials: closed even in a range that the operator names. */
const metadataAddresses: readonly string[] = ['169.254.169.254/32', '168.63.129.16/32', 'fd00:ec2::254/128'];

/** Returns whether a text is a range, as `10.0.0.0/8`. */
export function isRange(text: string): boolean {
	return rangeOf(text) !== undefined;
}

/** Returns the ranges of a list with commas. Throws AppError("usage") for anything else, with the hint. */
export function parseOpenRanges(text: string | undefined, hint: string): readonly string[] {
	const ranges = text?.split(',').map(each => each.trim()) ?? [];
	for (const range of ranges) {
		if (!isRange(range)) {
			throw new AppError('usage', `Invalid network “${range}”.`, {hint});
		}
	}

	return ranges;
}

function rangeOf(text: string): Range | undefined {
	const [address = '', length = '', ...rest] = text.split('/');
	const version = isIP(address);
	const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
	return version !== 0 && rest.length === 0 && bits <= (version === 4 ? 32 : 128) ? {address, bits} : undefined;
}

/** Returns whether the first range contains the second. */
function contains(outer: string, inner: string): boolean {
	const [wide, narrow] = [rangeOf(outer), rangeOf(inner)];
	if (!wide || !narrow || isIP(wide.address) !== isIP(narrow.address) || narrow.bits < wide.bits) {
		return false;
	}

	const family = isIPv4(wide.address) ? 'ipv4' : 'ipv6';
	const list = new BlockList();
	list.addSubnet(wide.address, wide.bits, family);
	return list.check(narrow.address, family);
}

/** Returns what stays closed inside a range. A range isn't an exception of itself. */
export function exceptionsOf(range: string): readonly string[] {
	const isInside = (each: string) => each !== range && contains(range, each);
	const isPrivate = closedRanges.some(each => contains(each, range));
	return isPrivate
		? metadataAddresses.filter(isInside)
		: [...new Set([...closedRanges, ...metadataAddresses])].filter(isInside);
}

/**
 * Returns whether a connection may go to an address that a name leads to: to the internet, or to a private range that the
 * operator opens. Link-local addresses, and those with the credentials of a machine, stay closed.
 */
export function isOpenAddress(address: string, open: readonly string[]): boolean {
	const kind = kindOfAddress(address);
	if (kind === 'internet' || kind === 'forbidden') {
		return kind === 'internet';
	}

	const single = `${address}/${isIPv4(address) ? 32 : 128}`;
	return open.some(range => contains(range, single) && !exceptionsOf(range).some(each => contains(each, single)));
}
