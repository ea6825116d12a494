import {isJsonObject, type Json} from '../core/json.ts';

type Path = readonly (string | number)[];

/** What lies at the path, or undefined where the value has another shape: chunks are read without being validated. */
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

/** The string at the path, empty where there is none. */
export function textAt(value: Json | undefined, ...path: Path): string {
	const found = at(value, ...path);
	return typeof found === 'string' ? found : '';
}

/** The number at the path, undefined where there is none that could count anything. */
export function countAt(value: Json | undefined, ...path: Path): number | undefined {
	const found = at(value, ...path);
	return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : undefined;
}

/** The items of the array at the path, none where there is no array. */
export function listAt(value: Json | undefined, ...path: Path): readonly Json[] {
	const found = at(value, ...path);
	return Array.isArray(found) ? found : [];
}
