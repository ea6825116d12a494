import type * as z from 'zod/mini';
import type {Lenient} from './lenient.ts';
import type {ParameterName} from './parameters.ts';
import {type PathParameter, type PathParameters, parametersOf} from './path.ts';
import type {ErrorStatus} from './problem.ts';

/** One operation of the REST API, as data: client, server and documentation derive from it. */
export type Endpoint = {
	readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** With `:name` where a parameter stands. */
	readonly path: string;
	/** The title that the specification gives it. */
	readonly summary: string;
	/** What a caller should know beyond the summary. */
	readonly description?: string;
	/** How a caller proves who they are: `Authorization: Bearer`, or `X-API-Key`. */
	readonly auth: 'bearer' | 'api-key';
	readonly query?: z.ZodMiniType;
	/** A body of JSON. */
	readonly body?: z.ZodMiniType;
	/** Media types of a body that is sent as it is, instead of JSON; it may be compressed. */
	readonly raw?: readonly string[];
	/** What a success carries, in JSON; without it a success carries no body. */
	readonly result?: z.ZodMiniType;
	/** Documented statuses of errors, where it is not all of them. */
	readonly errors?: readonly ErrorStatus[];
	readonly deprecated?: true;
	/** Not in the specification: other servers may lack it, and a client does without. */
	readonly extension?: true;
	/** The field of the body that makes the same request, sent again, the same attempt: with it a write may be repeated. */
	readonly idempotencyKey?: string;
};

/** Keeps the literal type of a row, which its parameters are read from. A parameter that `pathParameters` lacks does not compile. */
export const endpoint = <const E extends Endpoint>(
	row: PathParameter<E['path']> extends ParameterName ? E : never,
): E => row;

const scopes = ['org', 'workspace', 'project'] as const;

export type Scope = (typeof scopes)[number];

/** Which parts of the scope an operation works in, as its path says. */
export function scopeOf({path}: Pick<Endpoint, 'path'>): readonly Scope[] {
	const names = parametersOf(path);
	return scopes.filter(scope => names.includes(scope));
}

type InputOf<Part> = Part extends z.ZodMiniType ? z.input<Part> : never;
type OutputOf<Part> = Part extends z.ZodMiniType ? z.output<Part> : never;

/** The field `Name`, which may be left out where everything in it may. */
type Given<Name extends string, Value> =
	Record<never, never> extends Value ? {readonly [Key in Name]?: Value} : {readonly [Key in Name]: Value};

/** A body that goes out as it is. */
export type RawBody<MediaType extends string = string> = {
	readonly body: string | Uint8Array;
	readonly contentType: MediaType;
	/** How the bytes are compressed already, `gzip` for one. */
	readonly contentEncoding?: string;
};

/** What a caller gives: parameters of the path, query and body, as far as the row has them. */
export type CallOf<E extends Endpoint> = Given<'params', PathParameters<E['path']>> &
	(E extends {readonly query: infer Query} ? Given<'query', InputOf<Query>> : unknown) &
	(E extends {readonly body: infer Body} ? {readonly body: InputOf<Body>} : unknown) &
	(E extends {readonly raw: readonly (infer MediaType extends string)[]} ? RawBody<MediaType> : unknown);

/** What a handler gets: the same after validation, with defaults filled in. */
export type RequestOf<E extends Endpoint> = {readonly params: PathParameters<E['path']>} & (E extends {
	readonly query: infer Query;
}
	? {readonly query: OutputOf<Query>}
	: unknown) &
	(E extends {readonly body: infer Body} ? {readonly body: OutputOf<Body>} : unknown) &
	(E extends {readonly raw: readonly (infer MediaType extends string)[]} ? RawBody<MediaType> : unknown);

/** What a handler gives back: all that the contract requires. */
export type ResultOf<E extends Endpoint> = E extends {readonly result: infer Result} ? InputOf<Result> : undefined;

/** What a caller gets back: the same, as far as it came. */
export type AnswerOf<E extends Endpoint> = Lenient<ResultOf<E>>;
