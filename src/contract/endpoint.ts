import type * as z from 'zod/mini';
import type {PathParameters} from './path.ts';

/** One operation of the REST API, as data: client, server and documentation derive from it. */
export type Endpoint = {
	readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
	/** With `{name}` where a parameter stands, as the specification writes it. */
	readonly path: string;
	readonly summary: string;
	/** How a caller proves who he is: a bearer token, or nothing. */
	readonly auth: 'bearer' | 'none';
	readonly query?: z.ZodMiniType;
	readonly body?: z.ZodMiniType;
	/** What a success carries. */
	readonly result: z.ZodMiniType;
};

/** Keeps the literal type of a row, which its parameters are read from. */
export const endpoint = <const E extends Endpoint>(row: E): E => row;

type InputOf<Part> = Part extends z.ZodMiniType ? z.input<Part> : never;
type OutputOf<Part> = Part extends z.ZodMiniType ? z.output<Part> : never;

/** What a caller gives: parameters of the path, query and body, as far as the row has them. */
export type CallOf<E extends Endpoint> = {readonly parameters: PathParameters<E['path']>} & (E extends {
	query: infer Query;
}
	? {readonly query: InputOf<Query>}
	: unknown) &
	(E extends {body: infer Body} ? {readonly body: InputOf<Body>} : unknown);

/** What a handler gets: the same after validation, with defaults filled in. */
export type RequestOf<E extends Endpoint> = {readonly parameters: PathParameters<E['path']>} & (E extends {
	query: infer Query;
}
	? {readonly query: OutputOf<Query>}
	: unknown) &
	(E extends {body: infer Body} ? {readonly body: OutputOf<Body>} : unknown);

/** What a caller gets back. */
export type ResultOf<E extends Endpoint> = z.output<E['result']>;
