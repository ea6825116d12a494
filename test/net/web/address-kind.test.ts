import {expect, test} from 'vitest';
import {type AddressKind, kindOfAddress, kindOfHost} from '../../../src/net/web/address-kind.ts';

test.each<readonly [AddressKind, ...string[]]>([
	['internet', '1.1.1.1', '93.184.216.34', '2606:4700::1111', '::ffff:1.1.1.1', '64:ff9b::101:101'],
	['machine', '127.0.0.1', '127.8.9.10', '0.0.0.0', '::1', '::', '::ffff:127.0.0.1', '64:ff9b::7f00:1'],
	['network', '10.1.2.3', '172.16.0.1', '172.31.9.9', '192.168.0.1', '100.64.0.1', 'fd12::1', '::ffff:a01:203'],
	['forbidden', '169.254.169.254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', 'fe80::1', 'fd00:ec2::254'],
	['forbidden', '168.63.129.16', '100.100.100.200', '192.0.0.192', '224.0.0.1', '255.255.255.255', 'ff02::1'],
	['forbidden', '2002:a9fe:a9fe::', '2001:0:1::1', '::a9fe:a9fe', 'fe80::1%eth0', 'localhost', '', '1.2.3'],
])('%s: %s and more [16]', (kind, ...addresses) => {
	expect(addresses.map(kindOfAddress)).toEqual(addresses.map(() => kind));
});

test('every notation of an address in a URL leads to the same kind [16]', () => {
	const kindOf = (url: string) => kindOfHost(new URL(url).hostname);
	const metadata = ['http://2852039166', 'http://0xa9fea9fe', 'http://0251.254.0xa9.0376', 'http://[::ffff:a9fe:a9fe]'];
	expect(metadata.map(kindOf)).toEqual(metadata.map(() => 'forbidden'));
	const here = ['http://127.1', 'http://localhost.', 'http://a.b.LOCALHOST', 'http://[::1]', 'http://0'];
	expect(here.map(kindOf)).toEqual(here.map(() => 'machine'));
	expect(kindOf('http://example.com')).toBeUndefined();
});
