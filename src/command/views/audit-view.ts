import type {Json, JsonObject} from '../../core/json.ts';
import {isJsonObject} from '../../core/json.ts';
import type {Result} from '../result.ts';

/** A part of the audit log as the server answers. */
type AuditPart = {readonly items?: readonly object[]; readonly next_cursor?: string | null};

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** Returns a part of the audit log as a table, newest first. `older` says how to see the next part. */
export function auditTable(
	{items = [], next_cursor: cursor}: AuditPart,
	older: (cursor: string) => string,
	data: Json,
): Result {
	const entries = items.filter(isJsonObject);
	return {
		kind: 'table',
		columns: [
			{label: 'when', whole: true},
			{label: 'act', whole: 'beside spare'},
			{label: 'what'},
			{label: 'by'},
			{label: 'from', spare: true},
			{label: 'with', spare: true},
		],
		rows: entries.map(entry => [
			{at: textOf(entry['at'])},
			textOf(entry['act']),
			textOf(entry['subject']),
			textOf(entry['actor']),
			textOf(entry['address']),
			detailsOf(entry['details']),
		]),
		empty: 'Nothing was administered in this time. Everything: `org audit`',
		...(cursor && {notes: [older(cursor)]}),
		data,
	};
}

/** Returns what was set, as `name=value`. */
function detailsOf(details: Json | undefined): string {
	const pairs = isJsonObject(details) ? Object.entries(details) : [];
	return pairs
		.filter(([, value]) => value !== null && value !== undefined)
		.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
		.join(' ');
}

/** Returns entries as JSON, one a line, for an export. */
export function auditLines(entries: readonly JsonObject[]): Result {
	return {kind: 'lines', lines: entries.map(entry => JSON.stringify(entry)), records: entries};
}
