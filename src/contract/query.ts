import * as z from 'zod/mini';

/** A query as the caller has it: lists are repeated, null and undefined left out. */
export type QueryValues = Readonly<Record<string, unknown>>;

/** Writes a query, with its `?` where there is anything to say. Objects have no form in a query: that is a bug. */
export function encodeQuery(values: QueryValues): string {
	const pairs = new URLSearchParams();
	for (const [name, value] of Object.entries(values)) {
		for (const item of [value].flat()) {
			if (typeof item === 'object' && item !== null) {
				throw new Error(`The query ${name} holds an object.`);
			}

			if (item !== undefined && item !== null) {
				pairs.append(name, String(item));
			}
		}
	}

	const text = pairs.toString();
	return text && `?${text}`;
}

/**
 * Reads a query into what `schema` is to check: texts become numbers and booleans where it wants some. What is none
 * stays text, for the check to refuse. A name that comes again counts with its last value.
 */
export function decodeQuery(schema: z.ZodMiniType, pairs: URLSearchParams): Readonly<Record<string, unknown>> {
	const texts = Object.fromEntries(pairs);
	const values: Record<string, unknown> = {...texts};
	for (const issue of z.safeParse(schema, texts).error?.issues ?? []) {
		const name = String(issue.path[0]);
		const text = texts[name];
		if (issue.code === 'invalid_type' && text !== undefined) {
			values[name] = fromText(issue.expected, text);
		}
	}

	return values;
}

function fromText(expected: string, text: string): unknown {
	if (expected === 'boolean') {
		return text === 'true' ? true : text === 'false' ? false : text;
	}

	return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
