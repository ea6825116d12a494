import {AppError} from '../core/error.ts';

/** The names of a path's parameters, read from its literal type: `/a/:b/c` has `b`. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Rest}`
	? Rest extends `${infer Name}/${infer Tail}`
		? Name | PathParameter<Tail>
		: Rest
	: never;

export type PathParameters<Path extends string> = {readonly [Name in PathParameter<Path>]: string};

const parameter = /:(\w+)/g;
const loneSurrogate = /\p{Surrogate}/u;

/** The names of a path's parameters, in their order. */
export function parametersOf(path: string): readonly string[] {
	return [...path.matchAll(parameter)].map(([, name = '']) => name);
}

/** A parameter's name as the specification writes it: `run_id` for `runId`. */
export function wireName(name: string): string {
	return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

/** The path as OpenAPI and the specification write it: `/a/{run_id}` for `/a/:runId`. */
export function pathTemplate(path: string): string {
	return path.replace(parameter, (_, name: string) => `{${wireName(name)}}`);
}

/**
 * Puts values into a path, each percent-encoded, so that none can leave its segment. Throws `usage` for an empty value,
 * `.` and `..`, which no URL can carry as a segment, encoded or not (WHATWG URL, section 4.1), and for broken Unicode.
 */
export function fillPath<Path extends string>(path: Path, params: PathParameters<Path>): string {
	const values: Readonly<Record<string, string>> = params;
	return path.replace(parameter, (_, name: string) => encodeSegment(wireName(name), values[name] ?? ''));
}

/** The parameters of a request's path where it fits the pattern, decoded; undefined where it does not. */
export function matchPath(pattern: string, pathname: string): Readonly<Record<string, string>> | undefined {
	const expected = pattern.split('/');
	const given = pathname.split('/');
	if (expected.length !== given.length) {
		return undefined;
	}

	const params: Record<string, string> = {};
	for (const [index, segment] of expected.entries()) {
		const name = segment.startsWith(':') ? segment.slice(1) : undefined;
		// What is written alike needs no decoding: a router asks this of every pattern, for every request.
		if (!name && segment === given[index]) {
			continue;
		}

		const value = decodeSegment(given[index] ?? '');
		if (value === undefined || (name ? value === '' : value !== segment)) {
			return undefined;
		}

		if (name) {
			params[name] = value;
		}
	}

	return params;
}

function encodeSegment(name: string, value: string): string {
	if (value === '' || value === '.' || value === '..' || loneSurrogate.test(value)) {
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
