import {type Lenient, originalOf} from '../../contract/lenient.ts';
import type {Session} from '../../contract/resources/session.ts';
import {formatUsd} from '../../core/format.ts';
import {isJsonObject} from '../../core/json.ts';
import type {SessionSummary} from '../../storage/session-summary.ts';
import {facts, factsPart} from '../render/facts.ts';
import type {Result} from '../result.ts';
import {usageTable} from './usage-view.ts';

/** Returns a session of this machine with its file, above its usage. */
export function savedSessionResult(session: SessionSummary, usage: Extract<Result, {kind: 'group'}>): Result {
	const {id, title, about, preview, folder, path, updatedAt, model} = session;
	return {
		kind: 'group',
		parts: [
			{
				kind: 'record',
				title: title || about || 'A session without a message',
				fields: facts([
					['id', id],
					['model', model || 'none yet'],
					['updated', updatedAt],
					['folder', folder],
					['file', path],
				]),
				data: null,
			},
			...usage.parts,
		],
		data: {
			id,
			title,
			preview,
			folder,
			file: path,
			updated_at: updatedAt,
			model,
			...(isJsonObject(usage.data) && usage.data),
		},
	};
}

/** Returns a session of the platform with its place and usage. */
export function platformSessionResult(session: Lenient<Session>): Result {
	const {created_by: creator, labels = {}, usage} = session;
	return {
		kind: 'group',
		parts: [
			factsPart(
				[
					['session', session.id],
					['archived', session.archived_at === null ? 'no' : session.archived_at],
					['frozen', frozen(session)],
					['agent', orNone(session.agent)],
					['model', session.model],
					['origin', session.origin],
					['visibility', session.visibility],
					['project', session.project_name ?? orNone(session.project_id)],
					['runtime', orNone(session.runtime_id)],
					['labels', Object.entries(labels).map(labelled).join('\n')],
					['created', session.created_at],
					['created by', creator?.username ?? creator?.email ?? session.user_id],
					['updated', session.updated_at],
					['last message', session.last_message_at === null ? 'none yet' : session.last_message_at],
					['begins with', session.preview_text],
				],
				session.title ?? 'Session without a title',
			),
			...(usage ? [usageTable(usage, {title: 'Usage', cost: formatUsd})] : []),
		],
		data: originalOf(session),
	};
}

/** Returns “none” for null; undefined for a field that the server left out. */
function orNone(value: string | null | undefined): string | undefined {
	return value === null ? 'none' : value;
}

function frozen({frozen_at: at, frozen_by: by}: Lenient<Session>): string | undefined {
	return at === null ? 'no' : at && (by ? `${at}, by ${by}` : at);
}

function labelled([key, values]: readonly [key: string, values: readonly string[]]): string {
	return `${key}: ${values.join(', ')}`;
}
