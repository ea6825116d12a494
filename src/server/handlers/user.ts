import {sql} from 'kysely';
import type {UserPreferences} from '../../contract/resources/preferences.ts';
import {createApiKey, listActiveKeys, lockKey, revokeKey, setKeyLimit} from '../accounts/api-key.ts';
import {recordAct} from '../accounts/audit-log.ts';
import {requireSecondFactor} from '../accounts/browser-session.ts';
import {verifyEnrollment} from '../accounts/second-factor.ts';
import type {DatabaseTransaction, Queries} from '../database/tables.ts';
import {reject, rejectField, rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';
import type {Services} from './services.ts';

/** Credits for one US dollar of inference. */
const creditsPerDollar = 100;

export const userHandlers = {
	async getUserPreferences({query: {org}}, {principal, services}) {
		return findPreferences(services, principal.userId, org);
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

		return findPreferences(services, principal.userId);
	},

	/**
	 * Finishes an enrollment started on the page. Only this response contains the recovery codes. A password
	 * alone opened the browser sessions, so that they need the second factor from then on.
	 */
	async verifyMfaEnrollment({body: {code}}, {principal, services}) {
		const result = await verifyEnrollment(services, principal.userId, code);
		switch (result.kind) {
			case 'enrolled':
				await requireSecondFactor(services, principal.userId);
				return {recovery_codes: [...result.recoveryCodes]};
			case 'not-started':
				return reject(
					409,
					`No enrollment is waiting for a code. Start one at ${services.publicUrl()}/account/second-factor.`,
				);
			case 'wait':
				return reject(429, `Too many attempts. Try again in ${result.seconds} s.`, {
					headers: {'retry-after': String(result.seconds)},
				});
			case 'wrong':
				return reject(400, 'That code is wrong. Enter the current one from the app.', {type: 'token_error'});
		}
	},

	async listApiKeys(_, {principal, services}) {
		return [...(await listActiveKeys(services, principal.userId))];
	},

	/** Only this response contains the secret, as `key`. */
	async createApiKey({body}, {principal, actor, services}) {
		const name = body.name?.trim() || null;
		if (name && (name.length > maxNameLength || /\p{Cc}/u.test(name))) {
			const msg = `must be one line of at most ${maxNameLength} characters`;
			rejectField(['body', 'name'], msg, 'invalid_value');
		}

		const {userId, apiKeyId} = principal;
		return await services.database.transaction().execute(async database => {
			const {now} = services;
			await assertUnlimited({database, now}, apiKeyId);
			const {record, secret} = await createApiKey(
				{database, now},
				{userId, name, createdWith: apiKeyId, requestsPerMinute: body.requests_per_minute ?? null},
			);
			await recordAct(database, actor, {
				act: 'key.create',
				organizationId: null,
				subject: {id: record.id, name: record.prefix},
				details: {name, requests_per_minute: record.requests_per_minute},
				at: now(),
			});
			return {...record, key: secret.reveal()};
		});
	},

	async updateApiKey({params, body: {requests_per_minute}}, {principal, actor, services}) {
		const {userId, apiKeyId} = principal;
		const keyId = params.keyId.toLowerCase();
		return await services.database.transaction().execute(async database => {
			const {now} = services;
			await assertUnlimited({database, now}, apiKeyId);
			const isChanged = await setKeyLimit(database, {userId, keyId, requestsPerMinute: requests_per_minute});
			const key = isChanged ? (await listActiveKeys({database, now}, userId)).find(({id}) => id === keyId) : undefined;
			if (!key) {
				rejectNotFound();
			}

			await recordAct(database, actor, {
				act: 'key.limit',
				organizationId: null,
				subject: {id: keyId, name: key.prefix},
				details: {requests_per_minute},
				at: now(),
			});
			return {...key};
		});
	},

	async revokeApiKey({params: {keyId}}, {principal, actor, services}) {
		const key = {userId: principal.userId, keyId: keyId.toLowerCase()};
		const isRevoked = await revokeKey(services, key, actor);
		return isRevoked ? undefined : rejectNotFound();
	},
} satisfies Partial<Handlers>;

/**
 * Rejects (403) a request with an API key that has a rate limit: a key without one, or many of them, would be a way around it.
 * Rejects (401) one that was just revoked.
 */
async function assertUnlimited(
	access: {readonly database: DatabaseTransaction; readonly now: () => Date},
	apiKeyId: string | null,
): Promise<void> {
	const key = apiKeyId === null ? undefined : await lockKey(access, apiKeyId);
	if (apiKeyId !== null && !key) {
		reject(401, 'The API key of this request was just revoked.');
	}

	if (key && key.requests_per_minute !== null) {
		reject(403, 'An API key with a rate limit can’t create API keys or change their limits.');
	}
}

/** Most organizations that are named beside the preferences. */
const maxOrganizations = 3;

/**
 * Returns what a user prefers, and who that is. Until they choose models, those with a provider key are enabled. Answers 404 for an organization that they are no member of, by slug
 * or UUID.
 */
async function findPreferences(
	{catalog: {models}, database}: Services,
	userId: string,
	org?: string | null,
): Promise<UserPreferences> {
	const rows = await database
		.selectFrom('users')
		.leftJoin('preferences', 'preferences.user_id', 'users.id')
		.leftJoin('members', 'members.user_id', 'users.id')
		.leftJoin('organizations', 'organizations.id', 'members.organization_id')
		.select(['enabled_model_ids', 'users.email', 'organizations.slug'])
		.where('users.id', '=', userId)
		.$if(typeof org === 'string', found => found.where(({exists}) => exists(membership(database, org ?? ''))))
		.orderBy('organizations.slug')
		.limit(maxOrganizations)
		.execute();
	const {enabled_model_ids: enabled, email} = rows[0] ?? rejectNotFound();
	const ready = () => models.filter(model => model.has_required_keys).map(({id}) => id);
	return {
		enabled_model_ids: enabled === null ? ready() : JSON.parse(enabled),
		inference_credits_per_dollar: creditsPerDollar,
		access_restricted: false,
		models: models.map(model => ({...model})),
		user_email: email,
		organizations: rows.flatMap(({slug}) => slug ?? []),
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

/** In characters. */
const maxNameLength = 200;
