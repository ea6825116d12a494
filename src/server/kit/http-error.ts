import type {Problem, ValidationErrorItem} from '../../contract/problem.ts';
import {JsonResponse} from './json-response.ts';

/** The default error type of each status. */
const types = {
	400: 'invalid_error',
	401: 'authentication_error',
	403: 'forbidden_error',
	404: 'not_found_error',
	405: 'invalid_error',
	409: 'conflict_error',
	422: 'validation_error',
	426: 'upgrade_required_error',
	429: 'usage_limit_exceeded_error',
	500: 'server_error',
	502: 'bad_gateway_error',
	503: 'server_error',
	504: 'gateway_timeout_error',
} as const;

/**
 * The statuses of the specification, plus 405 for unknown methods and 503 for a server that is stopping or whose database has no
 * room. The specification has no status for a body that is too large or of the wrong type, so those are 400.
 */
type ErrorStatus = keyof typeof types;

type Options = {
	readonly type?: Problem['type'];
	readonly errors?: readonly ValidationErrorItem[];
	readonly headers?: Readonly<Record<string, string>>;
	/** The machine whose server can answer the request. */
	readonly machine?: string;
};

/** An error response that a handler throws through `reject`. Anything else that is thrown is a bug. */
export class HttpError extends Error {
	override readonly name = 'HttpError';
	readonly status: ErrorStatus;
	readonly options: Options;

	constructor(status: ErrorStatus, detail: string, options: Options) {
		super(detail);
		this.status = status;
		this.options = options;
	}
}

/** Ends a request with an error response. `detail` tells people what is wrong and how to fix it. */
export function reject(status: ErrorStatus, detail: string, options: Options = {}): never {
	throw new HttpError(status, detail, options);
}

/** Ends a request with 422. By default the detail names the first invalid field, e.g. `body.name must be …`. */
export function rejectInvalid(errors: readonly ValidationErrorItem[], detail?: string): never {
	const [first] = errors;
	return reject(422, detail ?? `${first?.loc.join('.')} ${first?.msg}.`, {errors});
}

/** Ends a request with 422 because of one field, e.g. `['body', 'name']`. */
export function rejectField(loc: ValidationErrorItem['loc'], msg: string, type: string): never {
	return rejectInvalid([{loc, msg, type}]);
}

/** Ends a request with 404. Everything that doesn't exist or belongs to someone else has this one message. */
export function rejectNotFound(): never {
	return reject(404, 'Nothing has this name or id.');
}

/**
 * Returns an error response. Its body is `APIErrorPayload`, except below `/v1/`: model clients expect an `error` object
 * there.
 */
export function errorResponse(url: URL, status: ErrorStatus, detail: string, options: Options = {}): JsonResponse {
	const {type = types[status], errors, headers} = options;
	const body: Problem = {code: status, detail, type, ...(errors && {errors: [...errors]})};
	const isModelRoute = url.pathname.startsWith('/v1/');
	const content = isModelRoute ? {error: {message: detail, type, param: null, code: String(status)}} : body;
	return new JsonResponse(content, {status, ...(headers && {headers})});
}
