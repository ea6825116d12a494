import {type Lenient, readLeniently} from '../contract/lenient.ts';
import {type Problem, problemSchema, type ValidationErrorItem} from '../contract/problem.ts';
import {entryOf} from '../core/entry-of.ts';
import {AppError, type ErrorCode} from '../core/error.ts';
import {formatDuration} from '../core/format.ts';
import {isJsonObject, type Json, parseJson} from '../core/json.ts';
import {isWebPage} from '../net/read-body.ts';
import {isRetryableStatus, parseRetryAfter} from '../net/retry.ts';

/** The status, type and detail of a server's error, for callers that handle some of them. */
export type ClientRefusal = {
	readonly status: number;
	/** Machine-readable type: one of the specification, or a newer one. */
	readonly type: Problem['type'] | (string & {}) | undefined;
	readonly detail: string | undefined;
};

type Answer = {
	/** Origin of the server. */
	readonly from: string;
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly text: string;
	/** Milliseconds since the epoch, for a date in `Retry-After`. */
	readonly now: number;
};

type Explained = readonly [code: ErrorCode, what: string, hint: string];

const refusals = new WeakMap<AppError, ClientRefusal>();
const pages = new WeakSet<AppError>();

/** Returns the refusal of an error or of its causes; undefined for any other error. */
export function refusalOf(error: unknown): ClientRefusal | undefined {
	return error instanceof AppError ? (refusals.get(error) ?? refusalOf(error.cause)) : undefined;
}

/** Returns true for a refusal that is a web page: an API answers with JSON, also what it doesn't know. */
export function isPageInstead(error: unknown): boolean {
	return error instanceof AppError && (pages.has(error) || isPageInstead(error.cause));
}

/**
 * Returns the error for a response that isn't a success: what failed, the server's `detail`, `type` and fields, and a hint.
 * Its code follows from the status: 401 and 403 `auth`, 404 `not-found`, 409 `conflict`, 426 `upgrade`, 429 and 5xx
 * `network`, other 4xx `failed`, the rest `network`.
 */
export function refuse({from, status, headers, text, now}: Answer): AppError {
	const reason = reasonOf(headers, text);
	const retryAfter = parseRetryAfter(headers, now);
	const [code, what, general] = explain(from, status);
	const isElsewhere = status === 404 && reason.isPage;
	const hint =
		(status === 409 && entryOf(conflictHints, reason.type ?? '')) ||
		(isElsewhere ? 'Check the address of the server: an API sends no page.' : general);
	const error = new AppError(code, `${sentenceOf(what, reason, status)}.`, {
		hint: retryAfter && isRetryableStatus(status) ? `Try again in ${formatDuration(retryAfter)}.` : hint,
		...(retryAfter !== undefined && {retryAfter}),
		permanent: !isRetryableStatus(status),
		...(status === 401 && {logInTo: from}),
	});
	refusals.set(error, {status, type: reason.type, detail: reason.detail});
	if (reason.isPage) {
		pages.add(error);
	}

	return error;
}

/** What helps against a conflict, by its type; the state of the thing itself is right. */
const conflictHints: Readonly<Record<string, string>> = {
	already_exists_error: 'Use another name, or the one that exists.',
	configuration_error: 'Ask its administrator to change its configuration.',
	usage_limit_exceeded_error: 'Free some of it, or ask an administrator for a higher limit.',
};

/** Returns what failed with the reason, such as “Not found on x: No such runtime (not_found_error); body.name: too long”. */
function sentenceOf(what: string, {detail, type, fields, isComplete, note}: Reason, status: number): string {
	const named = type ?? `status ${status}`;
	const head = isComplete ? detail : `${what}${detail ? `: ${detail}` : ''} (${named})`;
	return [head, ...fields, ...(note ? [note] : [])].join('; ');
}

function explain(from: string, status: number): Explained {
	switch (status) {
		case 400:
			return ['failed', `${from} found the request invalid`, 'Correct it and try again.'];
		case 401:
			return ['auth', `${from} rejected the login`, `Log in again with \`login --server ${from}\`.`];
		case 403:
			return ['auth', `${from} does not allow this`, 'Ask an administrator, or log in as another user.'];
		case 404:
			return ['not-found', `Not found on ${from}`, 'Check the id, organization, workspace and project.'];
		case 409:
			return ['conflict', `Conflict on ${from}`, 'Check its state, then try again.'];
		case 422:
			return ['failed', `${from} found invalid values`, 'Correct them and try again.'];
		case 426:
			return ['upgrade', `${from} needs a newer version of service`, 'Update service.'];
		case 429:
			return ['network', `${from} is rate-limiting you`, 'Try again later.'];
		case 500:
			return ['network', `${from} had an internal error`, 'Try again later.'];
		case 502:
			return ['network', `A server behind ${from} failed`, 'Try again later.'];
		case 504:
			return ['network', `A server behind ${from} timed out`, 'Try again later.'];
		default:
			return explainClass(from, status);
	}
}

function explainClass(from: string, status: number): Explained {
	if (status >= 500) {
		return ['network', `${from} is unavailable`, 'Try again later.'];
	}

	return status >= 400
		? ['failed', `${from} rejected the request`, 'Correct it and try again.']
		: ['network', `${from} didn't answer like a service server`, 'Check the address.'];
}

/** Why a server rejected a request, in its own words. */
type Reason = {
	/** Without a final full stop. */
	readonly detail: string | undefined;
	readonly type: string | undefined;
	/** Invalid fields, such as “body.name: too long”. */
	readonly fields: readonly string[];
	/** True if the detail explains the error by itself: it names an unknown input and the accepted ones. */
	readonly isComplete: boolean;
	/** A clause for a response without a reason. */
	readonly note: string | undefined;
	/** True for a web page in place of a reason. */
	readonly isPage: boolean;
};

const maxLength = 500;
const maxFields = 5;

/** Reads the body of an error: `APIErrorPayload`, or something close to it. Never throws. */
export function reasonOf(headers: Readonly<Record<string, string>>, text: string): Reason {
	const value = parseJson(text);
	if (isJsonObject(value)) {
		const problem = readLeniently(problemSchema, value) ?? {};
		const detail = problem.detail ?? plainDetail(value);
		const isComplete = detail !== undefined && problem.errors?.[0]?.type === 'unknown_input';
		const fields = fieldsOf(isComplete ? (problem.errors ?? []).slice(1) : (problem.errors ?? []), detail ?? '');
		const note = detail === undefined && fields.length === 0 ? 'no reason given' : undefined;
		const type = problem.type && shown(problem.type);
		return {detail: detail && shown(detail), type, fields, isComplete, note, isPage: false};
	}

	const isPage = value === undefined && isWebPage(headers, text);
	return {detail: undefined, type: undefined, fields: [], isComplete: false, note: noteOn(text, isPage), isPage};
}

function noteOn(text: string, isPage: boolean): string {
	if (text.trim() === '') {
		return 'no reason given';
	}

	if (isPage) {
		return 'it returned a web page, perhaps from a proxy';
	}

	return 'its reason is unreadable';
}

/** Returns the sentence of a framework that doesn't know `APIErrorPayload`. */
function plainDetail(value: Readonly<Record<string, Json>>): string | undefined {
	return [value['message'], value['error']].find(text => typeof text === 'string');
}

/** Returns the invalid fields that the detail doesn't mention: some servers repeat the first one there. */
function fieldsOf(errors: readonly Lenient<ValidationErrorItem>[], detail: string): readonly string[] {
	const items = errors.filter(
		({loc = [], msg}) => !(loc.length > 0 && msg && detail.includes(`${loc.join('.')} ${msg}`)),
	);
	const named = items.slice(0, maxFields).map(fieldOf);
	return items.length > maxFields ? [...named, `and ${items.length - maxFields} more`] : named;
}

function fieldOf({loc = [], msg, type}: Lenient<ValidationErrorItem>): string {
	return shown([loc.join('.'), msg ?? type ?? ''].filter(Boolean).join(': '));
}

/** Returns text as one short line without a final full stop. */
function shown(text: string): string {
	const line = text.trim().replace(/\s+/g, ' ');
	return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line.replace(/\.$/, '');
}
