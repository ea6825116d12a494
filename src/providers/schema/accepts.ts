import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';

/** How deep arguments, the references of a schema and texts in texts are followed. */
export const maxDepth = 32;
/** Most values that are compared with schemas for one call: a stranger's schema may refer to itself in many ways. */
const maxSteps = 200_000;

/** Where a value stands: the schema that references point into, and how many levels are above. */
export type SchemaPlace = {
	readonly root: JsonObject;
	readonly depth: number;
	readonly budget: {steps: number};
	/** True if an object may have no other fields than those that its schema names. */
	readonly isExact: boolean;
};

/** Returns the place of a value that a whole schema is for. */
export function placeIn(root: JsonObject, isExact = false): SchemaPlace {
	return {root, depth: 0, budget: {steps: maxSteps}, isExact};
}

/**
 * True for a value that has the form of a schema. Sizes, patterns and formats are left to who runs the call. What is too deep
 * or too much to compare fits, unless the place is exact.
 */
export function accepts(value: Json, schema: unknown, place: SchemaPlace): boolean {
	if (schema === false || place.depth > maxDepth || --place.budget.steps < 0) {
		return schema !== false && !place.isExact;
	}

	const part = resolved(schema, place.root);
	if (!part) {
		return true;
	}

	const below = {...place, depth: place.depth + 1};
	const takes = (choice: unknown) => accepts(value, choice, below);
	const choices = [listOf(part['anyOf']), listOf(part['oneOf'])].filter(({length}) => length > 0);
	if (
		!isOfType(value, typesOf(part), part) ||
		!choices.every(each => each.some(takes)) ||
		!listOf(part['allOf']).every(takes)
	) {
		return false;
	}

	if (Array.isArray(value)) {
		return value.every(item => accepts(item, part['items'], below));
	}

	return (
		!isJsonObject(value) ||
		(listOf(part['required']).every(key => typeof key !== 'string' || Object.hasOwn(value, key)) &&
			Object.entries(value).every(([key, item]) => accepts(item, propertyIn(part, key, place), below)))
	);
}

/** Returns the schema of a property that a value may have there. */
function propertyIn(part: JsonObject, key: string, {isExact}: SchemaPlace): unknown {
	const {properties} = part;
	return isExact && isJsonObject(properties) && !Object.hasOwn(properties, key) ? false : propertyOf(part, key);
}

/** Returns the schema of a property: `false` where none of that name may be, undefined where anything may. */
export function propertyOf({properties, additionalProperties}: JsonObject, key: string): unknown {
	return isJsonObject(properties) && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
}

/** Returns the names of the types that a schema takes; undefined for any. */
export function typesOf(part: JsonObject): readonly string[] | undefined {
	const {type, properties, items} = part;
	if (typeof type === 'string' || Array.isArray(type)) {
		const types = [type].flat().filter(each => typeof each === 'string');
		return part['nullable'] === true ? [...types, 'null'] : types;
	}

	return isJsonObject(properties) ? ['object'] : isJsonObject(items) ? ['array'] : undefined;
}

export function isOfType(value: Json, types: readonly string[] | undefined, part: JsonObject): boolean {
	const {enum: values, const: only} = part;
	const isListed = Array.isArray(values)
		? values.some(each => isSame(each, value))
		: only === undefined || isSame(only, value);
	return isListed && (types === undefined || types.some(type => isOfJsonType(value, type)));
}

function isSame(one: Json, other: Json): boolean {
	return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Returns a schema with its reference followed, beside what stands next to it; undefined for one that says nothing. */
export function resolved(schema: unknown, root: JsonObject): JsonObject | undefined {
	let part = isJsonObject(schema) ? schema : undefined;
	for (let step = 0; part && typeof part['$ref'] === 'string' && step < maxDepth; step++) {
		const {$ref, ...beside} = part;
		const path = /^#(?:\/(.*))?$/.exec($ref as string);
		const names = path?.[1]?.split('/').map(name => name.replaceAll('~1', '/').replaceAll('~0', '~')) ?? [];
		const target = names.reduce<unknown>((at, name) => (isJsonObject(at) ? at[name] : undefined), root);
		part = path && isJsonObject(target) ? {...target, ...beside} : beside;
	}

	return part;
}

export function listOf(value: unknown): readonly unknown[] {
	return Array.isArray(value) ? value : [];
}

/** True if a value has a type that a JSON Schema names; true for an unknown type. */
function isOfJsonType(value: Json, type: Json): boolean {
	switch (type) {
		case 'null':
			return value === null;
		case 'array':
			return Array.isArray(value);
		case 'object':
			return isJsonObject(value);
		case 'integer':
			return Number.isInteger(value);
		case 'string':
		case 'number':
		case 'boolean':
			return typeof value === type;
		default:
			return true;
	}
}
