import type {Cell} from '../../core/cell.ts';
import {entryOf} from '../../core/entry-of.ts';
import type {Json, JsonObject} from '../../core/json.ts';
import type {Result} from '../result.ts';
import {cellOf, inWords, wordsOf} from './facts.ts';

type Options = {
	readonly items: readonly JsonObject[];
	/** Fields that come first, in this order, where an item has them. */
	readonly first: readonly string[];
	/** Fields that are not drawn. */
	readonly hides?: (name: string) => boolean;
	readonly empty: string;
	readonly title?: string;
	readonly notes?: readonly string[];
	readonly opens?: Extract<Result, {kind: 'table'}>['opens'];
	readonly data: Json;
};

const mostColumns = 8;

/**
 * A table of objects whose fields nobody promised: a column for each field that holds a plain value somewhere. The first
 * ones stay, the others go where the width is small; beside an id, which is never cut, one stays.
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
			label: wordsOf(name),
			spare: index > 0 && !staying.includes(name),
			whole: isId(name),
		})),
		rows: names.length > 0 ? items.map(item => names.map(name => cellIn(item, name))) : [],
		empty: items.length > 0 ? `${items.length} can't be shown as a table; --json shows all.` : empty,
		...(notes && {notes}),
		...(opens && {opens}),
		data,
	};
}

/** A field may bear the name of something that every object has. */
function cellIn(item: JsonObject, name: string): Cell {
	const value = entryOf(item, name);
	return isPlain(value) ? cellOf(name, value) : '';
}

/** The same of one object: its plain values by name. */
export function looseFields(item: JsonObject): ReadonlyArray<readonly [string, string]> {
	return Object.entries(item).flatMap(([name, value]) =>
		isPlain(value) && value !== null && value !== '' ? [[wordsOf(name), inWords(value)] as const] : [],
	);
}

function isId(name: string): boolean {
	return /(?:^|_)id$/.test(name);
}

function isPlain(value: Json | undefined): boolean {
	return value !== undefined && typeof value !== 'object';
}
