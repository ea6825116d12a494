import * as z from 'zod/mini';
import {anyObject, dateTime, maybe, text, uuid} from '../scalars.ts';
import {pageOf} from './page.ts';

export const mfaCodeSchema = z.strictObject({code: text(1, 64)});

/** `MfaEnrollmentVerifyResponse`: shown once; each works for one login. */
export const mfaEnrollmentSchema = z.looseObject({recovery_codes: z.array(z.string())});

const requestsPerMinute = z.nullable(z.int().check(z.gte(1), z.lte(1_000_000)));

export const createApiKeySchema = z.strictObject({
	name: z.optional(z.string()),
	requests_per_minute: z
		.optional(requestsPerMinute)
		.check(
			z.describe('For each server of several. Also counts what logins that the key opens send. No limit by default.'),
		),
});

export const updateApiKeySchema = z.strictObject({
	requests_per_minute: requestsPerMinute.check(z.describe('Null for no limit.')),
});

/** A new API key with its secret; the specification names none of its fields. */
export const apiKeySchema = anyObject;

/** The specification doesn't show the types of these fields; their names suggest text. */
export const updateOrganizationSchema = z.strictObject({
	description: z.optional(z.nullable(z.string())),
	name: z.optional(z.string()),
});

/** An organization. It also has a summary of its owner and other fields that are not in the specification. */
export const organizationSchema = z.looseObject({
	can_manage_members: z.optional(z.boolean()),
	member_count: z.optional(z.int()),
});

export type Organization = z.input<typeof organizationSchema>;

const named = {id: uuid, slug: z.string(), name: z.string(), created_at: dateTime};

/** An organization that the caller is a member of. */
export const membershipSchema = z.looseObject({
	...named,
	description: maybe(z.string()),
	role: z.string().check(z.describe('The caller’s role in it: `member`, `admin` or `owner`.')),
	suspended_at: maybe(dateTime),
});

export const membershipsSchema = pageOf(membershipSchema);

export const workspaceSchema = z.looseObject(named);

export const workspacesSchema = pageOf(workspaceSchema);

export const projectSchema = z.looseObject(named);

export const projectsSchema = pageOf(projectSchema);
/** `AutoRefillConfigResponse`: buys credits when the balance falls to the threshold, up to a monthly number of times. */
export const autoRefillSchema = z.looseObject({
	enabled: z.boolean(),
	has_payment_method: z.boolean(),
	month_count: z.int(),
	month_reset: z.nullable(dateTime),
	monthly_cap: z.nullable(z.int()),
	quantity: z.nullable(z.int()),
	threshold: z.nullable(z.int()),
});
