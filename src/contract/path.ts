import {AppError} from '../core/error.ts';

/** The names of a path's parameters, from its literal type: `b` for `/a/:b/c`. */
export type PathParameter<Path extends string> = Path extends `${string}:${infer Rest}`
	? Rest extends `${infer Name}/${infer Tail}`
		? Name | PathParameter<Tail>
		: Rest
	: never;

export type PathParameters<Path extends string> = {readonly [Name in PathParameter<Path>]: string};

const parameter = /:(\w+)/g;
const loneSurrogate = /\p{Surrogate}/u;

/** Returns the names of a path's parameters, in order. */
export function parametersOf(path: string): readonly string[] {
	return [...path.matchAll(parameter)].map(([, name = '']) => name);
}

/** Returns a parameter's name in the specification: `run_id` for `runId`. */
export function wireName(name: string): string {
	return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

/** Returns the path in the form of OpenAPI: `/a/{run_id}` for `/a/:runId`. */
export function pathTemplate(path: string): string {
	return path.replace(parameter, (_, name: string) => `{${wireName(name)}}`);
}

/**
 * Inserts values into a path, percent-encoded so that none can leave its segment. Throws AppError("usage") for an empty
 * value, for `.` and `..`, which can't be a segment even if encoded (WHATWG URL, section 4.1), and for invalid Unicode.
 */
export function fillPath<Path extends string>(path: Path, params: PathParameters<Path>): string {
	const values: Readonly<Record<string, string>> = params;
	return path.replace(parameter, (_, name: string) => encodeSegment(wireName(name), values[name] ?? ''));
}

/** Returns the decoded parameters of a path that matches the pattern; undefined if it does not. */
export function matchPath(pattern: string, pathname: string): Readonly<Record<string, string>> | undefined {
	const expected = pattern.split('/');
	const given = pathname.split('/');
	if (expected.length !== given.length) {
		return undefined;
	}

	const params: Record<string, string> = {};
	for (const [index, segment] of expected.entries()) {
		const name = segment.startsWith(':') ? segment.slice(1) : undefined;
		// Fast path without decoding: a router tries every pattern for every request.
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
		throw new AppError('usage', `Invalid ${name} “${value}”.`, {hint: `Use another ${name}.`});
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
