import type {UserPreferences} from '../../contract/resources/preferences.ts';
import type {Queries} from '../database/tables.ts';
import {rejectField, rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';
import type {Services} from './services.ts';

/** Credits for one US dollar of inference. */
const creditsPerDollar = 100;

export const preferenceHandlers = {
	async getUserPreferences({query: {org}}, {principal, services}) {
		if (typeof org === 'string') {
			await findMembership(services.database, principal.userId, org);
		}

		return await preferencesOf(services, principal.userId);
	},

	async updateUserPreferences({body: {enabled_model_ids}}, {principal, services}) {
		if (enabled_model_ids) {
			const known = new Set(services.catalog.models.map(({id}) => id));
			const unknown = enabled_model_ids.findIndex(id => !known.has(id));
			if (unknown >= 0) {
				const msg = 'is not a model of this server';
				rejectField(['body', 'enabled_model_ids', unknown], msg, 'unknown_model');
			}

			const row = {
				enabled_model_ids: JSON.stringify([...new Set(enabled_model_ids)]),
				updated_at: services.now().toISOString(),
			};
			await services.database
				.insertInto('preferences')
				.values({user_id: principal.userId, ...row})
				.onConflict(conflict => conflict.column('user_id').doUpdateSet(row))
				.execute();
		}

		return await preferencesOf(services, principal.userId);
	},
} satisfies Partial<Handlers>;

/** Returns a user's preferences. Until the user chooses models, those with a provider key are enabled. */
async function preferencesOf({database, catalog}: Services, userId: string): Promise<UserPreferences> {
	const row = await database
		.selectFrom('preferences')
		.select('enabled_model_ids')
		.where('user_id', '=', userId)
		.executeTakeFirst();
	const ready = () => catalog.models.filter(model => model.has_required_keys).map(({id}) => id);
	return {
		enabled_model_ids: row ? JSON.parse(row.enabled_model_ids) : ready(),
		inference_credits_per_dollar: creditsPerDollar,
		access_restricted: false,
		models: catalog.models.map(model => ({...model})),
	};
}

async function findMembership(queries: Queries, userId: string, keyOrId: string): Promise<void> {
	const found = await queries
		.selectFrom('members')
		.innerJoin('organizations', 'organizations.id', 'members.organization_id')
		.select('organizations.id')
		.where('user_id', '=', userId)
		.where(where => where.or([where('slug', '=', keyOrId), where('organizations.id', '=', keyOrId.toLowerCase())]))
		.executeTakeFirst();
	if (!found) {
		rejectNotFound();
	}
}
