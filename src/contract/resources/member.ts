import * as z from 'zod/mini';
import {dateTime, defaultsTo, maybe, uuid} from '../scalars.ts';
import {pageOf, pageQuerySchema} from './page.ts';

export const roleSchema = z.enum(['member', 'admin', 'owner']);

/** A user who belongs to an organization. */
export const memberSchema = z.looseObject({
	user_id: uuid,
	email: z.string(),
	role: z.string().check(z.describe('`member`, `admin` or `owner`.')),
	created_at: dateTime,
	suspended_at: maybe(dateTime).check(z.describe('Since when the user is suspended on the whole server.')),
});

export const membersSchema = pageOf(memberSchema);

export const membersQuerySchema = z.extend(pageQuerySchema, {
	email: maybe(z.string()).check(z.describe('Lists only the member with this address.')),
});

export const addMemberSchema = z.strictObject({email: z.string(), role: defaultsTo(roleSchema, 'member')});

export const newMemberSchema = z.extend(memberSchema, {
	is_new: z.boolean().check(z.describe('True if the server had no user with this address.')),
	password_code: z
		.nullable(z.string())
		.check(
			z.describe('For a new user: sets the password, once, at `/password` within 3 days. Only this answer has it.'),
		),
});

export const updateMemberSchema = z.strictObject({role: roleSchema});

export const removedMemberSchema = z.looseObject({
	user_id: uuid,
	removed: z.boolean(),
	sandboxes: z.int().check(z.describe('Their sandboxes that still run or are paused; an admin can stop them.')),
});
