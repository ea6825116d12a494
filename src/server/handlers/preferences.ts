import {sql} from 'kysely';
import type {UserPreferences} from '../../contract/resources/preferences.ts';
import type {Queries} from '../database/tables.ts';
import {rejectField, rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';
import type {Services} from './services.ts';

/** Credits for one US dollar of inference. */
const creditsPerDollar = 100;

export const preferenceHandlers = {
	async getUserPreferences({query: {org}}, {principal, services}) {
		const row = await services.database
			.selectFrom('users')
			.leftJoin('preferences', 'preferences.user_id', 'users.id')
			.select('enabled_model_ids')
			.where('users.id', '=', principal.userId)
			.$if(typeof org === 'string', found =>
				found.where(({exists}) => exists(membership(services.database, org ?? ''))),
			)
			.executeTakeFirst();
		return row ? preferences(services, row.enabled_model_ids) : rejectNotFound();
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

		const stored = await services.database
			.selectFrom('preferences')
			.select('enabled_model_ids')
			.where('user_id', '=', principal.userId)
			.executeTakeFirst();
		return preferences(services, stored?.enabled_model_ids ?? null);
	},
} satisfies Partial<Handlers>;

/** Returns a user's preferences. Until the user chooses models, those with a provider key are enabled. */
function preferences({catalog}: Services, enabled: string | null): UserPreferences {
	const ready = () => catalog.models.filter(model => model.has_required_keys).map(({id}) => id);
	return {
		enabled_model_ids: enabled === null ? ready() : JSON.parse(enabled),
		inference_credits_per_dollar: creditsPerDollar,
		access_restricted: false,
		models: catalog.models.map(model => ({...model})),
	};
}

/** Selects the membership of the outer query's user in an organization, by slug or UUID. */
function membership(queries: Queries, keyOrId: string) {
	return queries
		.selectFrom('members')
		.innerJoin('organizations', 'organizations.id', 'members.organization_id')
		.select('organizations.id')
		.where('members.user_id', '=', sql.ref<string>('users.id'))
		.where(where => where.or([where('slug', '=', keyOrId), where('organizations.id', '=', keyOrId.toLowerCase())]));
}
