import type {IncomingMessage} from 'node:http';
import {isAnyUuid} from '../../core/uuid.ts';
import {pathAndHostOf} from '../http/incoming.ts';
import {basePathOf, parseAuthority} from '../kit/server-url.ts';
import type {CoreServices} from '../kit/services.ts';
import {servicePath, servicesPath} from '../sandboxes/service-urls.ts';

/** The service that a request is for. */
export type ServiceTarget = {
	/** In lower case, as is the name of the service. */
	readonly environmentId: string;
	readonly service: string;
	/** Path and query for the service. */
	readonly path: string;
	/** Whether the slash after its name is missing, so that relative links of its page would be wrong. */
	readonly lacksSlash: boolean;
	/** The path of this server below which the service is, without a slash at the end; empty at a host of its own. */
	readonly base: string;
	/** Whether nothing else is at the host of the request. */
	readonly hasOwnHost: boolean;
	/** The execute token in the query. */
	readonly token: string | undefined;
};

type Place = {
	/** Where clients reach this server. */
	readonly publicUrl: string;
	/** `host[:port]` below which each service has a host of its own. */
	readonly domain: string | undefined;
};

type Requested = {readonly url?: string | undefined; readonly host?: string | undefined};

/** Returns the path and the host that a request names. */
export function requested(incoming: IncomingMessage): Requested {
	const target = pathAndHostOf(incoming);
	return {url: target?.path, host: target?.host ?? incoming.headers.host};
}

/** Returns the service that a request to this server is for, as `readServiceTarget` does. */
export function targetOf(
	incoming: IncomingMessage,
	{publicUrl, publicServices}: Pick<CoreServices, 'publicUrl' | 'publicServices'>,
): ServiceTarget | 'invalid' | undefined {
	return readServiceTarget(requested(incoming), {publicUrl: publicUrl(), domain: publicServices?.domain});
}

const tokenParameter = 'execute_token';

/**
 * Returns the service that a request is for, `invalid` if its path leaves that in any reading of it, and undefined if it is for
 * something else.
 */
export function readServiceTarget(requested: Requested, place: Place): ServiceTarget | 'invalid' | undefined {
	const {url = ''} = requested;
	const named = nameByHost(requested, place.domain) ?? nameByPath(url, place.publicUrl);
	if (!named) {
		return undefined;
	}

	const {environmentId, service, rest, hasOwnHost} = named;
	// Only what is in every URL: no blanks, no control characters, no fragment, and no backslash, which some take for a slash.
	if (!/^[!-~]*$/.test(rest) || /[#\\]/.test(rest) || !isBelow(rest)) {
		return 'invalid';
	}

	const {path, token} = withoutToken(rest);
	return {
		environmentId,
		service,
		path: path.startsWith('/') ? path : `/${path}`,
		lacksSlash: !path.startsWith('/'),
		base: hasOwnHost ? '' : servicePath(place.publicUrl, environmentId, service),
		hasOwnHost,
		token,
	};
}

type Named = Pick<ServiceTarget, 'environmentId' | 'service' | 'hasOwnHost'> & {
	/** What follows the name in the target of the request. */
	readonly rest: string;
};

function nameByPath(url: string, publicUrl: string): Named | undefined {
	// A proxy in front may keep the path of the public URL or take it away.
	const prefix = ['', basePathOf(publicUrl)].map(base => `${base}${servicesPath}/`).find(each => url.startsWith(each));
	if (prefix === undefined) {
		return undefined;
	}

	const [, environmentId = '', service = '', rest = ''] =
		/^([^/?]*)\/?([^/?]*)(.*)$/s.exec(url.slice(prefix.length)) ?? [];
	return {environmentId: environmentId.toLowerCase(), service, rest, hasOwnHost: false};
}

function nameByHost({url: rest = '', host = ''}: Requested, domain: string | undefined): Named | undefined {
	const [name, below] = [parseAuthority(host)?.name, domain === undefined ? undefined : parseAuthority(domain)?.name];
	if (name === undefined || below === undefined || !name.endsWith(`.${below}`)) {
		return undefined;
	}

	const label = name.slice(0, -below.length - 1);
	const environmentId = label.slice(0, uuidLength);
	return isAnyUuid(environmentId) && label[uuidLength] === '-'
		? {environmentId, service: label.slice(uuidLength + 1).replaceAll('-', '_'), rest, hasOwnHost: true}
		: undefined;
}

const uuidLength = 36;

/** How often a path is decoded: by a proxy, by one behind it, and by the service. */
const mostDecodings = 3;

/** Returns whether a path stays below that of the service, however often it is decoded, and its slashes joined, on its way. */
function isBelow(rest: string): boolean {
	let path = /^[^?]*/.exec(rest)?.[0] ?? '';
	for (let count = 0; count <= mostDecodings; count++) {
		// Some drop the parameters of a segment (`..;x`) before they look at it.
		if (path.split(/[/\\]/).some(segment => /^\.{1,2}(?:;.*)?$/s.test(segment))) {
			return false;
		}

		path = path.replace(/%(?:25|2e|2f|5c|3b)/gi, decodeURIComponent);
	}

	return true;
}

/** Removes the execute token from the query, so that the service doesn't get it. */
function withoutToken(rest: string): {readonly path: string; readonly token: string | undefined} {
	const [path = '', query] = splitOnce(rest, '?');
	if (query === undefined) {
		return {path, token: undefined};
	}

	const isToken = (pair: string) => decodeName(splitOnce(pair, '=')[0]) === tokenParameter;
	const pairs = query.split('&');
	const given = pairs.find(isToken);
	const kept = pairs.filter(pair => !isToken(pair)).join('&');
	return {
		path: given !== undefined && kept === '' ? path : `${path}?${kept}`,
		token: given && splitOnce(given, '=')[1],
	};
}

function decodeName(name: string): string {
	try {
		return decodeURIComponent(name);
	} catch {
		return name;
	}
}

function splitOnce(text: string, separator: string): readonly [string, string | undefined] {
	const index = text.indexOf(separator);
	return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + separator.length)];
}
