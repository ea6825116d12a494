import {entryOf} from '../../core/entry-of.ts';
import {isJsonObject, type Json, type JsonObject, parseJson} from '../../core/json.ts';
import type {AttributeKey} from './attributes.ts';

/** A key without a `*`. */
type Key = Exclude<AttributeKey, `${string}*`>;

/** The prefix of a family of keys, e.g. `service.airt.trial.`. */
export type Family = AttributeKey extends infer Each ? (Each extends `${infer Prefix}*` ? Prefix : never) : never;

/** Returns the text of an attribute; undefined if it is missing, empty or of another type. */
export function textAt(attributes: JsonObject, key: Key): string | undefined {
	const value = valueAt(attributes, key);
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Maximum length of names, in characters: databases look them up, and PostgreSQL can't index texts of any length. */
export const maxNameLength = 255;

/** Maximum length of titles of sessions and runs, in characters: each item repeats the title of its run. */
export const maxTitleLength = 500;

/** Returns a name that things are looked up by; undefined if it is too long. */
export function nameAt(attributes: JsonObject, key: Key): string | undefined {
	const text = textAt(attributes, key);
	return text !== undefined && text.length <= maxNameLength ? text : undefined;
}

/** Returns the text of an attribute if it is one of the allowed words. */
export function wordAt<const Word extends string>(
	attributes: JsonObject,
	key: Key,
	words: readonly Word[],
): Word | undefined {
	const text = textAt(attributes, key);
	return words.find(word => word === text);
}

/** Returns a non-negative finite number, also if it was sent as text. */
export function amountAt(attributes: JsonObject, key: Key): number | undefined {
	const value = valueAt(attributes, key);
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Larger counts can't be added up exactly. */
const maxCount = 1e12;

/** Returns a non-negative integer that is small enough to add up. */
export function countAt(attributes: JsonObject, key: Key): number | undefined {
	const number = amountAt(attributes, key);
	return number !== undefined && Number.isInteger(number) && number <= maxCount ? number : undefined;
}

/** Returns a JSON value, sent as text or as OTLP's lists and maps. */
export function jsonAt(attributes: JsonObject, key: Key): Json | undefined {
	const value = valueAt(attributes, key);
	return typeof value === 'string' ? parseJson(value) : value;
}

/** Returns a JSON object. */
export function objectAt(attributes: JsonObject, key: Key): JsonObject | undefined {
	const value = jsonAt(attributes, key);
	return isJsonObject(value) ? value : undefined;
}

export function valueAt(attributes: JsonObject, key: Key | `${Family}${string}`): Json | undefined {
	return entryOf(attributes, key);
}
