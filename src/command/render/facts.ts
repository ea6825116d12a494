import type {Cell} from '../../core/cell.ts';
import {formatDuration, formatMeasure} from '../../core/format.ts';
import type {Json} from '../../core/json.ts';

type Fact = readonly [label: string, value: string | null | undefined];

/** The named values of a record that have a value; what is missing or empty is left out. */
export function facts(all: readonly Fact[]): ReadonlyArray<readonly [string, string]> {
	return all.flatMap(([label, value]) => (value ? [[label, value] as const] : []));
}

/** A measurement, or nothing. */
export function measure(value: number | null | undefined): string | undefined {
	return typeof value === 'number' ? formatMeasure(value) : undefined;
}

/** Seconds as a time, or nothing; what is no sensible time is shown as the number that it is. */
export function seconds(value: number | null | undefined): string | undefined {
	if (typeof value !== 'number') {
		return undefined;
	}

	return value >= 0 && value < 1e9 ? formatDuration(value * 1000) : `${formatMeasure(value)} s`;
}

export function yesOrNo(value: boolean | null | undefined): string | undefined {
	return typeof value === 'boolean' ? (value ? 'yes' : 'no') : undefined;
}

/** A name of the API as words: `created_at` is `created at`. */
export function wordsOf(name: string): string {
	return name.replaceAll('_', ' ').trim() || name;
}

/** Any value in a few words: text as it is, lists with commas, objects as JSON. */
export function inWords(value: Json | undefined): string {
	if (value === null || value === undefined) {
		return '';
	}

	if (typeof value === 'boolean') {
		return value ? 'yes' : 'no';
	}

	if (Array.isArray(value) && value.every(item => typeof item !== 'object')) {
		return value.map(inWords).join(', ');
	}

	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A field of the API as a cell of a table: a time where it is named as one, otherwise a few words. */
export function cellOf(name: string, value: Json | undefined): Cell {
	return typeof value === 'string' && value && name.endsWith('_at') ? {at: value} : inWords(value);
}
