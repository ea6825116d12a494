import * as z from 'zod/mini';
import {type Json, type JsonObject, parseJson} from '../../core/json.ts';
import {type Family, valueAt} from './read-attributes.ts';

type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** The fields that a family of attributes may contain, as the API defines them. */
export type FieldsOf<Fields extends Shape> = {readonly [Name in keyof Fields]?: z.input<Fields[Name]>};

/**
 * Reads a family of attributes as fields of a resource: `service.airt.trial.score` is `score`. Lists and objects are
 * OTLP's own or JSON text. Values that don't match the contract are omitted.
 */
export function fieldsOf<Fields extends Shape>(
	attributes: JsonObject,
	family: Family,
	shape: Fields,
): FieldsOf<Fields> {
	const found: Record<string, unknown> = {};
	for (const [name, schema] of Object.entries(shape)) {
		const value = valueAt(attributes, `${family}${name}`);
		const fitting = value === undefined || value === null ? undefined : accept(schema, value);
		if (fitting !== undefined) {
			found[name] = fitting;
		}
	}

	return found as FieldsOf<Fields>;
}

/** Returns the value as the schema outputs it: without unknown fields, with defaults. */
function accept(schema: z.ZodMiniType, value: Json): unknown {
	const asItIs = z.safeParse(schema, value);
	if (asItIs.success) {
		return asItIs.data;
	}

	const parsed = typeof value === 'string' ? parseJson(value) : undefined;
	return parsed === undefined ? undefined : z.safeParse(schema, parsed).data;
}
