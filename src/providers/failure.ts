import {AppError} from '../core/error.ts';
import {type Json, parseJson} from '../core/json.ts';
import {isLoopback} from '../core/origin.ts';
import {type ProviderName, providerRows} from '../core/provider-rows.ts';
import {isRetryableStatus} from '../net/retry.ts';
import {askedWaitMs} from './asked-wait.ts';
import {at, countAt, listAt, textAt} from './json-path.ts';

/** Who is spoken to, as far as an error message must say it. */
export type Vendor = {readonly name: ProviderName; readonly label: string};

const longest = 500;

/** The vendor's own words in an error body or error chunk, whatever its shape; empty where there are none. */
export function vendorMessage(value: Json | undefined): string {
	if (Array.isArray(value)) {
		return vendorMessage(value[0]);
	}

	const words = [
		typeof value === 'string' ? value : '',
		textAt(value, 'error', 'message'),
		textAt(value, 'error'),
		textAt(value, 'message'),
		textAt(value, 'detail'),
		// FastAPI's validation errors, as Mistral and many hosts of open models send them.
		...listAt(value, 'detail').map(item => textAt(item, 'msg')),
		textAt(value, 'message', 'detail', 0, 'msg'),
		textAt(value, 'error', 'type'),
		textAt(value, 'error', 'code'),
		textAt(value, 'error', 'status'),
		textAt(value, 'code'),
		String(countAt(value, 'error', 'code') ?? ''),
	];
	return (words.find(Boolean) ?? '').slice(0, longest);
}

/** Returns the error for an answer whose status is not 2xx. `text` is its body as far as it was read. */
export function statusFailure(
	{name, label}: Vendor,
	status: number,
	headers: Readonly<Record<string, string>>,
	text: string,
): AppError {
	const cause = {refusal: text};
	const body = parseJson(text);
	const html = looksLikeHtml(text);
	const words = body === undefined && !html ? text.trim().slice(0, longest) : vendorMessage(body);
	const said = words ? `: ${words}` : '.';
	if (status === 401 || status === 403 || isBadKey(body)) {
		return new AppError('auth', `${label} rejected the key (${status})${said}`, {
			cause,
			hint: `Check the key with \`keys set ${name}\`.`,
		});
	}

	if (html || (status >= 300 && status < 400)) {
		return new AppError('network', `${label} was not reached: a web page answered with status ${status}.`, {
			cause,
			hint: 'Check the base URL, and any proxy on the way.',
			permanent: !isRetryableStatus(status),
		});
	}

	if (status === 404) {
		return new AppError('not-found', `${label} does not know this model or address (404)${said}`, {
			cause,
			hint: 'Choose a model that `model list` shows, or check the base URL.',
		});
	}

	const retryAfter = askedWaitMs(headers, body, words);
	if (status === 408 || status >= 500) {
		return new AppError('network', `${label} could not answer (${status})${said}`, {
			cause,
			hint: 'Try again in a while.',
			retryAfter,
		});
	}

	if (status === 429) {
		return new AppError('provider', `${label} is rate-limiting you (429)${said}`, {
			cause,
			hint: 'Wait a while, or check the limits and credit of this key.',
			retryAfter,
			...(isSpent(body) ? {permanent: true} : {temporary: true}),
		});
	}

	const overflow = status === 413 || isOverflow(body, words);
	return new AppError('provider', `${label} refused the request (${status})${said}`, {
		cause,
		...(overflow && overflowOptions),
		temporary: isRetryableStatus(status),
	});
}

/**
 * Returns what to throw where a request to `baseUrl` failed with `error`: says that a program on this machine is down, and
 * of whose. Any other error comes back as it is.
 */
export function requestFailure({name, label}: Vendor, baseUrl: string, error: unknown): unknown {
	const isDown =
		error instanceof AppError &&
		error.cause instanceof Error &&
		'code' in error.cause &&
		error.cause.code === 'ECONNREFUSED';
	if (!isDown || !providerRows[name].keyless || !isLoopback(new URL(baseUrl))) {
		return error;
	}

	return new AppError('network', `Couldn't reach ${label} at ${baseUrl}. Is it running?`, {
		cause: error.cause,
		hint: 'Start it and try again, or select another model: `model use`.',
	});
}

/** What a host sent with a status that refuses, as far as it was read; empty for any other error. */
export function refusalText({cause}: AppError): string {
	return typeof cause === 'object' && cause !== null && 'refusal' in cause ? String(cause.refusal) : '';
}

/** Returns the error for what a vendor reports inside its stream, after it had answered 200. */
export function streamFailure({label}: Vendor, value: Json | undefined): AppError {
	const words = vendorMessage(value);
	const text = `${label} reported an error: ${words || 'the answer was broken off without a reason'}`;
	if (isOverflow(value, words)) {
		return new AppError('provider', text, overflowOptions);
	}

	const temporary = isTemporary(value, words) && !isSpent(value);
	return new AppError('provider', text, {temporary, retryAfter: temporary ? askedWaitMs({}, value, words) : undefined});
}

/** True for the beginning of an HTML or XML page. */
export function looksLikeHtml(text: string): boolean {
	return text.trimStart().startsWith('<');
}

/** True for an answer that says that the key itself is wrong; one that only may not do this is another matter. */
export function isRefusedKey(status: number, body: Json | undefined): boolean {
	return status === 401 || isBadKey(body);
}

/** Google answers 400 to a wrong key. */
function isBadKey(body: Json | undefined): boolean {
	const error = at(Array.isArray(body) ? body[0] : body, 'error');
	return listAt(error, 'details').some(detail => textAt(detail, 'reason') === 'API_KEY_INVALID');
}

const overflowOptions = {
	overflow: true,
	hint: 'Start a new session with /new, or edit the last message (Esc Esc).',
} as const;

/** Codes and types of an error, wherever a vendor puts them, in lower case. */
function codesOf(value: Json | undefined): readonly string[] {
	const error = Array.isArray(value) ? value[0] : value;
	return ['code', 'type', 'status'].flatMap(key =>
		[textAt(error, 'error', key), key === 'type' ? '' : textAt(error, key)]
			.filter(Boolean)
			.map(code => code.toLowerCase()),
	);
}

/** True where the conversation does not fit into the model's context window. */
function isOverflow(value: Json | undefined, words: string): boolean {
	return (
		codesOf(value).some(code => /context_length|exceed_context|request_too_large/.test(code)) ||
		/context[ _](?:length|window|size|limit)|(?:prompt|input|request) (?:is |was )?too (?:long|large)|too many (?:input )?tokens|(?:input )?token count|maximum (?:context|prompt|model) length|reduce the length/i.test(
			words,
		)
	);
}

/** True where the credit or quota of a key is used up: waiting does not help. */
function isSpent(value: Json | undefined): boolean {
	return codesOf(value).some(code => /insufficient_quota|billing|insufficient_credit/.test(code));
}

/** True for an error that is likely to be gone a moment later, such as an overload. */
function isTemporary(value: Json | undefined, words: string): boolean {
	const error = Array.isArray(value) ? value[0] : value;
	const status = countAt(error, 'error', 'code') ?? countAt(error, 'code') ?? Number(textAt(error, 'error', 'code'));
	return (
		isRetryableStatus(status) ||
		codesOf(value).some(code =>
			/overload|rate_limit|server_error|api_error|internal|unavailable|timeout|deadline|resource_exhausted|capacity/.test(
				code,
			),
		) ||
		/overload|over[ _]capacity|at capacity|rate limit|temporar|unavailable|timed? ?out|(?:try|retry) again|slow down/i.test(
			words,
		)
	);
}
