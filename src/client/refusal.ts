import type {Problem} from '../contract/problem.ts';
import {AppError, type ErrorCode} from '../core/error.ts';
import {formatDuration} from '../core/format.ts';
import {isRetryableStatus, parseRetryAfter} from '../net/retry.ts';
import {type Reason, reasonOf} from './reason.ts';

/** What the server refused with, for who must tell one refusal from another. */
export type Refusal = {
	readonly status: number;
	/** Machine-readable type of the error; those of the specification, or a later one. */
	readonly type: Problem['type'] | (string & {}) | undefined;
	readonly detail: string | undefined;
};

type Answer = {
	/** Origin of the server. */
	readonly from: string;
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly text: string;
	/** Milliseconds since the epoch, which a date in `Retry-After` counts from. */
	readonly now: number;
};

type Explained = readonly [code: ErrorCode, what: string, hint: string];

const refusals = new WeakMap<AppError, Refusal>();

/** The refusal that an error tells of, also where it was wrapped since; undefined for any other error. */
export function refusalOf(error: unknown): Refusal | undefined {
	return error instanceof AppError ? (refusals.get(error) ?? refusalOf(error.cause)) : undefined;
}

/**
 * The error for an answer that is no success: what happened, the server's own `detail`, `type` and fields, and what to
 * do. Its code follows the status: 401 and 403 `auth`, 404 `not-found`, 409 `conflict`, 426 `upgrade`, other 4xx
 * `failed`, 429, 5xx and the rest `network`.
 */
export function refuse({from, status, headers, text, now}: Answer): AppError {
	const reason = reasonOf(headers, text);
	const retryAfter = parseRetryAfter(headers, now);
	const [code, what, hint] = explain(from, status);
	const error = new AppError(code, `${what}${wording(reason, status)}.`, {
		hint: retryAfter && isRetryableStatus(status) ? `Try again in ${formatDuration(retryAfter)}.` : hint,
		...(retryAfter !== undefined && {retryAfter}),
		permanent: !isRetryableStatus(status),
		...(status === 401 && {logInTo: from}),
	});
	refusals.set(error, {status, type: reason.type, detail: reason.detail});
	return error;
}

/** “: No such runtime (not_found_error); body.name: too long”, as far as there is anything of it. */
function wording({detail, type, fields, note}: Reason, status: number): string {
	const named = type ?? `status ${status}`;
	return [`${detail ? `: ${detail}` : ''} (${named})`, ...fields, ...(note ? [note] : [])].join('; ');
}

function explain(from: string, status: number): Explained {
	switch (status) {
		case 400:
			return ['failed', `${from} found the request invalid`, 'Correct it and try again.'];
		case 401:
			return ['auth', `${from} did not accept the login`, `Log in again with \`login --server ${from}\`.`];
		case 403:
			return ['auth', `${from} does not allow this`, 'Ask those who may, or log in as another user.'];
		case 404:
			return ['not-found', `Not found on ${from}`, 'Check the id, and org, workspace and project.'];
		case 409:
			return ['conflict', `This conflicts with what is at ${from}`, 'Look at its state, then try again.'];
		case 422:
			return ['failed', `${from} found invalid values`, 'Correct them and try again.'];
		case 426:
			return ['upgrade', `${from} needs a newer version of service`, 'Update service.'];
		case 429:
			return ['network', `${from} is rate-limiting you`, 'Try again in a while.'];
		case 500:
			return ['network', `${from} failed inside`, 'Try again in a while.'];
		case 502:
			return ['network', `A server behind ${from} failed`, 'Try again in a while.'];
		case 504:
			return ['network', `A server behind ${from} did not answer in time`, 'Try again in a while.'];
		default:
			return explainClass(from, status);
	}
}

function explainClass(from: string, status: number): Explained {
	if (status >= 500) {
		return ['network', `${from} could not answer`, 'Try again in a while.'];
	}

	return status >= 400
		? ['failed', `${from} refused the request`, 'Correct it and try again.']
		: ['network', `${from} didn't answer like a service server`, 'Check the address.'];
}
