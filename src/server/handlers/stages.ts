import {randomUUID} from 'node:crypto';
import type {Selectable} from 'kysely';
import type {Stage} from '../../contract/resources/item.ts';
import {derivedId} from '../../core/derived-id.ts';
import type {Tables} from '../database/tables.ts';
import {reject, rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';

export const stageHandlers = {
	/**
	 * The first request creates the stage. Later ones get the same stage, with its provenance, until it is submitted or
	 * dismissed.
	 */
	async createSubmissionStage({params, body}, {scope: {organization, project}, services: {database, now}}) {
		const itemId = params.itemId.toLowerCase();
		const actionId = body.action_id.toLowerCase();
		const item = await database
			.selectFrom('items')
			.select('id')
			.where('id', '=', itemId)
			.where('project_id', '=', project.id)
			.executeTakeFirst();
		if (!item) {
			rejectNotFound();
		}

		const at = now().toISOString();
		const created = await database
			.insertInto('stages')
			.values({
				id: randomUUID(),
				organization_id: organization.id,
				project_id: project.id,
				item_id: itemId,
				action_id: actionId,
				connection_id: connectionIdOf(organization.id, actionId),
				provenance: JSON.stringify(body.provenance),
				status: 'staged',
				submission_id: null,
				created_at: at,
				updated_at: at,
			})
			.onConflict(conflict => conflict.doNothing())
			.returningAll()
			.executeTakeFirst();
		const stage =
			created ??
			(await database
				.selectFrom('stages')
				.selectAll()
				.where('item_id', '=', itemId)
				.where('action_id', '=', actionId)
				.where('status', '=', 'staged')
				.executeTakeFirst());
		return stage ? toStage(stage) : reject(409, 'The stage of this item and action just ended. Try again.');
	},
} satisfies Partial<Handlers>;

/**
 * Returns the id of the connection for an action. The specification only says that it is a UUID. Here it is derived
 * from the organization and the action, so it is the same for all members at all times.
 */
function connectionIdOf(organizationId: string, actionId: string): string {
	return derivedId('connection', organizationId, actionId);
}

function toStage({provenance, ...row}: Selectable<Tables['stages']>): Stage {
	return {...row, provenance: JSON.parse(provenance)};
}
