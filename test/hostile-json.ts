import type {Json} from '../src/core/json.ts';

/** Values, as JSON, that code takes for others: what is no text, names that every object has, and too much of it. */
const hostileValues: readonly string[] = [
	'{"toString":null,"valueOf":null}',
	'[{"toString":null,"valueOf":null}]',
	'{"__proto__":{"type":"text"}}',
	...['constructor', '__proto__', 'hasOwnProperty', '\u001b]0;title\u0007\u202e', '\ud800', ''].map(text =>
		JSON.stringify(text),
	),
	...['null', 'true', '0', '-1', '1e999', '[]', '{}', '[null]'],
	`${'['.repeat(20_000)}${']'.repeat(20_000)}`,
];

/** Stands for a value until the rest is text: `JSON.stringify` prints nothing that is nested so deep. */
const place = '\u0001';

/** Returns messages as lines, each with one hostile value in place of one part of `message`, at every level. */
export function hostileLines(message: unknown): readonly string[] {
	const texts = placesIn(message as Json).map(each => JSON.stringify(each));
	return texts.flatMap(text => hostileValues.map(value => text.replace(JSON.stringify(place), () => value)));
}

function placesIn(json: Json): readonly Json[] {
	if (typeof json !== 'object' || json === null) {
		return [place];
	}

	return Object.entries(json).flatMap(([key, value]) =>
		[place, ...(typeof value === 'object' && value !== null ? placesIn(value) : [])].map(inner =>
			Array.isArray(json) ? json.with(Number(key), inner) : {...json, [key]: inner},
		),
	);
}
