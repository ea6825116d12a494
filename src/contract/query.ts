import * as z from 'zod/mini';

/** Values of a query: a list becomes repeated parameters; null and undefined are omitted. */
export type QueryValues = Readonly<Record<string, unknown>>;

/** Encodes a query, with `?` unless it is empty. Throws an error for an object, which is a bug of the caller. */
export function encodeQuery(values: QueryValues): string {
	const pairs = new URLSearchParams();
	for (const [name, value] of Object.entries(values)) {
		for (const item of [value].flat()) {
			if (typeof item === 'object' && item !== null) {
				throw new Error(`The query parameter ${name} is an object.`);
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
 * Decodes a query for validation: texts become numbers and booleans if `schema` expects them. Any other text stays, for the
 * validation to reject. The last value of a repeated name counts.
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
