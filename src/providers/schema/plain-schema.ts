import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {fitSchema, resolveRef, topObject} from './fit-schema.ts';

const maxDepth = 12;
const maxSchemas = 2000;
const maxDescription = 1000;
/** Most characters of the keywords that a description says instead. */
const maxSaid = 200;

type Place = {
	readonly root: Json;
	readonly depth: number;
	readonly budget: {left: number};
	readonly refs: readonly Json[];
};

/**
 * Returns a schema in the few keywords that every host takes: `type`, `properties`, `required`, `items`, `description`, and
 * `enum` of strings. Where the given schema says more, the description does, as far as it is short. What may have several
 * types is text.
 */
export function plainSchema(schema: JsonObject): JsonObject {
	const root = fitSchema(schema);
	const plain = simplify(root, {root, depth: 0, budget: {left: maxSchemas}, refs: []});
	return {...plain, type: 'object', properties: plain['properties'] ?? {}};
}

function simplify(given: Json | undefined, place: Place): JsonObject {
	const {root, depth, budget, refs} = place;
	budget.left -= 1;
	if (!isJsonObject(given) || budget.left < 0 || depth > maxDepth) {
		return {type: 'string'};
	}

	const target = resolveRef(root, given['$ref']);
	if (target !== undefined) {
		const {$ref: _, ...others} = given;
		return isJsonObject(target) && !refs.includes(target)
			? simplify({...target, ...others}, {...place, refs: [...refs, target]})
			: withNote(describe(given), {type: 'object', properties: {}});
	}

	const alternatives = [given['anyOf'], given['oneOf']].flatMap(list => (Array.isArray(list) ? list : []));
	const real = alternatives.filter(inner => !(isJsonObject(inner) && inner['type'] === 'null'));
	const isObject = given['properties'] !== undefined || typeOf(given) === 'object';
	if (alternatives.length > 0 && !isObject) {
		return union(given, real, place);
	}

	const merged = isObject || Array.isArray(given['allOf']) ? joined(given, root) : given;
	const type = typeOf(merged) ?? typeOfValues(merged);
	const said = describe(merged);
	switch (type) {
		case 'object':
			return withNote(said, objectOf(merged, place));
		case 'array':
			return withNote(said, {type, items: simplify(merged['items'] ?? {}, {...place, depth: depth + 1})});
		case undefined:
			// A type is what hosts ask for most, and text is what every value can be written as.
			return withNote(said, {type: 'string'});
		default: {
			const values = valuesOf(merged);
			const isText = type === 'string' && values.length > 0 && values.every(value => typeof value === 'string');
			return withNote(said, {type, ...(isText && {enum: values})});
		}
	}
}

/** Joins the parts of an object that is made of several. */
function joined(schema: JsonObject, root: Json): JsonObject {
	const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
	const type = [schema, ...parts].map(part => (isJsonObject(part) ? typeOf(part) : undefined)).find(Boolean);
	return type === undefined || type === 'object'
		? topObject(schema, root)
		: Object.assign({}, ...parts.filter(isJsonObject), schema);
}

function objectOf(schema: JsonObject, place: Place): JsonObject {
	const {properties, required} = schema;
	const below = {...place, depth: place.depth + 1};
	const entries = isJsonObject(properties) ? Object.entries(properties) : [];
	const kept = entries.map(([name, inner]) => [name, simplify(inner, below)] as const);
	const names = Array.isArray(required) ? required.filter(name => entries.some(([own]) => own === name)) : [];
	return {type: 'object', properties: Object.fromEntries(kept), ...(names.length > 0 && {required: names})};
}

/** Returns one schema for alternatives: the only one, that of their common type, or text. */
function union(given: JsonObject, real: readonly Json[], place: Place): JsonObject {
	const {anyOf: _, oneOf: _other, ...own} = given;
	const [first] = real;
	if (real.length === 1 && isJsonObject(first)) {
		return simplify({...first, ...own}, place);
	}

	const plain = real.map(inner => simplify(inner, {...place, depth: place.depth + 1}));
	const kinds = new Set(plain.map(({type}) => type));
	const [type] = kinds;
	const said = describe(given, {anyOf: real.length});
	if (kinds.size !== 1 || type === undefined) {
		return withNote(said, {type: 'string'});
	}

	if (type === 'object') {
		return withNote(said, objectOf(topObject({anyOf: plain}, place.root), place));
	}

	const values = plain.flatMap(inner => (Array.isArray(inner['enum']) ? inner['enum'] : []));
	const areAll = plain.every(inner => Array.isArray(inner['enum']));
	const items = type === 'array' && {items: plain[0]?.['items'] ?? {type: 'string'}};
	return withNote(said, {type, ...(areAll && values.length > 0 && {enum: [...new Set(values)]}), ...items});
}

function typeOf({type}: JsonObject): string | undefined {
	const all = (Array.isArray(type) ? type : [type]).filter(name => typeof name === 'string' && name !== 'null');
	const [first] = all;
	return all.length === 1 && typeof first === 'string' ? first : undefined;
}

function valuesOf(schema: JsonObject): readonly Json[] {
	const values = schema['enum'];
	return Array.isArray(values)
		? values.filter(value => value !== null)
		: 'const' in schema
			? [schema['const'] ?? '']
			: [];
}

function typeOfValues(schema: JsonObject): string | undefined {
	const kinds = new Set(valuesOf(schema).map(value => typeof value));
	const [kind] = kinds;
	return kinds.size === 1 && /^(?:string|number|boolean)$/.test(kind ?? '') ? kind : undefined;
}

/** Keywords that a plain schema has itself, and those that say nothing to a model. */
const unsaid: ReadonlySet<string> = new Set([
	'type',
	'properties',
	'required',
	'items',
	'description',
	'title',
	'additionalProperties',
	'anyOf',
	'oneOf',
	'allOf',
	'not',
	'if',
	'then',
	'else',
	'$ref',
	'$defs',
	'definitions',
	'examples',
]);

/** Returns the description, and behind it the keywords that are left out, if they are short. */
function describe(schema: JsonObject, extra: JsonObject = {}): string {
	const {description, title, enum: values} = schema;
	const text = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
	const isKept = Array.isArray(values) && values.every(value => typeof value === 'string');
	const others = Object.entries({...schema, ...extra}).filter(
		([key]) => !unsaid.has(key) && !(key === 'enum' && isKept),
	);
	const said = others.length > 0 ? JSON.stringify(Object.fromEntries(others)) : '';
	return [text.slice(0, maxDescription), said.length <= maxSaid ? said : ''].filter(Boolean).join(' ');
}

function withNote(description: string, schema: JsonObject): JsonObject {
	return {...schema, ...(description && {description})};
}
