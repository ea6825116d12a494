import {entryOf} from '../../core/entry-of.ts';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import type {AttributeKey} from './attributes.ts';

/** A key that means itself. */
type Key = Exclude<AttributeKey, `${string}*`>;

/** The first half of the keys of a family, such as `service.airt.trial.`. */
export type Family = AttributeKey extends infer Each ? (Each extends `${infer Prefix}*` ? Prefix : never) : never;

/** The text of an attribute; undefined where it has none or another type. Empty text says nothing. */
export function textAt(attributes: JsonObject, key: Key): string | undefined {
	const value = valueAt(attributes, key);
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Longest name, in characters: databases find by them, and PostgreSQL indexes no texts of any length. */
export const longestName = 255;

/** Longest title of a session or a run, in characters: that of a run goes with each of its items. */
export const longestTitle = 500;

/** A name that something is found by again. What is longer than a name is none. */
export function nameAt(attributes: JsonObject, key: Key): string | undefined {
	const text = textAt(attributes, key);
	return text !== undefined && text.length <= longestName ? text : undefined;
}

/** The text of an attribute that has to be one of some words. */
export function wordAt<const Word extends string>(
	attributes: JsonObject,
	key: Key,
	words: readonly Word[],
): Word | undefined {
	const text = textAt(attributes, key);
	return words.find(word => word === text);
}

/** A finite number of an attribute that is not negative, also where it came as text. */
export function amountAt(attributes: JsonObject, key: Key): number | undefined {
	const value = valueAt(attributes, key);
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Larger counts cannot be added up exactly. */
const largestCount = 1e12;

/** A count of an attribute: whole, not negative, and small enough to add up. */
export function countAt(attributes: JsonObject, key: Key): number | undefined {
	const number = amountAt(attributes, key);
	return number !== undefined && Number.isInteger(number) && number <= largestCount ? number : undefined;
}

/** A value of JSON, which comes as text or as OTLP's lists and maps. */
export function jsonAt(attributes: JsonObject, key: Key): Json | undefined {
	const value = valueAt(attributes, key);
	return typeof value === 'string' ? parseJson(value) : value;
}

/** An object of JSON. */
export function objectAt(attributes: JsonObject, key: Key): JsonObject | undefined {
	const value = jsonAt(attributes, key);
	return isJsonObject(value) ? value : undefined;
}

export function valueAt(attributes: JsonObject, key: Key | `${Family}${string}`): Json | undefined {
	return entryOf(attributes, key);
}
