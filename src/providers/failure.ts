import {AppError} from '../core/error.ts';
import {type Json, parseJson} from '../core/json.ts';
import type {ProviderName} from '../core/model.ts';
import {isRetryableStatus, parseRetryAfter} from '../net/retry.ts';
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

/** Makes an error of an answer whose status is not 2xx. `text` is its body as far as it was read. */
export function statusFailure(
	{name, label}: Vendor,
	status: number,
	headers: Readonly<Record<string, string>>,
	text: string,
): AppError {
	const body = parseJson(text);
	const html = looksLikeHtml(text);
	const words = body === undefined && !html ? text.trim().slice(0, longest) : vendorMessage(body);
	const said = words ? `: ${words}` : '.';
	if (status === 401 || status === 403 || isBadKey(body)) {
		return new AppError('auth', `${label} refused the key (${status})${said}`, {
			hint: `Check the key with \`keys set ${name}\`.`,
		});
	}

	if (html || (status >= 300 && status < 400)) {
		return new AppError('network', `${label} was not reached: a web page answered with status ${status}.`, {
			hint: 'Check the base URL, and any proxy on the way.',
			permanent: !isRetryableStatus(status),
		});
	}

	if (status === 404) {
		return new AppError('not-found', `${label} does not know this model or address (404)${said}`, {
			hint: 'Choose a model that `model list` shows, or check the base URL.',
		});
	}

	if (status === 408 || status >= 500) {
		return new AppError('network', `${label} could not answer (${status})${said}`, {
			hint: 'Try again in a while.',
			retryAfter: retryAfter(headers, body),
		});
	}

	if (status === 429) {
		return new AppError('provider', `${label} allows no more requests for now (429)${said}`, {
			hint: 'Wait a while, or check the limits and credit of this key.',
			retryAfter: retryAfter(headers, body),
		});
	}

	return new AppError('provider', `${label} refused the request (${status})${said}`, hintFor(words));
}

/** Makes an error of what a vendor reports inside its stream, after it had answered 200. */
export function streamFailure({label}: Vendor, value: Json | undefined): AppError {
	const words = vendorMessage(value) || 'the answer was broken off without a reason';
	return new AppError('provider', `${label} reported an error: ${words}`, hintFor(words));
}

/** True for the beginning of an HTML or XML page. */
export function looksLikeHtml(text: string): boolean {
	return text.trimStart().startsWith('<');
}

/** Google answers 400 to a wrong key. */
function isBadKey(body: Json | undefined): boolean {
	const error = at(Array.isArray(body) ? body[0] : body, 'error');
	return listAt(error, 'details').some(detail => textAt(detail, 'reason') === 'API_KEY_INVALID');
}

function hintFor(words: string): {readonly hint?: string} {
	const tooLong = /context[ _](?:length|window)|prompt is too long|too many tokens|token count|maximum context/i.test(
		words,
	);
	return tooLong ? {hint: 'Compact the conversation, or start a new one.'} : {};
}

/** How long to wait, in milliseconds, as the usual header, OpenAI's own or a detail of Google's error says. */
function retryAfter(headers: Readonly<Record<string, string>>, body: Json | undefined): number | undefined {
	const own = Number.parseFloat(headers['retry-after-ms'] ?? '');
	if (own >= 0) {
		return Math.round(own);
	}

	const details = listAt(Array.isArray(body) ? body[0] : body, 'error', 'details');
	const delay = Number.parseFloat(details.map(detail => textAt(detail, 'retryDelay')).find(Boolean) ?? '');
	return parseRetryAfter(headers, Date.now()) ?? (delay >= 0 ? Math.round(delay * 1000) : undefined);
}
