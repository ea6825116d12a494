import * as z from 'zod/mini';
import {anyObject, dateTime, defaultsTo, maybe} from '../scalars.ts';

/** What was administered, by whom, to what, when and from where. */
export const auditEntrySchema = z.looseObject({
	id: z.string(),
	at: dateTime,
	act: z.string().check(z.describe('Such as `member.add`: what it was done to, and what was done.')),
	actor: z.string().check(z.describe('E-mail address of the user, or `operator`: a command on the server’s machine.')),
	actor_id: z.nullable(z.string()),
	subject: z.string().check(z.describe('What it was done to, as it was called then.')),
	subject_id: z.nullable(z.string()),
	organization: z.nullable(z.string()).check(z.describe('Slug of the organization; null for an act on the server.')),
	details: anyObject,
	address: z.nullable(z.string()).check(z.describe('Where the request came from; the host for the operator.')),
	request_id: z.nullable(z.string()).check(z.describe('As `X-Request-Id` of the answer had it.')),
});

/** A part of the log, newest first. */
export const auditLogSchema = z.looseObject({
	items: z.array(auditEntrySchema),
	next_cursor: z.nullable(z.string()).check(z.describe('For the next older part; null at the end.')),
});

export const auditQuerySchema = z.strictObject({
	cursor: maybe(z.string()).check(z.describe('`next_cursor` of an earlier answer.')),
	limit: defaultsTo(z.int(), 50),
	since: maybe(dateTime).check(z.describe('Only entries from this time on.')),
	until: maybe(dateTime).check(z.describe('Only entries before this time.')),
});
