import type {Problem, ValidationErrorItem} from '../../contract/problem.ts';

/** The type that goes with a status, where a refusal names no other. */
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
	504: 'gateway_timeout_error',
} as const;

/**
 * What this server refuses with: statuses of the specification, and 405 for what is no operation of it. It has none for a
 * body that is too large or of a wrong type, so that these are 400.
 */
export type RefusalStatus = keyof typeof types;

type Options = {
	readonly type?: Problem['type'];
	readonly errors?: readonly ValidationErrorItem[];
	readonly headers?: Readonly<Record<string, string>>;
};

/** A request that is refused: what a handler throws through `refuse`. Anything else that is thrown is a bug. */
export class Refusal extends Error {
	override readonly name = 'Refusal';
	readonly status: RefusalStatus;
	readonly options: Options;

	constructor(status: RefusalStatus, detail: string, options: Options) {
		super(detail);
		this.status = status;
		this.options = options;
	}
}

/** Ends a request with an error response. `detail` is for people: what is wrong, and what would be right. */
export function refuse(status: RefusalStatus, detail: string, options: Options = {}): never {
	throw new Refusal(status, detail, options);
}

/** Ends a request (422) whose fields do not fit, and names the first of them, as `body.name must be …`. */
export function refuseInvalid(errors: readonly ValidationErrorItem[]): never {
	const [first] = errors;
	return refuse(422, `${first?.loc.join('.')} ${first?.msg}.`, {errors});
}

/**
 * An error response. Its body is `APIErrorPayload`; below `/v1/`, where clients of model vendors ask, it carries the
 * same in the `error` object that they read.
 */
export function refusal(url: URL, status: RefusalStatus, detail: string, options: Options = {}): Response {
	const {type = types[status], errors, headers} = options;
	const body: Problem = {code: status, detail, type, ...(errors && {errors: [...errors]})};
	const isModelRoute = url.pathname.startsWith('/v1/');
	return Response.json(isModelRoute ? {error: {message: detail, type, param: null, code: String(status)}} : body, {
		status,
		headers,
	});
}
