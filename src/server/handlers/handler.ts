import {check, parameterViolations, type Violation} from '../../contract/check.ts';
import type {Endpoint, RequestOf, ResultOf} from '../../contract/endpoint.ts';
import {type OperationId, operations} from '../../contract/operations.ts';
import type {ValidationErrorItem} from '../../contract/problem.ts';
import {decodeQuery} from '../../contract/query.ts';
import type {Principal} from '../kit/authorize.ts';
import {mediaTypeOf, readBody, readJsonBody} from '../kit/body.ts';
import {guard} from '../kit/guard.ts';
import {refuseInvalid} from '../kit/http-error.ts';
import type {Route, RouteRequest} from '../kit/route.ts';
import type {Scope, ScopeOf} from '../kit/scope.ts';
import {textViolations} from '../kit/text-fields.ts';
import type {Services} from './services.ts';

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
			body: await readBody(request, largestRaw),
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
