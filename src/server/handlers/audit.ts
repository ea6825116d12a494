import {type AuditCursor, type AuditEntry, readAuditLog} from '../accounts/audit-log.ts';
import {rejectField} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';
import type {Services} from './services.ts';

export const auditHandlers = {
	listAuditLog: ({query}, {scope: {organization}, services}) => readPart(services, query, organization.id),
	listServerAuditLog: ({query}, {services}) => readPart(services, query, undefined),
} satisfies Partial<Handlers>;

const maxLimit = 200;

type Query = {
	readonly cursor?: string | null | undefined;
	readonly limit: number;
	readonly since?: string | null | undefined;
	readonly until?: string | null | undefined;
};

async function readPart(
	{database}: Services,
	{cursor, limit, since, until}: Query,
	organizationId: string | undefined,
) {
	if (limit < 1 || limit > maxLimit) {
		rejectField(['query', 'limit'], `must be between 1 and ${maxLimit}`, 'out_of_range');
	}

	const inUtc = (time: string | null | undefined) => (time ? new Date(time).toISOString() : undefined);
	const entries = await readAuditLog(database, {
		organizationId,
		after: cursor ? readCursor(cursor) : undefined,
		since: inUtc(since),
		until: inUtc(until),
		// One more shows whether another part follows.
		limit: limit + 1,
	});
	const items = entries.slice(0, limit);
	const last = entries.length > limit ? items.at(-1) : undefined;
	return {items: items.map(auditEntry), next_cursor: last ? writeCursor(last) : null};
}

function auditEntry({organization_id: _, actor_kind: __, details, ...entry}: AuditEntry) {
	return {...entry, details: JSON.parse(details)};
}

function writeCursor({at, id}: AuditCursor): string {
	return Buffer.from(JSON.stringify([at, id])).toString('base64url');
}

const cursorShape = /^\["(\d{4}-\d\d-\d\dT[\d:.]+Z)","([\da-f-]{36})"\]$/;

function readCursor(cursor: string): AuditCursor {
	const [, at, id] = cursorShape.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
	return at && id
		? {at, id}
		: rejectField(['query', 'cursor'], 'must be the next_cursor of an earlier answer', 'invalid_value');
}
