import * as z from 'zod/mini';
import {uuid} from './scalars.ts';

const filled = z.string().check(z.minLength(1));

const hex = '[0-9a-fA-F]';

/** The whole of a UUID or its beginning, dashes where they belong. */
const uuidPrefix = new RegExp(
	`^(?:${hex}{1,8}|${hex}{8}-(?:${hex}{0,4}|${hex}{4}-(?:${hex}{0,4}|${hex}{4}-(?:${hex}{0,4}|${hex}{4}-${hex}{0,12}))))$`,
);

/** Every parameter of a path, by the name it has in `endpoints`. */
export const pathParameters = {
	org: filled.check(z.describe('Slug of the organization.')),
	workspace: filled.check(z.describe('Slug of the workspace.')),
	project: filled.check(z.describe('Slug or UUID of the project.')),
	itemId: uuid,
	environmentId: uuid,
	assessmentId: uuid,
	findingId: uuid,
	runId: uuid,
	userId: uuid,
	keyId: uuid,
	runtimeId: filled.check(z.describe('Key or UUID of the runtime.')),
	sessionId: z
		.string()
		.check(z.regex(uuidPrefix), z.describe('UUID of the session, or the beginning of one that no other has.')),
	evaluationId: filled,
	/** The specification does not name this one. */
	traceId: filled,
	oid: filled.check(z.describe('Named by the `dreadnode.artifacts` attribute of a span of the trace.')),
} as const;

export type ParameterName = keyof typeof pathParameters;
