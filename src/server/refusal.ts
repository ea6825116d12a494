import type {Problem, ValidationErrorItem} from '../contract/problem.ts';

/** What went wrong, for the HTTP statuses that this server answers with. */
const types = {
	400: 'invalid_error',
	401: 'authentication_error',
	403: 'forbidden_error',
	404: 'not_found_error',
	405: 'invalid_error',
	413: 'invalid_error',
	415: 'invalid_error',
	422: 'validation_error',
	500: 'server_error',
} as const;

export type RefusalStatus = keyof typeof types;

type Options = {
	readonly errors?: readonly ValidationErrorItem[];
	readonly headers?: Readonly<Record<string, string>>;
};

/**
 * An error response. Its body is `APIErrorPayload`; below `/v1/`, where clients of model vendors ask, it carries the
 * same in the `error` object that they read.
 */
export function refusal(url: URL, status: RefusalStatus, detail: string, {errors, headers}: Options = {}): Response {
	const type = types[status];
	const body: Problem = {code: status, detail, type, ...(errors && {errors: [...errors]})};
	const isModelRoute = url.pathname.startsWith('/v1/');
	return Response.json(isModelRoute ? {error: {message: detail, type, param: null, code: String(status)}} : body, {
		status,
		headers,
	});
}
