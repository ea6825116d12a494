import * as z from 'zod/mini';

/** A UUID of any variant and version. */
export const uuid = z.guid();

/** An ISO 8601 timestamp with an offset from UTC. */
export const dateTime = z.iso.datetime({offset: true});

/** An object whose fields are not in the specification. */
export const anyObject = z.record(z.string(), z.unknown());

/** An optional field that may be null. */
export const maybe = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema));

/** An optional field with a default. */
export const defaultsTo = <Schema extends z.ZodMiniType>(
	schema: Schema,
	value: Parameters<typeof z._default<Schema>>[1],
) => z._default(schema, value);

/** Text of `min` to `max` characters. */
export const text = (min: number, max: number) => z.string().check(z.minLength(min), z.maxLength(max));

/** Several fields of one type. */
export const fields = <const Name extends string, Schema extends z.ZodMiniType>(
	names: readonly Name[],
	schema: Schema,
): Readonly<Record<Name, Schema>> => Object.fromEntries(names.map(name => [name, schema])) as Record<Name, Schema>;

/** A result whose shape is not in the specification: anything, or nothing. */
export const notShown = z.unknown();
