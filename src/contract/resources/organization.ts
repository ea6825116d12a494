import * as z from 'zod/mini';

/** The types of these two are not shown; text is what their names promise. */
export const updateOrganizationSchema = z.strictObject({
	description: z.optional(z.nullable(z.string())),
	name: z.optional(z.string()),
});

/** An organization. It also carries a summary of its owner, and more that the specification does not show. */
export const organizationSchema = z.looseObject({
	can_manage_members: z.optional(z.boolean()),
	member_count: z.optional(z.int()),
});

export type Organization = z.input<typeof organizationSchema>;
