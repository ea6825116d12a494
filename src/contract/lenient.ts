import type * as z from 'zod/mini';
import {entryOf} from '../core/entry-of.ts';
import {isJsonObject, type Json, type JsonObject} from '../core/json.ts';

/** The named fields of a type, without the `[name: string]` of a loose object. */
type Known<T> = keyof {
	[Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: T[Name];
};

/**
 * The type of a leniently read value: any field may be missing, an enum may have values newer than this version, and
 * unknown fields are there but not in the type.
 */
export type Lenient<T> = T extends string
	? string extends T
		? T
		: T | (string & {})
	: T extends readonly (infer Item)[]
		? readonly Lenient<Item>[]
		: T extends object
			? [Known<T>] extends [never]
				? {readonly [Name in keyof T]: Lenient<T[Name]>}
				: {readonly [Name in Known<T>]?: Lenient<T[Name]>}
			: T;

const originals = new WeakMap<object, Json>();

/**
 * Reads an untrusted value. Missing and unknown fields, values out of bounds and unexpected formats stay as they are
 * (SAFETY 24). A field or list entry of the wrong type, such as text for a number, is omitted from a copy. Returns undefined
 * if the value itself is of the wrong type. Takes time linear in the size of the value.
 */
export function readLeniently<Schema extends z.ZodMiniType>(
	schema: Schema,
	value: Json,
): Lenient<z.input<Schema>> | undefined {
	const kept = keep(schema, value);
	if (kept !== value && typeof kept === 'object' && kept !== null) {
		originals.set(kept, value);
	}

	return kept as Lenient<z.input<Schema>> | undefined;
}

/** Returns the unchanged value that `readLeniently` read, for `--json`; null for undefined. */
export function originalOf(value: unknown): Json {
	const original = typeof value === 'object' && value !== null ? originals.get(value) : undefined;
	return original ?? ((value ?? null) as Json);
}

/**
 * Returns the required fields of an object's schema that `value`, a result of `readLeniently`, lacks. Ignores nested
 * objects and list entries: one that is damaged must not hide the others.
 */
export function missingFields(schema: z.core.$ZodType, value: unknown): readonly string[] {
	const {def} = (schema as z.core.$ZodTypes)._zod;
	if (def.type !== 'object' || typeof value !== 'object' || value === null) {
		return [];
	}

	const required = Object.entries(def.shape).filter(([, {_zod}]) => !['optional', 'default'].includes(_zod.def.type));
	return required.flatMap(([name]) => (Object.hasOwn(value, name) ? [] : name));
}

/** Returns the value without parts of a wrong type, the same object if it has none; undefined if its own type is wrong. */
function keep(schema: z.core.$ZodType, value: Json): Json | undefined {
	const {def} = (schema as z.core.$ZodTypes)._zod;
	switch (def.type) {
		case 'optional':
		case 'default':
			return keep(def.innerType, value);
		case 'nullable':
			return value === null ? value : keep(def.innerType, value);
		case 'object':
			return isJsonObject(value) ? keepFields(value, name => entryOf(def.shape, name)) : undefined;
		case 'record':
			return isJsonObject(value) ? keepFields(value, () => def.valueType) : undefined;
		case 'array':
			return Array.isArray(value) ? keepEntries(value, def.element) : undefined;
		case 'union':
			return def.options.map(option => keep(option, value)).find(kept => kept !== undefined);
		case 'string':
		case 'enum':
			return typeof value === 'string' ? value : undefined;
		case 'number':
			// JSON may have 1e999, which parses as Infinity.
			return Number.isFinite(value) ? value : undefined;
		case 'boolean':
			return typeof value === 'boolean' ? value : undefined;
		default:
			return value;
	}
}

function keepFields(value: JsonObject, schemaOf: (name: string) => z.core.$ZodType | undefined): JsonObject {
	let copy: Record<string, Json> | undefined;
	for (const [name, field] of Object.entries(value)) {
		const schema = schemaOf(name);
		const kept = schema ? keep(schema, field) : field;
		if (kept !== field) {
			copy ??= {...value};
			if (kept === undefined) {
				delete copy[name];
			} else {
				copy[name] = kept;
			}
		}
	}

	return copy ?? value;
}

function keepEntries(list: readonly Json[], schema: z.core.$ZodType): readonly Json[] {
	const kept = list.map(entry => keep(schema, entry));
	return kept.every((entry, index) => entry === list[index]) ? list : kept.filter(entry => entry !== undefined);
}
