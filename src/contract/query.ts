import * as z from 'zod/mini';
import {uuid} from './scalars.ts';

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

const nonEmpty = z.string().check(z.minLength(1));

const hex = '[0-9a-fA-F]';

/** A UUID or the beginning of one, with its dashes. */
const uuidPrefix = new RegExp(
	`^(?:${hex}{1,8}|${hex}{8}-(?:${hex}{0,4}|${hex}{4}-(?:${hex}{0,4}|${hex}{4}-(?:${hex}{0,4}|${hex}{4}-${hex}{0,12}))))$`,
);

/** All path parameters, by their names in `endpoints`. */
export const pathParameters = {
	org: nonEmpty.check(z.describe('Slug of the organization.')),
	workspace: nonEmpty.check(z.describe('Slug of the workspace.')),
	project: nonEmpty.check(z.describe('Slug or UUID of the project.')),
	itemId: uuid,
	environmentId: uuid,
	assessmentId: uuid,
	findingId: uuid,
	runId: uuid,
	userId: uuid,
	keyId: uuid,
	runtimeId: nonEmpty.check(z.describe('Key or UUID of the runtime.')),
	sessionId: z.string().check(z.regex(uuidPrefix), z.describe('UUID of the session, or a unique beginning of it.')),
	evaluationId: nonEmpty,
	/** Not named in the specification. */
	traceId: nonEmpty,
	oid: nonEmpty.check(z.describe('From the `dreadnode.artifacts` attribute of a span of the trace.')),
} as const;

export type ParameterName = keyof typeof pathParameters;
