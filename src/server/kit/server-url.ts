import type {CoreServices} from './services.ts';

type Url = Pick<CoreServices, 'publicUrl' | 'isProxied'>;

/** A host and its port, as a Host header or a URL names them. */
type Authority = {readonly name: string; readonly port: number | undefined};

/**
 * Returns this server's URL as the client reached it, so that a login started at `localhost` or another address of this
 * machine stays there. Unknown Hosts were rejected earlier. Behind a proxy, which may replace the Host, it is always the
 * public URL.
 */
export function requestUrl(request: Request, {publicUrl, isProxied = false}: Url): string {
	const url = publicUrl();
	const named = `http://${request.headers.get('host') ?? ''}`;
	return isProxied || url.startsWith('https:') || !URL.canParse(named) ? url : new URL(named).origin;
}

/** Returns the canonical name and the port of `host[:port]`; undefined if it isn't one. A trailing dot is dropped. */
export function parseAuthority(host: string): Authority | undefined {
	const [, given = '', port = ''] = /^(\[[\da-f:.]+\]|[^\s/?#@\\:[\]]+)(?::(\d*))?$/i.exec(host) ?? [];
	const url = `http://${given.replace(/\.$/, '')}`;
	return given && URL.canParse(url)
		? {name: new URL(url).hostname, port: port === '' ? undefined : Number(port)}
		: undefined;
}

/** Returns whether `host[:port]` is that of a URL, which has the default port of its scheme if it names none. */
export function isAuthorityOf({name, port}: Authority, url: URL): boolean {
	return (
		name === url.hostname.replace(/\.$/, '') && (port ?? defaultPort(url)) === Number(url.port || defaultPort(url))
	);
}

function defaultPort({protocol}: URL): number {
	return protocol === 'https:' ? 443 : 80;
}

/** Returns an origin in canonical form; undefined if it is none, such as `null`. */
export function parseOrigin(origin: string): URL | undefined {
	const [, scheme, host = ''] = /^(https?):\/\/(.*)$/i.exec(origin) ?? [];
	const authority = parseAuthority(host);
	return (
		authority && new URL(`${scheme}://${authority.name}${authority.port === undefined ? '' : `:${authority.port}`}`)
	);
}

/** Returns the path of a server's URL, without a slash at the end; empty for a server without one. */
export function basePathOf(url: string): string {
	return URL.canParse(url) ? new URL(url).pathname.replace(/\/+$/, '') : '';
}
