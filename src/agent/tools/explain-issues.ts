import type * as z from 'zod/mini';
import {cutText} from '../../core/cut-text.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';

/** Most places that a message names. */
const maxPlaces = 5;

/**
 * Describes what is wrong with the arguments of a call, a sentence for each cause, for the model: the places that share it, such as
 * “items[2].state”, what is wanted, and what came.
 */
export function explainIssues(issues: readonly z.core.$ZodIssue[], given: JsonObject, schema: JsonObject): string {
	const causes = new Map<string, {readonly places: string[]; came: string}>();
	const add = (cause: string, places: readonly string[], came = '') => {
		const known = causes.get(cause);
		causes.set(cause, {places: [...(known?.places ?? []), ...places], came: known?.came || came});
	};
	for (const issue of issues) {
		const property = propertyAt(schema, issue.path);
		if (issue.code === 'unrecognized_keys') {
			const known = isJsonObject(property['properties']) ? Object.keys(property['properties']) : [];
			const where = issue.keys.map(key => placeOf([...issue.path, key]));
			add(`Unknown argument %. Available: ${known.join(', ')}.`, where);
		} else {
			const value = valueAt(given, issue.path);
			const isMissing = value === undefined || value === null;
			const isSize = issue.code === 'too_big' || issue.code === 'too_small';
			const came = isMissing || isSize ? '' : ` Got ${describeValue(value, property)}.`;
			add(`${isMissing ? 'Missing' : 'Invalid'} argument %: ${expected(property)}`, [placeOf(issue.path)], came);
		}
	}

	return [...causes].map(([cause, {places, came}]) => cause.replace('%', () => listed(places)) + came).join(' ');
}

function listed(places: readonly string[]): string {
	const named = places.slice(0, maxPlaces).map(place => `“${place}”`);
	return `${named.join(', ')}${places.length > maxPlaces ? ` and ${places.length - maxPlaces} more` : ''}`;
}

/** Returns a path as JavaScript writes it; items are counted from 0. */
function placeOf(path: readonly PropertyKey[]): string {
	return path
		.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
		.join('');
}

/** Returns the part of a JSON schema that describes the value at a path; an empty object for none. */
function propertyAt(schema: JsonObject, path: readonly PropertyKey[]): JsonObject {
	return path.reduce<JsonObject>((part, key) => {
		const {properties, items} = part;
		const next = typeof key === 'number' ? items : isJsonObject(properties) ? properties[String(key)] : undefined;
		return isJsonObject(next) ? next : {};
	}, schema);
}

function valueAt(given: JsonObject, path: readonly PropertyKey[]): unknown {
	return path.reduce<unknown>(
		(value, key) => (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key],
		given,
	);
}

/** Most characters of a wrong value that a message repeats. */
const maxShown = 100;

/** Returns the type and the beginning of a wrong value, and what keeps a text from being read as JSON. */
function describeValue(value: unknown, {type}: JsonObject): string {
	const kind = Array.isArray(value) ? 'array' : typeof value;
	const text = JSON.stringify(value) ?? '';
	const shown = text.length > maxShown ? `${cutText(text, maxShown)}…` : text;
	return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}: ${shown}${type !== 'string' ? whyNoJson(value) : ''}`;
}

function whyNoJson(value: unknown): string {
	if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) {
		return '';
	}

	try {
		JSON.parse(value);
		return '';
	} catch (error) {
		return ` (as JSON: ${error instanceof Error ? error.message.slice(0, maxShown) : ''})`;
	}
}

function expected({type, minimum, maxLength, description}: JsonObject): string {
	if (type === undefined) {
		return 'see the schema.';
	}

	const least = typeof minimum === 'number' ? ` of ${minimum} or more` : '';
	const most = typeof maxLength === 'number' ? ` of at most ${maxLength} characters` : '';
	return `${String(type)}${least}${most}. ${String(description ?? '')}`.trim();
}
