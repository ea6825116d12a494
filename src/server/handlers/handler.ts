import {check, parameterViolations, type Violation} from '../../contract/check.ts';
import {type Endpoint, mayLackBody, type RequestOf, type ResultOf} from '../../contract/endpoint.ts';
import {type OperationId, operations} from '../../contract/extensions.ts';
import type {ValidationErrorItem} from '../../contract/problem.ts';
import {decodeQuery} from '../../contract/query.ts';
import {isJsonObject, type Json} from '../../core/json.ts';
import type {Actor} from '../accounts/audit-log.ts';
import type {Principal} from '../kit/authorize.ts';
import {mediaTypeOf, readBody, readJsonBody} from '../kit/body.ts';
import {clientAddressOf} from '../kit/client-address.ts';
import {guard} from '../kit/guard.ts';
import {rejectInvalid} from '../kit/http-error.ts';
import {JsonResponse} from '../kit/json-response.ts';
import {requestIdOf} from '../kit/request-id.ts';
import type {RouteRequest, ServerRoute} from '../kit/route.ts';
import type {PathScope, RequestScope} from '../kit/scope.ts';
import type {Services} from './services.ts';

/** Maximum bytes of a body that is not JSON, e.g. traces, compressed or not. */
const maxRawBytes = 16 * 1024 * 1024;

type Rows = typeof operations;

/** What a handler gets besides the request. */
export type HandlerContext<ScopeType = unknown> = {
	readonly principal: Principal;
	/** The scope in the path, found and authorized. */
	readonly scope: ScopeType;
	readonly services: Services;
	/** The original request, for headers and query parameters outside the contract. */
	readonly request: Request;
	/** Headers to add to the response. */
	readonly headers: Headers;
	/** The caller, for the audit log. */
	readonly actor: Actor;
	/** Whether the caller administers the whole server. */
	readonly isAdministrator: boolean;
};

type HandlerResult<Result> = Result | Response;

/**
 * One function for each operation: it gets a validated request and returns the contract's result. A `Response` is sent
 * unchanged.
 */
export type Handlers = {
	readonly [Id in OperationId]: (
		request: RequestOf<Rows[Id]>,
		context: HandlerContext<PathScope<Rows[Id]['path']>>,
	) => HandlerResult<ResultOf<Rows[Id]>> | Promise<HandlerResult<ResultOf<Rows[Id]>>>;
};

/** The common type of all handlers, for requests validated against their endpoint. */
type AnyHandler = (request: object, context: HandlerContext<RequestScope | undefined>) => unknown;

/** Returns the routes of the contract. Each checks authorization and validates the request before its handler runs. */
export function contractRoutes(handlers: Handlers, services: Services): readonly ServerRoute[] {
	return (Object.keys(operations) as OperationId[]).map(id => {
		const row: Endpoint = operations[id];
		const handler = handlers[id] as AnyHandler;
		return {
			method: row.method,
			path: row.path,
			auth: 'credential',
			accepts: row.raw ?? (row.body ? undefined : []),
			mayLackBody: mayLackBody(row),
			async handle(input) {
				const scope = guard(id, input);
				const headers = new Headers();
				const result = await handler(await readRequest(row, input), {
					principal: input.principal,
					scope,
					services,
					request: input.request,
					headers,
					actor: {
						kind: 'user',
						id: input.principal.userId,
						address: clientAddressOf(input.request, services),
						requestId: requestIdOf(input.request),
					},
					isAdministrator: input.isAdministrator,
				});
				return result instanceof Response ? result : respond(row, result, headers);
			},
		};
	});
}

async function readRequest(row: Endpoint, {request, url, parameters}: RouteRequest): Promise<object> {
	const query = row.query && check(row.query, decodeQuery(row.query, url.searchParams));
	const errors = [
		...Object.entries(parameters).flatMap(([name, value]) => toErrorItems('path', parameterViolations(name, value))),
		...toErrorItems('query', query?.wrong ?? []),
	];
	const json =
		row.body && errors.length === 0 ? await readJsonBody(request, mayLackBody(row) ? {} : undefined) : undefined;
	const body = row.body && json !== undefined ? check(row.body, json) : undefined;
	errors.push(...toErrorItems('body', [...(body?.wrong ?? []), ...(json === undefined ? [] : textViolations(json))]));
	if (errors.length > 0) {
		rejectInvalid(errors);
	}

	return {
		params: parameters,
		...(query && {query: query.data}),
		...(body && {body: body.data}),
		...(row.raw && {
			body: await readBody(request, maxRawBytes),
			contentType: mediaTypeOf(request),
			contentEncoding: request.headers.get('content-encoding') ?? undefined,
		}),
	};
}

/** Converts violations to the specification's errors. */
function toErrorItems(part: 'body' | 'path' | 'query', violations: readonly Violation[]): ValidationErrorItem[] {
	return violations.map(({path, rule, code}) => ({loc: [part, ...path], msg: rule, type: code}));
}

/** Returns a result as JSON, or 204 if there is none. */
function respond(row: Endpoint, result: unknown, headers: Headers): Response {
	return row.result && result !== undefined
		? new JsonResponse(result, {headers})
		: new Response(undefined, {status: 204, headers});
}

/** Lone surrogates and NUL, which databases can't store as they are. */
const unstorable = /[\0\p{Surrogate}]/u;

/** Returns a violation for every name or value in a JSON body that can't be stored unchanged. */
function textViolations(json: Json, path: Violation['path'] = []): readonly Violation[] {
	if (typeof json === 'string') {
		const rule = 'must be Unicode text without zero characters';
		return unstorable.test(json) ? [{path, rule, code: 'invalid_value'}] : [];
	}

	if (Array.isArray(json)) {
		return json.flatMap((item, index) => textViolations(item, [...path, index]));
	}

	return isJsonObject(json)
		? Object.entries(json).flatMap(([name, value]) => [
				...textViolations(name, [...path, name]),
				...textViolations(value, [...path, name]),
			])
		: [];
}
