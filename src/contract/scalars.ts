import * as z from 'zod/mini';

/** A UUID in its usual form; variant and version are not looked at, as the specification asks for none. */
export const uuid = z.guid();

/** An ISO 8601 timestamp with its offset from UTC. */
export const dateTime = z.iso.datetime({offset: true});

/** An object whose fields the specification does not name. */
export const anyObject = z.record(z.string(), z.unknown());

/** A field that may be left out, and may carry null. */
export const maybe = <Schema extends z.ZodMiniType>(schema: Schema) => z.optional(z.nullable(schema));

/** A field that is left out where it has its default. */
export const defaultsTo = <Schema extends z.ZodMiniType>(
	schema: Schema,
	value: Parameters<typeof z._default<Schema>>[1],
) => z._default(schema, value);

/** Text of `least` to `most` characters. */
export const text = (least: number, most: number) => z.string().check(z.minLength(least), z.maxLength(most));

/** Several fields of one type. */
export const fields = <const Name extends string, Schema extends z.ZodMiniType>(
	names: readonly Name[],
	schema: Schema,
): Readonly<Record<Name, Schema>> => Object.fromEntries(names.map(name => [name, schema])) as Record<Name, Schema>;

/** What an operation answers whose shape the specification does not show: anything, or nothing. */
export const notShown = z.unknown();
