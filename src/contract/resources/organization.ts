import * as z from 'zod/mini';

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
