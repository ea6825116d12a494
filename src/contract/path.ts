import {AppError} from '../core/error.ts';

/** The names of a path's parameters, read from its literal type: `/a/{b}/c` has `b`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
	? Name | PathParameter<Rest>
	: never;

export type PathParameters<Path extends string> = {readonly [Name in PathParameter<Path>]: string};

/**
 * Puts values into a path, each percent-encoded, so that none can leave its segment. Throws `usage` for an empty value,
 * `.` and `..`, which no URL can carry as a segment, encoded or not (WHATWG URL, section 4.1).
 */
export function fillPath<Path extends string>(path: Path, parameters: PathParameters<Path>): string {
	const values: Readonly<Record<string, string>> = parameters;
	return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, values[name] ?? ''));
}

/** The parameters of a request's path where it fits the pattern, decoded; undefined where it does not. */
export function matchPath(pattern: string, pathname: string): Readonly<Record<string, string>> | undefined {
	const expected = pattern.split('/');
	const given = pathname.split('/');
	if (expected.length !== given.length) {
		return undefined;
	}

	const parameters: Record<string, string> = {};
	for (const [index, segment] of expected.entries()) {
		const value = decodeSegment(given[index] ?? '');
		const name = /^\{(\w+)\}$/.exec(segment)?.[1];
		if (value === undefined || (name ? value === '' : value !== segment)) {
			return undefined;
		}

		if (name) {
			parameters[name] = value;
		}
	}

	return parameters;
}

function encodeSegment(name: string, value: string): string {
	if (value === '' || value === '.' || value === '..') {
		throw new AppError('usage', `“${value}” cannot be the ${name} of a request.`, {hint: `Give another ${name}.`});
	}

	return encodeURIComponent(value);
}

function decodeSegment(segment: string): string | undefined {
	try {
		return decodeURIComponent(segment);
	} catch {
		return undefined;
	}
}
