import {isIP} from 'node:net';

/** A place outside that a sandbox asks for: a name or an address in its one canonical form. */
export type Destination = {readonly host: string; readonly port: number};

/** Ports of hosts that a task allows without a port. */
const usualPorts: readonly number[] = [80, 443];

/** The longest name that DNS has, and a port. */
const maxAuthority = 253 + 6;

/**
 * Parses `host:port`. The host is read as URLs read it, so that `EXAMPLE.com.`, `2130706433` and `bücher.example` are what
 * they lead to. Returns undefined for anything else, such as a user and a password.
 */
export function parseDestination(authority: string): Destination | undefined {
	const [, written = '', digits = ''] = /^(\[[\da-f:.]+\]|[^\s:@/?#\\[\]]+):(\d{1,5})$/i.exec(authority) ?? [];
	const port = Number(digits);
	if (written === '' || authority.length > maxAuthority || port < 1 || port > 65_535) {
		return undefined;
	}

	const host = canonicalHost(written);
	return host === undefined ? undefined : {host, port};
}

function canonicalHost(written: string): string | undefined {
	const url = URL.canParse(`http://${written}/`) ? new URL(`http://${written}/`) : undefined;
	const host = url?.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
	return host !== undefined && (isIP(host) !== 0 || /^[\w-]+(?:\.[\w-]+)*$/.test(host)) ? host : undefined;
}

export function formatDestination({host, port}: Destination): string {
	return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Returns whether a task allows a destination: entries are `host`, with the ports of the web, `host:port`, and `*.domain`
 * for all hosts of a domain, which no address is.
 */
export function isAllowed({host, port}: Destination, allow: readonly string[]): boolean {
	return allow.some(entry => {
		const [, name = '', digits] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
		const isPort = digits === undefined ? usualPorts.includes(port) : Number(digits) === port;
		const isName = name.startsWith('*.') ? isIP(host) === 0 && host.endsWith(name.slice(1)) : host === name;
		return isPort && isName;
	});
}
