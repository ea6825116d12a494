import * as z from 'zod/mini';
import {dateTime, defaultsTo, maybe, uuid} from '../scalars.ts';
import {roleSchema} from './member.ts';
import {pageOf} from './page.ts';

/** An invitation to an organization by link, without the link. */
export const invitationSchema = z.looseObject({
	id: uuid,
	email: z.string(),
	role: z.string().check(z.describe('`member`, `admin` or `owner`.')),
	state: z
		.string()
		.check(z.describe('`pending`, `accepted`, `expired`, or `revoked`, also by the inviter’s loss of their role.')),
	invited_by: z.string().check(z.describe('The inviter’s e-mail address.')),
	created_at: dateTime,
	expires_at: dateTime,
	accepted_at: maybe(dateTime),
});

export const invitationsSchema = pageOf(invitationSchema);

export const createInvitationSchema = z.strictObject({
	email: z.string(),
	role: defaultsTo(roleSchema, 'member'),
	expires_in_days: defaultsTo(z.int().check(z.gte(1), z.lte(30)), 7),
});

export const newInvitationSchema = z.extend(invitationSchema, {
	url: z.string().check(z.describe('The link, with which the holder of the address joins, once.')),
});
