import type {Cell} from '../../core/cell.ts';
import {entryOf} from '../../core/entry-of.ts';
import type {Json, JsonObject} from '../../core/json.ts';
import {isAnyUuid} from '../../core/uuid.ts';
import type {Result} from '../result.ts';
import {cellOf, fieldInWords, wordsOf} from './facts.ts';

type Options = {
	readonly items: readonly JsonObject[];
	/** The first columns, in this order, if an item has them. */
	readonly first: readonly string[];
	/** Returns true for fields that are not shown. */
	readonly hides?: (name: string) => boolean;
	readonly empty: string;
	readonly title?: string;
	readonly notes?: readonly string[];
	readonly opens?: Extract<Result, {kind: 'table'}>['opens'];
	readonly data: Json;
};

const mostColumns = 8;

/**
 * Returns a table of objects with unspecified fields: a column for each field that has a plain value in some object. If the
 * width is small, the first columns stay; next to an id, which is never cut, one column stays.
 */
export function looseTable({items, first, hides = () => false, empty, title, notes, opens, data}: Options): Result {
	const plain = new Set(items.flatMap(item => Object.keys(item).filter(name => isPlain(item[name]) && !hides(name))));
	const known = first.filter(name => plain.has(name));
	const names = [...known, ...[...plain].filter(name => !known.includes(name))].slice(0, mostColumns);
	const staying = names.some(isId) ? known.slice(0, 2) : known;
	return {
		kind: 'table',
		...(title && {title}),
		columns: names.map((name, index) => ({
			label: wordsOf(name).replace(/ at$/, ''),
			...(isNumeric(items, name) && {align: 'right' as const}),
			spare: index > 0 && !staying.includes(name),
			whole: isId(name) || (name === 'title' && 'beside spare'),
		})),
		rows: names.length > 0 ? items.map(item => names.map(name => cellIn(item, name))) : [],
		empty: items.length > 0 ? `${items.length} can't be shown as a table; --json shows all.` : empty,
		...(notes && {notes}),
		...(opens && {opens}),
		data,
	};
}

/** Reads an own field, which may have the name of an inherited one. Commands take a prefix of an `id`. */
function cellIn(item: JsonObject, name: string): Cell {
	const value = entryOf(item, name);
	if (name === 'id' && typeof value === 'string' && isAnyUuid(value)) {
		return {id: value};
	}

	return isPlain(value) ? cellOf(name, value) : '';
}

/** Returns the plain values of one object by name. */
export function looseFields(item: JsonObject): ReadonlyArray<readonly [string, string]> {
	return Object.entries(item).flatMap(([name, value]) =>
		isPlain(value) && value !== null && value !== '' ? [[wordsOf(name), fieldInWords(name, value)] as const] : [],
	);
}

/** True for a column with nothing but numbers. */
function isNumeric(items: readonly JsonObject[], name: string): boolean {
	return items.every(item => !isPlain(item[name]) || typeof item[name] === 'number');
}

function isId(name: string): boolean {
	return /(?:^|_)id$/.test(name);
}

function isPlain(value: Json | undefined): boolean {
	return value !== undefined && typeof value !== 'object';
}
