import {isJsonObject} from '../../core/json.ts';
import type {SessionSummary} from '../../storage/session-summary.ts';
import {facts} from '../render/facts.ts';
import type {Result} from '../result.ts';

/** Returns a session of this machine with its file, above its usage. */
export function savedSessionResult(session: SessionSummary, usage: Extract<Result, {kind: 'group'}>): Result {
	const {id, title, preview, folder, path, updatedAt, model} = session;
	return {
		kind: 'group',
		parts: [
			{
				kind: 'record',
				title: title || preview || 'A session without a message',
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
