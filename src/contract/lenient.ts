import type * as z from 'zod/mini';
import {entryOf} from '../core/entry-of.ts';
import {isJsonObject, type Json, type JsonObject} from '../core/json.ts';

/** Names that a type spells out, without the `[name: string]` of a loose object. */
type Known<T> = keyof {
	[Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: T[Name];
};

/**
 * What a lenient reader may rely on: any field may be missing, a word may be one that came after this version, and
 * fields that nobody knows are there, but not in the type.
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
 * Reads a value that came from outside: what is missing, out of bounds, unknown or of another format stays as it came
 * (SAFETY 24). A field or a list's entry of the wrong kind, text for a number say, is left out of a copy, so that nobody
 * stumbles over it. Undefined where the value as a whole is of the wrong kind. Takes time in proportion to the value.
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

/** What `readLeniently` made this value of, untouched: what `--json` shows. Null for nothing. */
export function originalOf(value: unknown): Json {
	const original = typeof value === 'object' && value !== null ? originals.get(value) : undefined;
	return original ?? ((value ?? null) as Json);
}

/**
 * Returns the required fields of an object's schema that `value`, as `readLeniently` gave it, does not have. Objects
 * inside it and entries of lists are not looked at: one that is damaged must not hide the others.
 */
export function missingFields(schema: z.core.$ZodType, value: unknown): readonly string[] {
	const {def} = (schema as z.core.$ZodTypes)._zod;
	if (def.type !== 'object' || typeof value !== 'object' || value === null) {
		return [];
	}

	const required = Object.entries(def.shape).filter(([, {_zod}]) => !['optional', 'default'].includes(_zod.def.type));
	return required.flatMap(([name]) => (Object.hasOwn(value, name) ? [] : name));
}

/** The value without its misfits, the very same where it has none; undefined where it is one itself. */
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
			// JSON can carry 1e999, which is no number to draw with.
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
