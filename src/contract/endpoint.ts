import type * as z from 'zod/mini';
import type {Lenient} from './lenient.ts';
import type {ParameterName} from './parameters.ts';
import {type PathParameter, type PathParameters, parametersOf} from './path.ts';
import type {ErrorStatus} from './problem.ts';

/** One operation of the REST API as data; client, server and documentation derive from it. */
export type Endpoint = {
	readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** With `:name` for each parameter. */
	readonly path: string;
	/** Its title in the specification. */
	readonly summary: string;
	/** What a caller should know beyond the summary. */
	readonly description?: string;
	/** How a caller authenticates: with `Authorization: Bearer`, or with `X-API-Key`. */
	readonly auth: 'bearer' | 'api-key';
	readonly query?: z.ZodMiniType;
	/** Schema of a JSON body. */
	readonly body?: z.ZodMiniType;
	/** Media types of a body that is sent as is, instead of JSON; it may be compressed. */
	readonly raw?: readonly string[];
	/** Schema of the JSON body of a success; without it a success has no body. */
	readonly result?: z.ZodMiniType;
	/** Documented statuses of errors; all of them by default. */
	readonly errors?: readonly ErrorStatus[];
	readonly deprecated?: true;
	/** True if it is not in the specification: other servers may lack it, and a client must work without it. */
	readonly extension?: true;
	/** The field of the body that identifies the attempt, so that the request may be retried. */
	readonly idempotencyKey?: string;
};

/**
 * Returns the row with its literal type, from which the types of its parameters derive. A parameter that `pathParameters`
 * lacks does not compile.
 */
export const endpoint = <const E extends Endpoint>(
	row: PathParameter<E['path']> extends ParameterName ? E : never,
): E => row;

/** True for an operation whose request may come without a body: none of the fields of what it creates is required. */
export function mayLackBody({method, body}: Endpoint): boolean {
	return method === 'POST' && body?.safeParse({}).success === true;
}

const scopes = ['org', 'workspace', 'project'] as const;

export type Scope = (typeof scopes)[number];

/** Returns the parts of the scope in an operation's path. */
export function scopeOf({path}: Endpoint): readonly Scope[] {
	const names = parametersOf(path);
	return scopes.filter(scope => names.includes(scope));
}

type InputOf<Part> = Part extends z.ZodMiniType ? z.input<Part> : never;
type OutputOf<Part> = Part extends z.ZodMiniType ? z.output<Part> : never;

/** The field `Name`, optional if all of its own fields are. */
type Given<Name extends string, Value> =
	Record<never, never> extends Value ? {readonly [Key in Name]?: Value} : {readonly [Key in Name]: Value};

/** A body that is sent as is. */
export type RawBody<MediaType extends string = string> = {
	readonly body: string | Uint8Array;
	readonly contentType: MediaType;
	/** How the bytes are already compressed, for example `gzip`. */
	readonly contentEncoding?: string;
};

/** The input of a call: path parameters, query and body, as far as the row has them. */
export type CallOf<E extends Endpoint> = Given<'params', PathParameters<E['path']>> &
	(E extends {readonly query: infer Query} ? Given<'query', InputOf<Query>> : unknown) &
	(E extends {readonly body: infer Body} ? {readonly body: InputOf<Body>} : unknown) &
	(E extends {readonly raw: readonly (infer MediaType extends string)[]} ? RawBody<MediaType> : unknown);

/** The input of a handler: the same after validation, with defaults filled in. */
export type RequestOf<E extends Endpoint> = {readonly params: PathParameters<E['path']>} & (E extends {
	readonly query: infer Query;
}
	? {readonly query: OutputOf<Query>}
	: unknown) &
	(E extends {readonly body: infer Body} ? {readonly body: OutputOf<Body>} : unknown) &
	(E extends {readonly raw: readonly (infer MediaType extends string)[]} ? RawBody<MediaType> : unknown);

/** The result of a handler: everything that the contract requires. */
export type ResultOf<E extends Endpoint> = E extends {readonly result: infer Result} ? InputOf<Result> : undefined;

/** The result of a call: the same, but any field may be missing. */
export type AnswerOf<E extends Endpoint> = Lenient<ResultOf<E>>;
