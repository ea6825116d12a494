import * as z from 'zod/mini';
import {type Json, type JsonObject, parseJson} from '../../core/json.ts';
import {type Family, valueAt} from './read-attributes.ts';

type Shape = Readonly<Record<string, z.ZodMiniType>>;

/** The fields that a family of attributes may give, as the API has them. */
export type FieldsOf<Fields extends Shape> = {readonly [Name in keyof Fields]?: z.input<Fields[Name]>};

/**
 * Reads the attributes of a family as fields of a resource: `service.airt.trial.score` is `score`. Lists and objects come
 * as OTLP's own or as JSON text. What does not fit the contract is left out.
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

/** The value as the schema keeps it: without what it drops, with its defaults filled in. */
function accept(schema: z.ZodMiniType, value: Json): unknown {
	const asItIs = z.safeParse(schema, value);
	if (asItIs.success) {
		return asItIs.data;
	}

	const parsed = typeof value === 'string' ? parseJson(value) : undefined;
	return parsed === undefined ? undefined : z.safeParse(schema, parsed).data;
}
