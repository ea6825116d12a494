import {AppError} from '../../../core/error.ts';
import {type AddressKind, kindOfHost} from '../../../net/web/address-kind.ts';

/** A request that may be asked for. Its bytes are what the user sees and what is sent. */
export type WebTarget = {
	readonly method: string;
	readonly url: URL;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | undefined;
};

const maxUrlLength = 8192;
const maxHeaders = 50;
const maxHeaderLength = 8192;
const maxBodyLength = 1024 * 1024;

const defaultHeaders = {accept: 'text/markdown, text/html;q=0.9, */*;q=0.8'};

/** Set by the connection, or able to change what the request means: the method that was allowed, or its destination. */
const reserved =
	/^(?:host|connection|content-length|transfer-encoding|accept-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|sec-.*|x-http-method(?:-override)?|x-method-override|x-forwarded-.*|forwarded)$/;

type Given = {
	readonly url: string;
	readonly method: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string | undefined;
};

/** Returns the request for what a model wrote. Throws `AppError("usage")` for what is never sent. */
export function readTarget({url, method, headers, body}: Given, insecureHttp: boolean): WebTarget {
	if (body !== undefined && (method === 'GET' || method === 'HEAD')) {
		throw new AppError('usage', `A ${method} request has no body.`, {hint: 'Leave body out, or use POST.'});
	}

	if ((body?.length ?? 0) > maxBodyLength) {
		throw new AppError('usage', 'The body is too large to send.', {hint: 'A body can have 1 MB.'});
	}

	const type = {'content-type': body !== undefined && isJson(body) ? 'application/json' : 'text/plain'};
	return {
		method,
		url: readUrl(url, insecureHttp),
		headers: {...defaultHeaders, ...(body !== undefined && type), ...readHeaders(headers)},
		body,
	};
}

/** Parses an address. Throws `AppError("usage")` for one that is never fetched; the message does not repeat it. */
export function readUrl(text: string, insecureHttp: boolean, base?: URL): URL {
	if (text.length > maxUrlLength || !URL.canParse(text, base?.href)) {
		throw new AppError('usage', 'Invalid url.', {hint: 'Give an absolute https URL, of 8,000 characters at most.'});
	}

	const url = new URL(text, base?.href);
	url.hash = '';
	if (url.protocol !== 'https:' && url.protocol !== 'http:') {
		throw new AppError('usage', `Only https and http are fetched, not ${url.protocol.slice(0, 40)}`, {
			hint: 'Read files with read_file.',
		});
	}

	if (url.username || url.password) {
		throw new AppError('usage', 'The URL must not contain a user name or password.', {hint: 'Leave them out.'});
	}

	const kind = kindOfHost(url.hostname);
	assertAllowed(kind, url.hostname);
	if (url.protocol === 'http:' && kind !== 'machine' && !insecureHttp) {
		throw new AppError('usage', `Refusing plain HTTP to ${url.host} (anyone on the network could change it).`, {
			hint: 'Use https. If it has none, tell the user that --insecure-http allows it.',
		});
	}

	return url;
}

/** Throws `AppError("failed")` for an address that is fetched in no mode. */
export function assertAllowed(kind: AddressKind | undefined, address: string): void {
	if (kind === 'forbidden') {
		throw new AppError('failed', `${address} is a link-local, metadata or reserved address. It is never fetched.`);
	}
}

function readHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
	const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
	if (entries.length > maxHeaders) {
		throw new AppError('usage', `Too many headers: at most ${maxHeaders}.`);
	}

	for (const [name, value] of entries) {
		if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name) || !/^[\t\x20-\x7E\x80-\xFF]*$/.test(value)) {
			throw new AppError('usage', `Invalid header ${JSON.stringify(name.slice(0, 100))}.`, {
				hint: 'Names are tokens; values have no line ends.',
			});
		}

		if (reserved.test(name) || value.length > maxHeaderLength) {
			throw new AppError('usage', `The header ${name} can't be set.`, {hint: 'Leave it out.'});
		}
	}

	return Object.fromEntries(entries);
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
}
