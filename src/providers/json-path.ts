import {isJsonObject, type Json} from '../core/json.ts';

type Path = readonly (string | number)[];

/** Returns the value at the path; undefined if there is none, because chunks are read without being validated. */
export function at(value: Json | undefined, ...path: Path): Json | undefined {
	let found = value;
	for (const key of path) {
		if (Array.isArray(found)) {
			found = typeof key === 'number' ? found[key] : undefined;
		} else {
			found = isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
		}
	}

	return found;
}

/** Returns the string at the path; '' if there is none. */
export function textAt(value: Json | undefined, ...path: Path): string {
	const found = at(value, ...path);
	return typeof found === 'string' ? found : '';
}

/** Returns the number at the path; undefined unless it is finite and not negative. */
export function countAt(value: Json | undefined, ...path: Path): number | undefined {
	const found = at(value, ...path);
	return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : undefined;
}

/** Returns the array at the path; an empty one if there is none. */
export function listAt(value: Json | undefined, ...path: Path): readonly Json[] {
	const found = at(value, ...path);
	return Array.isArray(found) ? found : [];
}

/**
 * Returns a function that picks one of several answers in a stream: the lowest index in the first chunk with any. The
 * others are ignored.
 */
export function createChoicePicker(list: 'choices' | 'candidates'): (chunk: Json) => Json | undefined {
	let chosen: number | undefined;
	return chunk => {
		const choices = listAt(chunk, list);
		const indexes = choices.map(choice => countAt(choice, 'index') ?? 0);
		chosen ??= indexes.length > 0 ? Math.min(...indexes) : undefined;
		return choices[chosen === undefined ? -1 : indexes.indexOf(chosen)];
	};
}
