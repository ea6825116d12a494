import type {DatabaseTransaction} from '../../database/tables.ts';
import {clientAddressOf} from '../../kit/client-address.ts';
import {formType, readForm} from '../../kit/form-body.ts';
import {requestIdOf} from '../../kit/request-id.ts';
import type {ServerRoute} from '../../kit/route.ts';
import type {AccountServices} from '../account-services.ts';
import {countAttempt} from '../attempts.ts';
import {type Actor, recordAct} from '../audit-log.ts';
import {oauthError} from '../oauth/oauth-response.ts';
import {endSessions} from '../suspension.ts';
import type {Account} from '../user.ts';
import {isFault, type OidcLogout, oidcClient} from './oidc-client.ts';
import {findConnected, findLoggedIn, providerSession} from './oidc-logins.ts';
import type {OidcSettings} from './oidc-settings.ts';

/** Where the provider announces logouts. It must be registered there as `backchannel_logout_uri`. */
export const backChannelLogoutPath = '/sign-in/oidc/back-channel-logout';

/**
 * Returns the route that ends the logins of users who log out at the provider (OpenID Connect Back-Channel Logout 1.0): all of the
 * user that a token names, or those of a session at the provider that it names alone. All servers refuse them from the next request
 * on. API keys stay: they are no login at the provider.
 */
export function backChannelLogout(services: AccountServices, oidc: OidcSettings): ServerRoute {
	return {
		method: 'POST',
		path: backChannelLogoutPath,
		auth: 'none',
		accepts: [formType],
		async handle({request}) {
			const token = (await readForm(request))?.get('logout_token');
			if (!token) {
				return oauthError('invalid_request', 'logout_token is missing.');
			}

			const logout = await (await oidcClient(oidc)).readLogout(token);
			if (isFault(logout)) {
				const {kind, reason} = logout;
				services.log({level: 'warn', message: 'oidc logout', kind, reason});
				return kind === 'unreachable'
					? new Response(null, {status: 503, headers: {'cache-control': 'no-store', 'retry-after': '10'}})
					: oauthError('invalid_request', 'The logout token is not valid.');
			}

			const origin = {address: clientAddressOf(request, services), requestId: requestIdOf(request)};
			return (await endOnce(services, logout, origin))
				? new Response(null, {status: 200, headers: {'cache-control': 'no-store'}})
				: oauthError('invalid_request', 'The logout token was used already.');
		},
	};
}

/** Ends the logins that a token names, if this server knows them. Returns false for a token that was used. */
async function endOnce(
	{database, now}: AccountServices,
	logout: OidcLogout,
	origin: Omit<Extract<Actor, {kind: 'user'}>, 'kind' | 'id'>,
): Promise<boolean> {
	const {issuer, tokenId} = logout;
	return await database.transaction().execute(async transaction => {
		const isUsed = await countAttempt({database: transaction, now}, 'oidc-logout', JSON.stringify([issuer, tokenId]));
		if (isUsed !== undefined) {
			return false;
		}

		const at = now();
		for (const account of await endNamed(transaction, logout, at.toISOString())) {
			await recordAct(
				transaction,
				{kind: 'user', id: account.id, ...origin},
				{
					act: 'user.logout',
					organizationId: null,
					subject: {id: account.id, name: account.email},
					details: {issuer},
					at,
				},
			);
		}

		return true;
	});
}

/** Ends every login of a user, or, for a session without a user, the logins that come from it. Returns whose they were. */
async function endNamed(
	transaction: DatabaseTransaction,
	{issuer, subject, sessionId}: OidcLogout,
	at: string,
): Promise<readonly Account[]> {
	if (subject !== undefined) {
		const account = await findConnected({database: transaction}, {issuer, subject});
		if (account) {
			await endSessions(transaction, {column: 'user_id', id: account.id}, at);
		}

		return account ? [account] : [];
	}

	const session = providerSession({issuer, sessionId}) ?? '';
	const accounts = await findLoggedIn({database: transaction}, session);
	await endSessions(transaction, {column: 'provider_session', id: session}, at);
	return accounts;
}
