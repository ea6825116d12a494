import {check, parameterViolations, type Violation} from '../../contract/check.ts';
import type {Endpoint, RequestOf, ResultOf} from '../../contract/endpoint.ts';
import {type OperationId, operations} from '../../contract/operations.ts';
import type {ValidationErrorItem} from '../../contract/problem.ts';
import {decodeQuery} from '../../contract/query.ts';
import {authorize, type Principal} from './authorize.ts';
import {mediaTypeOf, readBytes, readJsonBody} from './body.ts';
import {refuse, refuseInvalid} from './refusal.ts';
import type {Route, RouteRequest} from './route.ts';
import {findScope, type Scope, type ScopeOf} from './scope.ts';
import type {Services} from './services.ts';
import {textViolations} from './text-fields.ts';

/** Most bytes of a body that is not JSON: traces, compressed or not. */
const largestRaw = 16 * 1024 * 1024;

type Rows = typeof operations;

/** What a handler knows beside the request itself. */
export type Context<Where = unknown> = {
	readonly principal: Principal;
	/** What the path names, found and allowed already. */
	readonly scope: Where;
	readonly services: Services;
	/** The request as it came, for what the contract does not show: headers and further query parameters. */
	readonly request: Request;
	/** Headers that the answer is to carry. */
	readonly headers: Headers;
};

type Answer<Result> = Result | Response;

/** One function an operation: validated in, the contract's result out. A `Response` is sent as it is. */
export type Handlers = {
	readonly [Id in OperationId]: (
		request: RequestOf<Rows[Id]>,
		context: Context<ScopeOf<Rows[Id]['path']>>,
	) => Answer<ResultOf<Rows[Id]>> | Promise<Answer<ResultOf<Rows[Id]>>>;
};

/** What all handlers are alike once their requests are validated by the row that they belong to. */
type AnyHandler = (request: object, context: Context<Scope | undefined>) => unknown;

/** The routes of the contract, each guarded and validated before its handler sees anything. */
export function contractRoutes(handlers: Handlers, services: Services): readonly Route[] {
	return (Object.keys(operations) as OperationId[]).map(id => {
		const row: Endpoint = operations[id];
		const handler = handlers[id] as AnyHandler;
		return {
			method: row.method,
			path: row.path,
			auth: 'credential',
			accepts: row.raw ?? (row.body ? undefined : []),
			async handle(asked) {
				const scope = await guard(id, asked, services);
				const headers = new Headers();
				const result = await handler(await readRequest(row, asked), {
					principal: asked.principal,
					scope,
					services,
					request: asked.request,
					headers,
				});
				return result instanceof Response ? result : respond(row, result, headers);
			},
		};
	});
}

/**
 * Finds the scope that a path names and asks whether the caller may: 404 for what is not his, 403 for what his role does
 * not allow. Without a name of an organization in the path there is no scope.
 */
export async function guard(
	action: OperationId,
	{principal, parameters}: RouteRequest,
	{database}: Services,
): Promise<Scope | undefined> {
	const scope = await findScope(database, principal, parameters);
	if (parameters['org'] !== undefined && !scope) {
		refuse(404, notFound);
	}

	if (!authorize(action, scope?.role)) {
		refuse(403, `The role “${scope?.role}” may not do this in the organization.`);
	}

	return scope;
}

/** What every operation says of what is not there, or belongs to others. */
export const notFound = 'There is nothing of this name or id here.';

async function readRequest(row: Endpoint, {request, url, parameters}: RouteRequest): Promise<object> {
	const query = row.query && check(row.query, decodeQuery(row.query, url.searchParams));
	const errors = [
		...Object.entries(parameters).flatMap(([name, value]) => itemsOf('path', parameterViolations(name, value))),
		...itemsOf('query', query?.wrong ?? []),
	];
	const json = row.body && errors.length === 0 ? await readJsonBody(request) : undefined;
	const body = row.body && json !== undefined ? check(row.body, json) : undefined;
	errors.push(...itemsOf('body', [...(body?.wrong ?? []), ...(json === undefined ? [] : textViolations(json))]));
	if (errors.length > 0) {
		refuseInvalid(errors);
	}

	return {
		params: parameters,
		...(query && {query: query.data}),
		...(body && {body: body.data}),
		...(row.raw && {
			body: await readBytes(request, largestRaw),
			contentType: mediaTypeOf(request),
			contentEncoding: request.headers.get('content-encoding') ?? undefined,
		}),
	};
}

/** Violations as the specification words them. */
function itemsOf(part: 'body' | 'path' | 'query', wrong: readonly Violation[]): ValidationErrorItem[] {
	return wrong.map(({path, rule, code}) => ({loc: [part, ...path], msg: rule, type: code}));
}

/** A result in JSON; without one in the contract, or where there is nothing to say, no body. */
function respond(row: Endpoint, result: unknown, headers: Headers): Response {
	return row.result && result !== undefined
		? Response.json(result, {headers})
		: new Response(undefined, {status: 204, headers});
}
