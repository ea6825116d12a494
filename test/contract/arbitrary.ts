import fc, {type Arbitrary} from 'fast-check';
import * as z from 'zod/mini';
import type {Json} from '../../src/core/json.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** Making one takes longer than many of its values. */
const known = new WeakMap<z.core.$ZodType, Arbitrary<Json>>();
const matching = new Map<string, Arbitrary<string>>();

/** Values that a schema of the contract allows, as they come out of JSON; loose objects have fields that nobody knows. */
export function valuesOf(schema: z.core.$ZodType): Arbitrary<Json> {
	const made =
		known.get(schema) ??
		values(z.toJSONSchema(schema, {io: 'input', reused: 'inline'})).map(value => JSON.parse(JSON.stringify(value)));
	known.set(schema, made);
	return made;
}

function values(schema: Schema): Arbitrary<unknown> {
	if (schema.anyOf) {
		return fc.oneof(...schema.anyOf.map(option => values(option as Schema)));
	}

	if (schema.enum) {
		return fc.constantFrom(...schema.enum);
	}

	if (Array.isArray(schema.type)) {
		return fc.oneof(...schema.type.map(type => values({...schema, type})));
	}

	switch (schema.type) {
		case 'null':
			return fc.constant(null);
		case 'boolean':
			return fc.boolean();
		case 'integer':
			return fc.integer({min: Math.max(schema.minimum ?? -1e9, -1e9), max: Math.min(schema.maximum ?? 1e9, 1e9)});
		case 'number':
			return fc.double({noNaN: true, noDefaultInfinity: true});
		case 'string':
			return texts(schema);
		case 'array':
			return fc.array(values(schema.items as Schema), {maxLength: 3});
		case 'object':
			return objects(schema);
		default:
			return fc.jsonValue({maxDepth: 2});
	}
}

function texts({format, pattern, minLength = 0, maxLength}: Schema): Arbitrary<string> {
	switch (format) {
		case 'uuid':
			return fc.uuid();
		case 'date-time':
			return fc
				.date({min: new Date('1970-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true})
				.map(date => date.toISOString());
		default:
			return pattern ? textsLike(pattern) : fc.string({minLength, ...(maxLength !== undefined && {maxLength})});
	}
}

function textsLike(pattern: string): Arbitrary<string> {
	const made = matching.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
	matching.set(pattern, made);
	return made;
}

function objects({properties = {}, required = [], additionalProperties}: Schema): Arbitrary<unknown> {
	const fields = Object.fromEntries(
		Object.entries(properties).map(([name, schema]) => [name, values(schema as Schema)]),
	);
	const own = fc.record(fields, {requiredKeys: required});
	const others = typeof additionalProperties === 'object' ? values(additionalProperties) : undefined;
	const names = fc.string({minLength: 1, maxLength: 8}).map(name => (name in fields ? `${name}_later` : name));
	return others
		? fc.tuple(fc.dictionary(names, others, {maxKeys: 2}), own).map(([more, given]) => ({...more, ...given}))
		: own;
}
