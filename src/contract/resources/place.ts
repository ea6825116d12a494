import * as z from 'zod/mini';

/** A new workspace or project. */
export const createPlaceSchema = z.strictObject({
	slug: z.string().check(z.describe('Stays, because addresses and profiles have it: up to 63 of a-z, 0-9 and dashes.')),
	name: z.optional(z.string()).check(z.describe('The slug by default.')),
});

/** What can change of a workspace or project. */
export const renamePlaceSchema = z.strictObject({name: z.string()});
