import type {Cell} from '../../core/cell.ts';
import {formatDuration, formatMeasure} from '../../core/format.ts';
import type {Json} from '../../core/json.ts';
import type {Result} from '../result.ts';

type Fact = readonly [label: string, value: string | null | undefined];

/** Returns the named values of a record without the missing and empty ones: times to the second, states in words. */
export function facts(all: readonly Fact[]): ReadonlyArray<readonly [string, string]> {
	return all.flatMap(([label, value]) =>
		value ? [[label, (named.test(label) ? stateWords(value) : value).replace(fraction, 'Z')] as const] : [],
	);
}

/** The fraction of a second at the end of a time in UTC, which is nothing else. */
const fraction = /(?<=^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+Z$/;

/** Returns named values as a part of a group, whose data stands for them. */
export function factsPart(all: readonly Fact[], title?: string): Result {
	return {kind: 'record', ...(title !== undefined && {title}), fields: facts(all), data: null};
}

/** Returns a measurement as text; undefined for none. */
export function measure(value: number | null | undefined): string | undefined {
	return typeof value === 'number' ? formatMeasure(value) : undefined;
}

/** Returns seconds as a time; an implausible time as a plain number, undefined for none. */
export function seconds(value: number | null | undefined): string | undefined {
	if (typeof value !== 'number') {
		return undefined;
	}

	return value >= 0 && value < 1e9 ? formatDuration(value * 1000) : `${formatMeasure(value)} s`;
}

export function yesOrNo(value: boolean | null | undefined): string | undefined {
	return typeof value === 'boolean' ? (value ? 'yes' : 'no') : undefined;
}

/** Returns a name of the API as words: `created_at` is `created at`. */
export function wordsOf(name: string): string {
	return name.replaceAll('_', ' ').trim() || name;
}

/** Returns any value as a short text: lists with commas, objects as JSON. */
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

/** Returns a state of the API as words: `torn_down` is `torn down`. Anything but such a name stays as it is. */
export function stateWords(state: string): string;
export function stateWords(state: string | null | undefined): string | null | undefined;
export function stateWords(state: string | null | undefined): string | null | undefined {
	return state && /^[a-z]+(?:_[a-z]+)+$/.test(state) ? wordsOf(state) : state;
}

/** Fields whose values are names of the API, not texts of anybody. */
const named = /(?:^|[_ ])(?:state|status|reason|visibility|severity|verdict|outcome)$/;

/** Returns a field of the API as a cell of a table: a time if its name says so, otherwise a short text. */
export function cellOf(name: string, value: Json | undefined): Cell {
	return typeof value === 'string' && value && name.endsWith('_at') ? {at: value} : fieldInWords(name, value);
}

/** Returns a field of the API as a short text. The name of a state is words. */
export function fieldInWords(name: string, value: Json | undefined): string {
	return named.test(name) ? stateWords(inWords(value)) : inWords(value);
}
