import * as z from 'zod/mini';
import {uuid} from './scalars.ts';

const nonEmpty = z.string().check(z.minLength(1));

const hex = '[0-9a-fA-F]';

/** A UUID or the beginning of one, with its dashes. */
export const uuidPrefix = new RegExp(
	`^(?:${hex}{1,8}|${hex}{8}-(?:${hex}{0,4}|${hex}{4}-(?:${hex}{0,4}|${hex}{4}-(?:${hex}{0,4}|${hex}{4}-${hex}{0,12}))))$`,
);

/** All path parameters, by their names in `endpoints`. */
export const pathParameters = {
	org: nonEmpty.check(z.describe('Slug of the organization.')),
	/** Any organization, for administrators of the server. */
	organization: nonEmpty.check(z.describe('Slug of any organization of the server.')),
	workspace: nonEmpty.check(z.describe('Slug of the workspace.')),
	project: nonEmpty.check(z.describe('Slug or UUID of the project.')),
	itemId: uuid,
	environmentId: uuid,
	assessmentId: uuid,
	findingId: uuid,
	runId: uuid,
	userId: uuid,
	keyId: uuid,
	invitationId: uuid,
	runtimeId: nonEmpty.check(z.describe('Key or UUID of the runtime.')),
	sessionId: z.string().check(z.regex(uuidPrefix), z.describe('UUID of the session, or a unique beginning of it.')),
	evaluationId: nonEmpty,
	/** Not named in the specification. */
	traceId: nonEmpty,
	oid: nonEmpty.check(z.describe('From the `dreadnode.artifacts` attribute of a span of the trace.')),
} as const;

export type ParameterName = keyof typeof pathParameters;
