import {createApiKey, listActiveKeys, lockKey, revokeKey} from '../accounts/api-key.ts';
import {reject, rejectField, rejectNotFound} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';

/** In characters. */
const maxNameLength = 200;

export const apiKeyHandlers = {
	async listApiKeys(_, {principal, services}) {
		return [...(await listActiveKeys(services, principal.userId))];
	},

	/** Only this response contains the secret, as `key`. */
	async createApiKey({body}, {principal, services}) {
		const name = body.name?.trim() || null;
		if (name && (name.length > maxNameLength || /\p{Cc}/u.test(name))) {
			const msg = `must be one line of at most ${maxNameLength} characters`;
			rejectField(['body', 'name'], msg, 'invalid_value');
		}

		const {userId, apiKeyId} = principal;
		return await services.database.transaction().execute(async database => {
			const {now} = services;
			if (apiKeyId !== null && !(await lockKey({database, now}, apiKeyId))) {
				reject(401, 'The API key of this request was just revoked.');
			}

			const {record, secret} = await createApiKey({database, now}, {userId, name, createdWith: apiKeyId});
			return {...record, key: secret.reveal()};
		});
	},

	async revokeApiKey({params: {keyId}}, {principal, services}) {
		const isRevoked = await revokeKey(services, {userId: principal.userId, keyId: keyId.toLowerCase()});
		return isRevoked ? undefined : rejectNotFound();
	},
} satisfies Partial<Handlers>;
