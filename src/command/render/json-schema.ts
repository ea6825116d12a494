import {entryOf} from '../../core/entry-of.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';

/** A JSON Schema (draft 2020-12) with the document that its references point into. */
export type SchemaPosition = {readonly document: JsonObject; readonly schema: JsonObject};

/** One property of an object, as its schema names it. */
type Property = {
	readonly name: string;
	readonly title: string | undefined;
	readonly at: SchemaPosition | undefined;
};

const mostHops = 8;

/**
 * Returns the properties of an object in the order of its schema, then those that the schema doesn't have. Properties that
 * the object lacks are left out.
 */
export function propertiesOf(value: JsonObject, place: SchemaPosition | undefined): readonly Property[] {
	const at = place && resolve(place);
	const stated = at && isJsonObject(at.schema['properties']) ? at.schema['properties'] : {};
	const known = Object.keys(stated).filter(name => Object.hasOwn(value, name));
	const others = Object.keys(value).filter(name => !Object.hasOwn(stated, name));
	return [
		...known.map(name => {
			const schema = stated[name];
			const inner = at && isJsonObject(schema) ? {document: at.document, schema} : undefined;
			return {name, title: inner && titleOf(inner), at: inner};
		}),
		...others.map(name => ({name, title: undefined, at: undefined})),
	];
}

/** Returns the schema of a list's entries. */
export function entriesOf(place: SchemaPosition | undefined): SchemaPosition | undefined {
	const at = place && resolve(place);
	const items = at?.schema['items'];
	return at && isJsonObject(items) ? {document: at.document, schema: items} : undefined;
}

/** Returns its title, or that of the schema that it refers to. */
export function titleOf(place: SchemaPosition): string | undefined {
	return [place.schema['title'], resolve(place).schema['title']].find(
		(title): title is string => typeof title === 'string' && title.trim() !== '',
	);
}

/** Follows references within the document, and a choice between null and one schema. Never throws, never loops. */
function resolve({document, schema}: SchemaPosition): SchemaPosition {
	let found = schema;
	for (let hop = 0; hop < mostHops; hop++) {
		const next = referenced(document, found['$ref']) ?? onlyChoice(found);
		if (!next) {
			break;
		}

		found = next;
	}

	return {document, schema: found};
}

/** Resolves a JSON Pointer (RFC 6901) as a fragment, `#/$defs/Step`. It never fetches another document. */
function referenced(document: JsonObject, reference: Json | undefined): JsonObject | undefined {
	if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) {
		return undefined;
	}

	let found: Json | undefined = document;
	for (const part of reference.split('/').slice(1)) {
		const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
		found = isJsonObject(found) ? entryOf(found, name) : undefined;
	}

	return isJsonObject(found) ? found : undefined;
}

function onlyChoice(schema: JsonObject): JsonObject | undefined {
	for (const word of ['anyOf', 'oneOf', 'allOf']) {
		const choices = schema[word];
		if (Array.isArray(choices) && !isJsonObject(schema['properties'])) {
			const real = choices.filter(isJsonObject).filter(({type}) => type !== 'null');
			return real.length === 1 ? real[0] : undefined;
		}
	}

	return undefined;
}
