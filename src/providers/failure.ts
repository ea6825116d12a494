import {AppError} from '../core/error.ts';
import {type Json, parseJson} from '../core/json.ts';
import {isLoopback} from '../core/origin.ts';
import {type ProviderName, providerRows} from '../core/provider-rows.ts';
import {isRetryableStatus} from '../net/retry.ts';
import {codesOf, isDaySpent, isMisspelled, isSpent} from './failure-codes.ts';
import {at, countAt, listAt, textAt} from './json-path.ts';
import {isLimitOfTime, overflowEvidence} from './overflow.ts';
import {retryAfterMs} from './retry-after.ts';

/** The provider that an error message names. */
export type Vendor = {readonly name: ProviderName; readonly label: string};

/** Most characters of a vendor's message. */
const maxLength = 500;

/** Returns the vendor's message in an error body or error chunk of any shape; '' if it has none. */
export function vendorMessage(value: Json | undefined): string {
	if (Array.isArray(value)) {
		return vendorMessage(value[0]);
	}

	const messages = [
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
	return (messages.find(Boolean) ?? '').slice(0, maxLength);
}

/** Returns the error for an answer whose status isn't 2xx. `text` is the beginning of its body. */
export function statusFailure(
	{name, label}: Vendor,
	status: number,
	headers: Readonly<Record<string, string>>,
	text: string,
): AppError {
	const cause = {refusal: text, status};
	const body = parseJson(text);
	const html = looksLikeHtml(text);
	const message = body === undefined && !html ? text.trim().slice(0, maxLength) : vendorMessage(body);
	const detail = message ? `: ${message}` : '.';
	const local = localFailure({name, label}, status, message, cause);
	if (local) {
		return local;
	}

	const denied = accessFailure({name, label}, status, {body, message, cause});
	if (denied) {
		return denied;
	}

	if (html && status === 413) {
		return new AppError('provider', `The request is too large for the proxy in front of ${label} (413).`, {
			...overflowOptions,
			cause,
		});
	}

	if (html || (status >= 300 && status < 400)) {
		return new AppError('network', `Couldn't reach ${label}: a web page answered with status ${status}.`, {
			cause,
			hint: 'Check the base URL, and any proxy in between.',
			permanent: !isRetryableStatus(status),
		});
	}

	if (status === 404) {
		return new AppError('not-found', `${label} has no such model or address (404)${detail}`, {
			cause,
			hint: 'Select a model from `model list`, or check the base URL.',
		});
	}

	const retryAfter = retryAfterMs(headers, body, message);
	const isLimited = status === 429 || (status === 413 && isLimitOfTime(message));
	const overflow = !isLimited && (status === 413 || overflowEvidence(body, message) !== undefined);
	if (status === 408 || (status >= 500 && !overflow)) {
		const state = status === 529 ? 'overloaded' : 'unavailable';
		return new AppError('network', `${label} is ${state} (${status})${detail}`, {
			cause,
			hint: 'Try again later.',
			retryAfter,
		});
	}

	if (isLimited) {
		return new AppError('provider', `${label} is rate-limiting you (${status})${detail}`, {
			cause,
			hint: 'Wait a while, or check the limits and credit of this key.',
			retryAfter,
			temporary: true,
		});
	}

	if (isMisspelled(body)) {
		return new AppError('provider', `${label} couldn't read what the model wrote (${status})${detail}`, {
			cause,
			hint: misspelledHint,
			temporary: true,
		});
	}

	return new AppError('provider', `${label} rejected the request (${status})${detail}`, {
		cause,
		hint: refusedHint,
		...(overflow && overflowOptions),
		temporary: isRetryableStatus(status) && !overflow,
	});
}

/**
 * Returns the error of a program that runs models, such as Ollama, LM Studio, llama.cpp or vLLM, in the cases in which its
 * user has to do something there: a model that isn't there, or an address that is none of its API; undefined for others.
 */
function localFailure({name, label}: Vendor, status: number, message: string, cause?: object): AppError | undefined {
	if (!providerRows[name].keyless) {
		return undefined;
	}

	if (status === 503 && /\bloading\b/i.test(message)) {
		return new AppError('network', `${label} is loading the model (503).`, {
			cause,
			hint: 'Try again when it is loaded.',
			starting: true,
		});
	}

	const model = /model ["'`“]?([^"'`”\s]+?)["'`”]? (?:is )?not found/i.exec(message)?.[1];
	const text = `${label} ${status === 200 ? 'reported an error' : `rejected the request (${status})`}: ${message}`;
	if (model !== undefined && (name === 'ollama' || /pulling/.test(message))) {
		return new AppError('not-found', text, {
			cause,
			hint: `Run ollama pull ${model} there, or select a model from \`model list\`.`,
		});
	}

	if (/no models? (?:is |are )?(?:currently )?loaded|lms load|model is not loaded|model unloaded/i.test(message)) {
		return new AppError('not-found', text, {
			cause,
			hint: 'Load the model there (in LM Studio: lms load), or select another one: `model use`.',
		});
	}

	if (/unexpected endpoint|(?:^|\b)page not found|^not found\.?$|^file not found$/i.test(message)) {
		return new AppError('not-found', text, {
			cause,
			hint: `Its API probably is below /v1: \`keys set ${name} --base-url <address>\``,
		});
	}

	if (/no user query found in messages|tokens to keep from the initial prompt/i.test(message)) {
		return new AppError('provider', `${text.replace(/[.]?$/, '.')} It has cut the prompt to its context window.`, {
			cause,
			hint: 'Raise its context length: OLLAMA_CONTEXT_LENGTH or num_ctx of Ollama, Context Length of LM Studio.',
			overflow: true,
		});
	}

	return undefined;
}

/** Returns the error for an account without credit, a key that may not use the model, and an invalid key; undefined for others. */
function accessFailure(
	{name, label}: Vendor,
	status: number,
	{body, message, cause}: {readonly body: Json | undefined; readonly message: string; readonly cause: object},
): AppError | undefined {
	const detail = message ? `: ${message}` : '.';
	if (status === 402 || ((status === 400 || status === 429) && isSpent(body, message))) {
		return new AppError('provider', `${label} needs credit (${status})${detail}`, {cause, ...spentOptions});
	}

	if (status === 429 && isDaySpent(body)) {
		return new AppError('provider', `${label}: the quota of the day is used up (429)${detail}`, {
			cause,
			hint: 'Try again tomorrow, raise the quota of this key, or select another model: `model use`',
			permanent: true,
		});
	}

	if (status === 403 && !isBadKey(body)) {
		return new AppError('auth', `${label} denied access (403)${detail}`, {
			cause,
			hint: 'Check what this key may use, or select another model: `model use`',
		});
	}

	if (status === 401 || isBadKey(body)) {
		return new AppError('auth', `${label} rejected the key (${status})${detail}`, {
			cause,
			hint: `Check the key with \`keys set ${name}\`.`,
			badKey: true,
		});
	}

	return undefined;
}

/**
 * Returns the error to throw when a request to `baseUrl` failed with `error`. It names a local program that isn't
 * running, without the query of the URL, which may have a key; any other error comes back unchanged.
 */
export function requestFailure({name, label}: Vendor, baseUrl: string, error: unknown): unknown {
	const isDown =
		error instanceof AppError &&
		error.cause instanceof Error &&
		'code' in error.cause &&
		error.cause.code === 'ECONNREFUSED';
	if (!isDown || !providerRows[name].keyless) {
		return error;
	}

	const [address] = baseUrl.split('?');
	const isHere = isLoopback(new URL(baseUrl));
	return new AppError('network', `Couldn't reach ${label} at ${address}. Is it running?`, {
		cause: error.cause,
		hint: isHere
			? 'Start it and try again, or select another model: `model use`.'
			: 'Start it there so that it listens on that address (Ollama: OLLAMA_HOST=0.0.0.0), and try again.',
	});
}

/** Returns the status of a refusal; undefined for any other error. */
export function refusalStatus({cause}: AppError): number | undefined {
	return typeof cause === 'object' && cause !== null && 'status' in cause ? Number(cause.status) : undefined;
}

/** Returns the body of a refusal as far as it was read; '' for any other error. */
export function refusalText({cause}: AppError): string {
	return typeof cause === 'object' && cause !== null && 'refusal' in cause ? String(cause.refusal) : '';
}

/** Returns the error for a failure that a vendor reports inside its stream, after it answered 200. */
export function streamFailure({name, label}: Vendor, value: Json | undefined): AppError {
	const message = vendorMessage(value);
	const local = localFailure({name, label}, 200, message);
	if (local) {
		return local;
	}

	const text = `${label} reported an error: ${message || 'it ended the answer without a reason'}`;
	if (overflowEvidence(value, message)) {
		return new AppError('provider', text, {...overflowOptions, cause: {refusal: JSON.stringify(value)}});
	}

	if (isSpent(value, message)) {
		return new AppError('provider', text, spentOptions);
	}

	const isUnread = isMisspelled(value);
	const temporary = isUnread || isTemporary(value, message);
	return new AppError('provider', text, {
		temporary,
		retryAfter: temporary ? retryAfterMs({}, value, message) : undefined,
		hint: isUnread ? misspelledHint : temporary ? 'Try again later, or select another model: `model use`' : refusedHint,
		cause: {refusal: JSON.stringify(value) ?? '', status: statusIn(value) ?? 200},
	});
}

/** True for the beginning of an HTML or XML page. */
export function looksLikeHtml(text: string): boolean {
	return text.trimStart().startsWith('<');
}

/** True if the provider says that the key is invalid, not merely that it lacks a permission. */
export function isRefusedKey(status: number, body: Json | undefined): boolean {
	return status === 401 || isBadKey(body);
}

/** Google answers 400 for an invalid key. */
function isBadKey(body: Json | undefined): boolean {
	const error = at(Array.isArray(body) ? body[0] : body, 'error');
	return listAt(error, 'details').some(detail => textAt(detail, 'reason') === 'API_KEY_INVALID');
}

/** What to do where no repair of the request helped. */
const refusedHint =
	'Select another model: `model use`. Go back to before the refused message with `/rewind`, or start over with `/new`.';

const misspelledHint = 'Try again, or select another model: `model use`';

const spentOptions = {
	hint: 'Add credit to the account of this key, or select another model: `model use`',
	permanent: true,
} as const;

const overflowOptions = {
	overflow: true,
	hint: 'Start a new session with `/new`, or edit the last message with `/rewind`.',
} as const;

/** Returns the status that a failure inside a stream names; undefined for none. */
function statusIn(value: Json | undefined): number | undefined {
	const error = Array.isArray(value) ? value[0] : value;
	const status = countAt(error, 'error', 'code') ?? countAt(error, 'code') ?? Number(textAt(error, 'error', 'code'));
	return status >= 400 && status < 600 ? status : undefined;
}

/** True for an error that is likely to pass soon, such as an overload. */
function isTemporary(value: Json | undefined, message: string): boolean {
	return (
		isRetryableStatus(statusIn(value) ?? 0) ||
		codesOf(value).some(code =>
			/overload|rate_limit|server_error|api_error|internal|unavailable|timeout|deadline|resource_exhausted|capacity/.test(
				code,
			),
		) ||
		/overload|over[ _]capacity|at capacity|rate limit|temporar|unavailable|timed? ?out|(?:try|retry) again|slow down/i.test(
			message,
		)
	);
}
