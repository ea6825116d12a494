import {cutText} from '../../core/cut-text.ts';
import {isDeeper, isJsonObject, type Json, type JsonObject} from '../../core/json.ts';

/** A schema that describes the arguments of a tool, and a clause for each part of it that was repaired. */
export type InputSchema = {readonly schema: JsonObject; readonly repairs: readonly string[]};

const maxLength = 16_000;
const maxDepth = 20;
/** Most characters of the description of one argument, once a schema is too long. */
const shortDescription = 200;

const isText = (value: Json) => typeof value === 'string';
const isTexts = (value: Json) => Array.isArray(value) && value.every(isText);
const isSchema = (value: Json) => typeof value === 'boolean' || isJsonObject(value);
const isSchemas = (value: Json) => Array.isArray(value) && value.every(isSchema);
const isLimit = (value: Json) => typeof value === 'number' && value >= 0;

const types: readonly Json[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
/** What the languages of servers call the types, which providers refuse. */
const otherTypes = new Map<Json, Json>([
	['int', 'integer'],
	['long', 'integer'],
	['float', 'number'],
	['double', 'number'],
	['str', 'string'],
	['text', 'string'],
	['bool', 'boolean'],
	['list', 'array'],
	['dict', 'object'],
	['map', 'object'],
	['none', 'null'],
]);

/** What a keyword must be (JSON Schema 2020-12). A keyword that is something else is left out; others stay as they are. */
const keywords: Readonly<Record<string, (value: Json) => boolean>> = {
	properties: isJsonObject,
	patternProperties: isJsonObject,
	$defs: isJsonObject,
	definitions: isJsonObject,
	required: isTexts,
	items: value => isSchema(value) || isSchemas(value),
	prefixItems: isSchemas,
	additionalProperties: isSchema,
	anyOf: isSchemas,
	oneOf: isSchemas,
	allOf: isSchemas,
	not: isSchema,
	enum: Array.isArray,
	description: isText,
	title: isText,
	format: isText,
	pattern: isText,
	$ref: isText,
	minLength: isLimit,
	maxLength: isLimit,
	minItems: isLimit,
	maxItems: isLimit,
	minimum: value => typeof value === 'number',
	maximum: value => typeof value === 'number',
};

/** Keywords whose values are named schemas, one schema, or a list of them. */
const named: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions'];
const nested: readonly string[] = ['items', 'prefixItems', 'additionalProperties', 'anyOf', 'oneOf', 'allOf', 'not'];

/**
 * Reads the schema of a tool's arguments, whatever its server sent for it, as one of an object. A keyword of a wrong type is
 * left out, which allows more and forbids nothing; so is what a limit of length or depth doesn't let through.
 */
export function readInputSchema(given: unknown): InputSchema {
	if (!isJsonObject(given)) {
		const isNone = given === undefined || given === null;
		return {
			schema: {type: 'object'},
			repairs: [isNone ? 'it says nothing about its arguments' : 'its arguments are not described by a schema'],
		};
	}

	const wrong = new Set<string>();
	const {$schema: _, ...read} = isDeeper(given, maxDepth) ? cutDeep(given, maxDepth, wrong) : given;
	const checked = readSchema(read, wrong);
	const isObject = [checked['type']].flat().includes('object');
	if (checked['type'] !== undefined && !isObject) {
		wrong.add('type');
	}

	const schema = {...checked, type: 'object'};
	const repairs = wrong.size > 0 ? [`${[...wrong].slice(0, 5).join(', ')} of its arguments can't be used`] : [];
	const fitting = fitted(schema);
	return {
		schema: fitting,
		repairs: fitting === schema ? repairs : [...repairs, 'its arguments are described at too great length'],
	};
}

/** Returns a schema without the keywords that have a wrong type, whose names are added to `wrong`. */
function readSchema(schema: JsonObject, wrong: Set<string>): JsonObject {
	const read = (value: Json): Json => (isJsonObject(value) ? readSchema(value, wrong) : value);
	const entries = Object.entries(schema).flatMap(([key, value]): ReadonlyArray<readonly [string, Json]> => {
		if (key === 'type') {
			const named = readType(value);
			if (JSON.stringify(named) !== JSON.stringify(value) && value !== null) {
				wrong.add(key);
			}

			return named === undefined ? [] : [[key, named]];
		}

		const isRight = Object.hasOwn(keywords, key) ? keywords[key] : undefined;
		if (isRight && !isRight(value)) {
			// Serializers of some languages write null for what is left out.
			wrong.add(value === null ? '' : key);
			return [];
		}

		if (named.includes(key) && isJsonObject(value)) {
			const usable = Object.entries(value).filter(([, each]) => isSchema(each) || wrong.add(key) === undefined);
			return [[key, Object.fromEntries(usable.map(([name, each]) => [name, read(each)]))]];
		}

		return [[key, nested.includes(key) ? (Array.isArray(value) ? value.map(read) : read(value)) : value]];
	});
	wrong.delete('');
	return Object.fromEntries(entries);
}

/** Returns the name of a type, or the names of several, as JSON Schema spells them; undefined if there is none. */
function readType(value: Json): Json | undefined {
	const names = [value].flat().map(name => {
		const lower = typeof name === 'string' ? name.toLowerCase() : '';
		return types.includes(lower) ? lower : otherTypes.get(lower);
	});
	const known = [...new Set(names.filter(name => name !== undefined))];
	return known.length === 0 ? undefined : Array.isArray(value) ? known : known[0];
}

/** Returns JSON whose arrays and objects beyond a depth are empty. */
function cutDeep(schema: JsonObject, depth: number, wrong: Set<string>): JsonObject {
	const cut = (value: Json, left: number): Json => {
		if (typeof value !== 'object' || value === null) {
			return value;
		}

		if (left === 0) {
			wrong.add('the innermost part');
			return Array.isArray(value) ? [] : {};
		}

		return Array.isArray(value)
			? value.map(each => cut(each, left - 1))
			: Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cut(each, left - 1)]));
	};
	return Object.fromEntries(Object.entries(schema).map(([key, each]) => [key, cut(each, depth - 1)]));
}

/**
 * Returns a schema that is short enough: with short descriptions, then with the types and descriptions of its arguments
 * alone, then with as many names of arguments as fit, those that are required first.
 */
function fitted(schema: JsonObject): JsonObject {
	if (JSON.stringify(schema).length <= maxLength) {
		return schema;
	}

	const isShort = (shortened: JsonObject) => JSON.stringify(shortened).length <= maxLength;
	const brief = shortened(schema);
	if (isShort(brief)) {
		return brief;
	}

	const properties = isJsonObject(schema['properties']) ? Object.entries(schema['properties']) : [];
	const required = [schema['required'] ?? []].flat().filter(name => typeof name === 'string');
	const outline = (most: number, isTyped: boolean): JsonObject => {
		const wanted = properties.toSorted(([one], [other]) => rankOf(one, required) - rankOf(other, required));
		const kept = wanted.slice(0, most);
		const names = kept.map(([name]) => name);
		return {
			type: 'object',
			properties: Object.fromEntries(kept.map(([name, each]) => [name, isTyped ? outlineOf(each) : {}])),
			...(required.length > 0 && {required: required.filter(name => names.includes(name))}),
		};
	};
	for (let most = properties.length; most > 0; most = Math.floor(most / 2)) {
		const found = [outline(most, true), outline(most, false)].find(isShort);
		if (found) {
			return found;
		}
	}

	return {type: 'object'};
}

const rankOf = (name: string, required: readonly string[]) => (required.includes(name) ? 0 : 1);

/** Returns JSON without the texts that only explain: long descriptions are cut, titles, examples and defaults left out. */
function shortened(schema: JsonObject): JsonObject {
	const {title: _title, examples: _examples, default: _default, $comment: _comment, ...rest} = schema;
	const inner = (value: Json): Json =>
		Array.isArray(value) ? value.map(inner) : isJsonObject(value) ? shortened(value) : value;
	return Object.fromEntries(
		Object.entries(rest).map(([key, value]) => [
			key,
			key === 'description' && typeof value === 'string'
				? cutText(value, shortDescription)
				: named.includes(key) && isJsonObject(value)
					? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))
					: inner(value),
		]),
	);
}

/** Returns what an argument is in a few words. */
function outlineOf(schema: Json): JsonObject {
	const {type, description} = isJsonObject(schema) ? schema : {};
	return {
		...(type !== undefined && {type}),
		...(typeof description === 'string' && {description: cutText(description, shortDescription)}),
	};
}
