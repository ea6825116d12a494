import * as z from 'zod/mini';
import {dateTime, maybe, uuid} from '../scalars.ts';
import {pageOf, pageQuerySchema} from './page.ts';

/** A user of the whole server, as its administrators see them. */
export const userSchema = z.looseObject({
	id: uuid,
	email: z.string(),
	is_administrator: z.boolean(),
	organizations: z.int().check(z.describe('How many organizations they belong to.')),
	suspended_at: z.nullable(dateTime),
	created_at: dateTime,
});

export const usersSchema = pageOf(userSchema);

export const usersQuerySchema = z.extend(pageQuerySchema, {
	email: maybe(z.string()).check(z.describe('Lists only the user with this address.')),
});

/** An organization of the server, as its administrators see it. */
export const serverOrganizationSchema = z.looseObject({
	id: uuid,
	slug: z.string(),
	name: z.string(),
	members: z.int(),
	suspended_at: z.nullable(dateTime),
	created_at: dateTime,
});

export const serverOrganizationsSchema = pageOf(serverOrganizationSchema);

/** Why somebody is suspended, for the audit log. */
export const suspendSchema = z.strictObject({reason: z.optional(z.string())});
