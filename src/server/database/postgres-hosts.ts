import {AppError} from '../../core/error.ts';

/** The hosts of a PostgreSQL URL, as libpq reads it (manual, section 34.1.1.2). */
export type PostgresHosts = {
	/** A URL for each host, in the order to try them. */
	readonly urls: readonly string[];
	/** Whether a host that accepts no writes is as bad as none. */
	readonly mustWrite: boolean;
};

/** Values of `target_session_attrs` by whether the host must accept writes. A server can't do without. */
const targets: ReadonlyMap<string, boolean> = new Map([
	['any', false],
	['read-write', true],
	['primary', true],
]);

/**
 * Reads a URL with one or several hosts (`host1:5432,host2`, also in `?host=` and `?port=`) and `target_session_attrs`, which
 * `pg` doesn't know. Throws AppError("usage") for a host that accepts no writes, and returns undefined for no such URL.
 */
export function postgresHosts(url: string): PostgresHosts | undefined {
	const [, scheme, user = '', hosts = '', rest = ''] =
		/^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(url) ?? [];
	const first = hosts.split(',')[0] ?? '';
	if (scheme === undefined || `${user}${hosts}${rest}` === '' || !URL.canParse(`${scheme}${user}${first}${rest}`)) {
		return undefined;
	}

	const {searchParams} = new URL(`${scheme}${user}${first}${rest}`);
	const target = searchParams.get('target_session_attrs');
	const mustWrite = target === null ? false : targets.get(target);
	if (mustWrite === undefined) {
		throw new AppError('usage', `A server needs a database that accepts writes, not target_session_attrs=${target}.`, {
			hint: 'Use target_session_attrs=read-write, or leave it out.',
		});
	}

	const [inQuery, ports] = ['host', 'port'].map(name => searchParams.get(name)?.split(',') ?? []);
	const urls = (inQuery?.length ? inQuery : hosts.split(',')).map((host, index) => {
		const single = new URL(`${scheme}${user}${inQuery?.length ? first : host}${rest}`);
		single.searchParams.delete('target_session_attrs');
		single.searchParams.delete('load_balance_hosts');
		const port = ports?.[index] ?? ports?.at(-1);
		if (inQuery?.length) {
			single.searchParams.set('host', host);
		}

		if (port !== undefined) {
			single.searchParams.set('port', port);
		}

		return single.href;
	});
	return {urls, mustWrite};
}

/** Returns the names of the hosts of a URL for a message, without anything secret. */
export function hostNames(url: string): string {
	const names = postgresHosts(url)?.urls.map(each => new URL(each).host) ?? [];
	return [...new Set(names.filter(Boolean))].join(', ') || 'this machine';
}
