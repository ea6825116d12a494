import {isJsonObject, type Json, type JsonObject, limitDepth} from '../../core/json.ts';

/** Most levels and schemas that are kept; anything below or beyond accepts every value. */
const maxDepth = 40;
/** Most levels of the JSON of a schema: several for each of its own. */
const maxNesting = 3 * maxDepth;
const maxSchemas = 20_000;

/** Keywords whose value is a schema, a list of schemas, or an object of schemas (JSON Schema 2020-12 and its drafts). */
const withSchema = ['additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const;
const withList = ['anyOf', 'oneOf', 'allOf'] as const;
const withObject = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;
const types: ReadonlySet<Json> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** Returns the schema that a local `$ref` points to; undefined for any other one. */
export function resolveRef(root: Json, ref: Json | undefined): Json | undefined {
	if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) {
		return undefined;
	}

	let target: Json | undefined = root;
	for (const step of ref.split('/').slice(1)) {
		const key = pointerStep(step);
		const inner: Json | undefined = target;
		target = isIndexable(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
	}

	return target;
}

function isIndexable(value: Json | undefined): value is JsonObject {
	return typeof value === 'object' && value !== null;
}

/** Decodes a step of a JSON Pointer in a URL (RFC 6901, section 6). */
export function pointerStep(step: string): string {
	const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
	try {
		return decodeURIComponent(plain);
	} catch {
		return plain;
	}
}

/**
 * Returns a schema that means the same, or accepts more, in the form that hosts of models agree on: an object at the top
 * with `properties` and without alternatives, arrays with `items`, and only keywords of JSON Schema 2020-12 with values of
 * their kind. Whatever a tool of a stranger has there, it is never larger than a small multiple of what was given.
 */
export function fitSchema(schema: Json | undefined): JsonObject {
	const given = schema ?? {};
	const origin = limitDepth(given, maxNesting);
	const root = topObject(origin, origin);
	return tidySchema(root, {root, origin, depth: 0, budget: {left: maxSchemas}});
}

type Place = {
	/** What `$ref` is relative to: the schema that is sent, and the given one. */
	readonly root: JsonObject;
	readonly origin: Json;
	readonly depth: number;
	readonly budget: {left: number};
};

function tidySchema(schema: Json | undefined, place: Place): JsonObject {
	place.budget.left -= 1;
	if (!isJsonObject(schema) || place.depth > maxDepth || place.budget.left < 0) {
		// `false` accepts nothing, which no host has a form for that others take.
		return {};
	}

	const {$schema, $id, id, $anchor, $dynamicRef, $dynamicAnchor, $comment, ...rest} = dereferenced(schema, place);
	const below = {...place, depth: place.depth + 1};
	const tidied: Record<string, Json> = {...withTypes(rest), ...(typeof id === 'object' && id !== null && {id})};
	for (const key of withSchema) {
		const inner = rest[key];
		if (inner !== undefined) {
			tidied[key] = typeof inner === 'boolean' ? inner : tidySchema(inner, below);
		}
	}

	for (const key of withList) {
		const list = rest[key];
		if (list !== undefined) {
			const kept = (Array.isArray(list) ? list : [list]).filter(inner => inner !== false);
			setOrDelete(tidied, key, kept.length > 0 && kept.map(inner => tidySchema(inner, below)));
		}
	}

	for (const key of withObject) {
		const inner = rest[key];
		if (inner !== undefined) {
			const entries = isJsonObject(inner) ? Object.entries(inner).filter(([, value]) => value !== false) : [];
			tidied[key] = Object.fromEntries(entries.map(([name, value]) => [name, tidySchema(value, below)]));
		}
	}

	tidyArray(tidied, rest, below);
	tidyObject(tidied, rest);
	tidyValues(tidied);
	return tidied;
}

function setOrDelete(target: Record<string, Json>, key: string, value: Json | undefined | false): void {
	if (value === undefined || value === false) {
		delete target[key];
	} else {
		target[key] = value;
	}
}

/** Replaces a `$ref` that points nowhere in the schema that is sent. One that points to itself accepts everything. */
function dereferenced(schema: JsonObject, {root, origin}: Place): JsonObject {
	const {$ref, ...others} = schema;
	if ($ref === undefined || isJsonObject(resolveRef(root, $ref))) {
		return schema;
	}

	const target = resolveRef(origin, $ref);
	if (!isJsonObject(target)) {
		return others;
	}

	const {$ref: next, ...inlined} = target;
	return {...inlined, ...(isJsonObject(resolveRef(root, next)) && next !== undefined && {$ref: next}), ...others};
}

function withTypes(schema: JsonObject): JsonObject {
	const {type, ...rest} = schema;
	const given = (Array.isArray(type) ? [...new Set(type)] : [type ?? null]).map(name =>
		typeof name === 'string' ? name.toLowerCase() : name,
	);
	const known = type === undefined || type === null ? [] : given.filter(name => types.has(name));
	return known.length === 0 ? rest : {...schema, type: known.length === 1 ? (known[0] ?? null) : known};
}

const has = (type: Json | undefined, name: string) => type === name || (Array.isArray(type) && type.includes(name));

/** Adds the schema of its items to each array. Those of a tuple may each be any of its schemas: most hosts know no tuples. */
function tidyArray(
	tidied: Record<string, Json>,
	{items, prefixItems, additionalItems}: JsonObject,
	below: Place,
): void {
	delete tidied['additionalItems'];
	delete tidied['prefixItems'];
	const tuple = [Array.isArray(items) ? items : [], Array.isArray(prefixItems) ? prefixItems : []].flat();
	if (tuple.length > 0) {
		const others = Array.isArray(items) ? additionalItems : items;
		const all = [...tuple, ...(isJsonObject(others) ? [others] : [])].map(item => tidySchema(item, below));
		const kinds = [...new Map(all.map(item => [JSON.stringify(item), item])).values()];
		tidied['items'] = kinds.length === 1 ? (kinds[0] ?? {}) : {anyOf: kinds};
	} else if (items !== undefined || has(tidied['type'], 'array')) {
		tidied['items'] = tidySchema(items, below);
	}
}

/** Adds properties to each object, and requires only those that it has. */
function tidyObject(tidied: Record<string, Json>, {properties}: JsonObject): void {
	const {required} = tidied;
	const given = isJsonObject(properties) ? Object.entries(properties) : [];
	// `required: true` in a property is the form of draft 3.
	const older = given.flatMap(([name, value]) => (isJsonObject(value) && value['required'] === true ? [name] : []));
	if (has(tidied['type'], 'object')) {
		tidied['properties'] ??= {};
	}

	const names = [...(Array.isArray(required) ? required : []), ...older];
	const own = tidied['properties'];
	const isOwn = (name: Json) => typeof name === 'string' && (!isJsonObject(own) || Object.hasOwn(own, name));
	const kept = [...new Set(names.filter(isOwn))];
	setOrDelete(tidied, 'required', kept.length > 0 && kept);
}

const numbers = ['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'];
const texts = ['description', 'title', 'format', 'pattern', '$ref'];

/** Leaves out values of a wrong kind. A limit that a boolean makes exclusive is the form of draft 4. */
function tidyValues(tidied: Record<string, Json>): void {
	for (const [limit, exclusive] of [
		['minimum', 'exclusiveMinimum'],
		['maximum', 'exclusiveMaximum'],
	] as const) {
		const value = tidied[limit];
		if (tidied[exclusive] === true && typeof value === 'number') {
			tidied[exclusive] = value;
			delete tidied[limit];
		} else if (tidied[exclusive] !== undefined && typeof tidied[exclusive] !== 'number') {
			delete tidied[exclusive];
		}
	}

	const {enum: values} = tidied;
	if (values !== undefined) {
		const kinds = Array.isArray(values)
			? [...new Map(values.map(value => [JSON.stringify(value), value])).values()]
			: [];
		setOrDelete(tidied, 'enum', kinds.length > 0 && kinds);
	}

	for (const [keys, kind] of [
		[numbers, 'number'],
		[texts, 'string'],
	] as const) {
		for (const key of keys) {
			if (key in tidied && typeof tidied[key] !== kind) {
				delete tidied[key];
			}
		}
	}
}

/** What may stand beside the properties of the object at the top: hosts refuse alternatives and conditions there. */
const droppedAtTop = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const', '$ref', 'nullable'];

/**
 * Returns the object that a schema describes, whatever it is made of. It accepts what any of its alternatives accepts, and
 * its description says which properties belong together.
 */
export function topObject(schema: Json, root: Json): JsonObject {
	const parts = flatten(schema, root, new Set());
	const own = isJsonObject(schema) ? schema : {};
	const kept = Object.fromEntries(Object.entries(own).filter(([key]) => !droppedAtTop.includes(key)));
	const notes = parts.notes.length > 0 ? [`Takes one of: ${parts.notes.slice(0, 8).join(' or ')}.`] : [];
	const described = [own['description'], ...notes].filter(text => typeof text === 'string' && text !== '').join(' ');
	return {
		...parts.definitions,
		...kept,
		type: 'object',
		properties: Object.fromEntries(parts.properties),
		...(described && {description: described}),
		...(parts.required.size > 0 ? {required: [...parts.required]} : {required: []}),
		...(parts.isClosed ? {} : kept['additionalProperties'] === false && {additionalProperties: true}),
	};
}

type Parts = {
	readonly properties: ReadonlyMap<string, Json>;
	readonly required: ReadonlySet<string>;
	readonly notes: readonly string[];
	readonly definitions: JsonObject;
	/** False if properties of an alternative would be forbidden by `additionalProperties` beside it. */
	readonly isClosed: boolean;
};

const noParts: Parts = {
	properties: new Map(),
	required: new Set(),
	notes: [],
	definitions: {},
	isClosed: true,
};

/** Most schemas at the top that are joined. */
const maxJoined = 200;

function flatten(schema: Json | undefined, root: Json, seen: Set<Json>): Parts {
	if (!isJsonObject(schema) || seen.has(schema) || seen.size >= maxJoined) {
		return noParts;
	}

	seen.add(schema);
	const {$ref, properties, required, $defs, definitions} = schema;
	const listOf = (key: string) => {
		const list = schema[key];
		return Array.isArray(list) ? list : [];
	};
	const own: Parts = {
		...noParts,
		properties: new Map(isJsonObject(properties) ? Object.entries(properties) : []),
		required: new Set(Array.isArray(required) ? required.filter(name => typeof name === 'string') : []),
		definitions: {...(isJsonObject($defs) && {$defs}), ...(isJsonObject(definitions) && {definitions})},
	};
	const all = [resolveRef(root, $ref), ...listOf('allOf')].map(inner => flatten(inner, root, seen));
	const either = ['anyOf', 'oneOf'].map(key =>
		listOf(key).flatMap(inner => (mayBeObject(inner) ? [flatten(inner, root, seen)] : [])),
	);
	const sometimes = ['then', 'else'].map(key => ({...flatten(schema[key], root, seen), required: new Set<string>()}));
	return [...all, ...either.map(anyOfParts), ...sometimes].reduce(joinParts, own);
}

/** True unless an alternative is of another type, such as null. */
function mayBeObject(schema: Json): boolean {
	return isJsonObject(schema) && (schema['type'] === undefined || has(schema['type'], 'object'));
}

function joinParts(one: Parts, other: Parts): Parts {
	return {
		properties: joinProperties([one.properties, other.properties]),
		required: new Set([...one.required, ...other.required]),
		notes: [...one.notes, ...other.notes],
		definitions: {...other.definitions, ...one.definitions},
		isClosed: one.isClosed && other.isClosed,
	};
}

/** Returns what any of several alternatives has; only what all of them require is required. */
function anyOfParts(parts: readonly Parts[]): Parts {
	const [first] = parts;
	if (!first) {
		return noParts;
	}

	const names = parts.map(({required, properties}) =>
		(required.size > 0 ? [...required] : [...properties.keys()]).slice(0, 12).join(', '),
	);
	const isTelling = parts.length > 1 && new Set(names).size > 1;
	return {
		properties: joinProperties(parts.map(({properties}) => properties)),
		required: new Set([...first.required].filter(name => parts.every(({required}) => required.has(name)))),
		notes: isTelling ? names.map(name => (name ? `{${name}}` : '{}')) : [],
		definitions: Object.assign({}, ...parts.map(({definitions}) => definitions)),
		isClosed: false,
	};
}

function joinProperties(objects: ReadonlyArray<ReadonlyMap<string, Json>>): ReadonlyMap<string, Json> {
	const kinds = new Map<string, Map<string, Json>>();
	for (const [name, schema] of objects.flatMap(object => [...object])) {
		const known = kinds.get(name) ?? new Map<string, Json>();
		kinds.set(name, known.set(JSON.stringify(schema), schema));
	}

	return new Map(
		[...kinds].map(([name, schemas]) => {
			const [first = {}, ...others] = schemas.values();
			return [name, others.length > 0 ? joinValues([first, ...others]) : first];
		}),
	);
}

/** Returns one schema for several. Constants of one property, which tell alternatives apart, become its values. */
function joinValues(schemas: readonly Json[]): Json {
	const values = schemas.flatMap(schema =>
		isJsonObject(schema)
			? 'const' in schema
				? [[schema['const'] ?? null]]
				: Array.isArray(schema['enum'])
					? [schema['enum']]
					: []
			: [],
	);
	const [first] = schemas;
	if (values.length < schemas.length || !isJsonObject(first)) {
		return {anyOf: schemas};
	}

	const {const: _, ...rest} = first;
	return {...rest, enum: values.flat()};
}
