import {isJsonObject, type Json} from './json.ts';
import type {Price} from './session/usage.ts';

/** Returns the tokens of a window as users write it, such as `128000` or `128k`; undefined for anything else. */
export function readWindow(value: Json | undefined): number | undefined {
	const [, digits, k] = /^(\d+(?:\.\d+)?) ?(k?)$/i.exec(String(value)) ?? [];
	const tokens = Math.round(Number(digits) * (k ? 1000 : 1));
	return tokens >= 1000 && tokens <= 100_000_000 ? tokens : undefined;
}

/** Returns a price as users write it, US dollars per million tokens in and out; undefined for anything else. */
export function readPrice(value: Json | undefined): Price | undefined {
	const [input = Number.NaN, output = Number.NaN, ...others] = Array.isArray(value) ? value.map(amount) : [];
	return input >= 0 && output >= 0 && others.length === 0
		? {input, cacheRead: input, cacheWrite: input, output}
		: undefined;
}

function amount(value: Json): number {
	return /^\d+(?:\.\d+)?$/.test(String(value)) ? Number(value) : Number.NaN;
}

/** Returns why a setting does not hold such a fact for each model; undefined if it does. */
export function factsFault(read: (value: Json) => unknown, what: string): (value: Json) => string | undefined {
	return value =>
		isJsonObject(value) && Object.values(value).every(each => read(each) !== undefined)
			? undefined
			: `must be an object of models and ${what}`;
}
