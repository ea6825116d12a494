import fc from 'fast-check';
import {expect, test} from 'vitest';
import {parseDatabaseUrl} from '../../../src/server/database/location.ts';
import {hostNames, postgresHosts} from '../../../src/server/database/postgres-hosts.ts';

test.each<[string, readonly string[], boolean]>([
	[
		'postgres://u:p%40w@one:5433,two/db?sslmode=require',
		['postgres://u:p%40w@one:5433/db', 'postgres://u:p%40w@two/db'],
		false,
	],
	[
		'postgresql://u@one,[::1]:5434/db?target_session_attrs=read-write',
		['postgresql://u@one/db', 'postgresql://u@[::1]:5434/db'],
		true,
	],
	['postgres://one/db?target_session_attrs=any', ['postgres://one/db'], false],
])('the hosts of %s', (url, urls, mustWrite) => {
	const hosts = postgresHosts(url);
	expect([hosts?.urls.map(each => each.replace(/\?sslmode=require$/, '')), hosts?.mustWrite]).toEqual([
		urls,
		mustWrite,
	]);
});

test('hosts and ports in the query belong together', () => {
	const urls = postgresHosts('postgres:///db?host=a,b,c&port=1,2&user=x')?.urls.map(each => new URL(each).searchParams);
	expect(urls?.map(each => [each.get('host'), each.get('port'), each.get('user')])).toEqual([
		['a', '1', 'x'],
		['b', '2', 'x'],
		['c', '2', 'x'],
	]);
});

test.each(['standby', 'read-only', 'prefer-standby', 'nonsense'])('target_session_attrs=%s is refused', value => {
	expect(() => postgresHosts(`postgres://a/b?target_session_attrs=${value}`)).toThrow(
		`A server needs a database that accepts writes, not target_session_attrs=${value}.`,
	);
});

test('of any list of hosts each is read with its port, user and database', () => {
	const host = fc.tuple(
		fc.oneof(
			fc.domain(),
			fc.ipV4(),
			fc.ipV6().map(address => `[${new URL(`http://[${address}]`).hostname.slice(1, -1)}]`),
		),
		fc.option(fc.integer({min: 1, max: 65_535}), {nil: undefined}),
	);
	fc.assert(
		fc.property(fc.array(host, {minLength: 1, maxLength: 5}), fc.boolean(), (hosts, hasUser) => {
			const user = hasUser ? 'u:a%2Cb%40c@' : '';
			const list = hosts.map(([name, port]) => (port === undefined ? name : `${name}:${port}`));
			const {urls = []} = postgresHosts(`postgres://${user}${list.join()}/db`) ?? {};
			expect(urls).toEqual(list.map(each => `postgres://${user}${each}/db`));
		}),
		{numRuns: 200},
	);
});

test('a URL of several hosts is a database, and a message names them without the password', () => {
	const url = 'postgres://u:hunter2@one:5433,two/db';
	expect(parseDatabaseUrl(url)).toEqual({engine: 'postgres', url});
	expect(hostNames(url)).toBe('one:5433, two');
	expect(hostNames('postgres:///db?host=/run/postgresql')).toBe('this machine');
});
