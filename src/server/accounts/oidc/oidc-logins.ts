import {randomBytes} from 'node:crypto';
import type {DatabaseTransaction, Queries} from '../../database/tables.ts';
import type {DataAccess} from '../../kit/services.ts';
import type {AccountServices} from '../account-services.ts';
import {type Actor, recordAct} from '../audit-log.ts';
import {findOrMakeUser} from '../initialize.ts';
import {changingMembers} from '../members.ts';
import {hashToken} from '../token.ts';
import {type Account, accountColumns, findAccountByEmail, normalizeEmail} from '../user.ts';
import type {LoginSecrets, OidcIdentity} from './oidc-client.ts';
import type {OidcSettings} from './oidc-settings.ts';

/** How long a login at the provider may take. */
const lifetimeMs = 10 * 60 * 1000;

/** A login that a browser began. */
type BegunLogin = {
	/** The page of this server that follows. */
	readonly next: string;
	/** Who was logged in when it began, and may connect the identity; null for nobody. */
	readonly userId: string | null;
};

/** Begins a login in one browser, and returns its secrets. Only the hash of the state is stored. */
export async function beginLogin(
	{database, now, seal}: AccountServices,
	{browser, next, userId}: BegunLogin & {readonly browser: string},
): Promise<LoginSecrets> {
	const state = randomBytes(32).toString('base64url');
	await database
		.insertInto('oidc_logins')
		.values({
			state_hash: hashToken(state),
			browser_hash: hashToken(`oidc:${browser}`),
			next,
			user_id: userId,
			expires_at: new Date(now().getTime() + lifetimeMs).toISOString(),
		})
		.execute();
	return secretsOf(seal, state);
}

/** Ends the login with a state, once, in the browser that began it. Returns undefined for any other, and for an expired one. */
export async function endLogin(
	{database, now, seal}: AccountServices,
	{browser, state}: {readonly browser: string; readonly state: string},
): Promise<(BegunLogin & {readonly secrets: LoginSecrets}) | undefined> {
	const begun = await database
		.deleteFrom('oidc_logins')
		.where('state_hash', '=', hashToken(state))
		.where('browser_hash', '=', hashToken(`oidc:${browser}`))
		.where('expires_at', '>', now().toISOString())
		.returning(['next', 'user_id'])
		.executeTakeFirst();
	return begun && {next: begun.next, userId: begun.user_id, secrets: secretsOf(seal, state)};
}

/** Derives what a login needs besides its state, so that the database never has it. */
function secretsOf(seal: AccountServices['seal'], state: string): LoginSecrets {
	const derive = (purpose: string) => seal.derive(`oidc ${purpose} ${state}`).toString('base64url');
	return {state, nonce: derive('nonce'), verifier: derive('verifier')};
}

/** Returns what is stored of a session at a provider, whatever its length; null for a login without one. */
export const providerSession = ({issuer, sessionId}: Pick<OidcIdentity, 'issuer' | 'sessionId'>): string | null =>
	sessionId === undefined ? null : hashToken(JSON.stringify([issuer, sessionId]));

/** Returns the accounts that are logged in, here or in a program, by a session at a provider. */
export async function findLoggedIn({database}: {readonly database: Queries}, session: string): Promise<Account[]> {
	return await database
		.selectFrom('users')
		.select(accountColumns)
		.where('id', 'in', ({selectFrom}) =>
			selectFrom('browser_sessions')
				.select('user_id')
				.where('provider_session', '=', session)
				.where('revoked_at', 'is', null)
				.union(
					selectFrom('tokens')
						.select('user_id')
						.where('provider_session', '=', session)
						.where('revoked_at', 'is', null),
				),
		)
		.execute();
}

/** Returns the account that an identity is connected to, suspended or not. */
export async function findConnected(
	{database}: {readonly database: Queries},
	{issuer, subject}: Pick<OidcIdentity, 'issuer' | 'subject'>,
): Promise<Account | undefined> {
	return await database
		.selectFrom('identities')
		.innerJoin('users', 'users.id', 'identities.user_id')
		.select(accountColumns.map(column => `users.${column}` as const))
		.where('issuer', '=', issuer)
		.where('subject', '=', subject)
		.executeTakeFirst();
}

/** Returns whether an account is connected to a provider. */
export async function isConnected({database}: DataAccess, {issuer}: OidcSettings, userId: string): Promise<boolean> {
	const found = await database
		.selectFrom('identities')
		.select('user_id')
		.where('issuer', '=', issuer)
		.where('user_id', '=', userId)
		.executeTakeFirst();
	return found !== undefined;
}

/** Connects an identity to a user, and returns whether it was new; an identity keeps the user that it has. */
export async function connect(
	queries: Queries,
	{issuer, subject}: OidcIdentity,
	{userId, at}: {readonly userId: string; readonly at: string},
): Promise<boolean> {
	const {numInsertedOrUpdatedRows: added} = await queries
		.insertInto('identities')
		.values({issuer, subject, user_id: userId, created_at: at})
		.onConflict(conflict => conflict.doNothing())
		.executeTakeFirstOrThrow();
	return added === 1n;
}

/** Connects an identity to the account of who is logged in, as an act of theirs that the audit log has. */
export async function connectOwn(
	{database, now}: DataAccess,
	identity: OidcIdentity,
	{userId, name, origin}: {readonly userId: string; readonly name: string; readonly origin: SignUp['origin']},
): Promise<void> {
	const at = now();
	await database.transaction().execute(async transaction => {
		if (await connect(transaction, identity, {userId, at: at.toISOString()})) {
			await recordAct(
				transaction,
				{kind: 'user', id: userId, ...origin},
				{
					act: 'user.connect',
					organizationId: null,
					subject: {id: userId, name},
					details: {issuer: identity.issuer, subject: identity.subject},
					at,
				},
			);
		}
	});
}

/** Returns whether an address may have an account without an invitation. */
export function maySignUp({signUp}: OidcSettings, email: string): boolean {
	return signUp?.domains.includes(normalizeEmail(email).split('@').at(-1) ?? '') ?? false;
}

type SignUp = {
	readonly identity: OidcIdentity;
	readonly email: string;
	/** Where the request came from, for the audit log. */
	readonly origin: Omit<Extract<Actor, {kind: 'user'}>, 'kind' | 'id'>;
};

/**
 * Creates the account of an identity whose domain is allowed, as a member of the chosen organization. Returns undefined if the
 * address has an account, or the organization doesn't exist or is suspended.
 */
export async function signUp(
	services: DataAccess,
	{signUp: allowed}: OidcSettings,
	{identity, email, origin}: SignUp,
): Promise<string | undefined> {
	const organization = await services.database
		.selectFrom('organizations')
		.select(['id', 'suspended_at'])
		.where('slug', '=', allowed?.organization ?? '')
		.executeTakeFirst();
	if (!allowed || !organization || organization.suspended_at !== null) {
		return undefined;
	}

	return await changingMembers(services, organization, async transaction => {
		const at = services.now().toISOString();
		const userId = await createUser(transaction, {email, at, organizationId: organization.id});
		if (userId === undefined) {
			return undefined;
		}

		await connect(transaction, identity, {userId, at});
		const {role} = allowed;
		await transaction
			.insertInto('members')
			.values({organization_id: organization.id, user_id: userId, role, created_at: at})
			.execute();
		const actor: Actor = {kind: 'user', id: userId, address: origin.address, requestId: origin.requestId};
		await recordAct(transaction, actor, {
			act: 'member.add',
			organizationId: organization.id,
			subject: {id: userId, name: normalizeEmail(email)},
			details: {role, issuer: identity.issuer},
			at: services.now(),
		});
		return userId;
	});
}

type NewUser = {readonly email: string; readonly at: string; readonly organizationId: string};

async function createUser(
	transaction: DatabaseTransaction,
	{email, at, organizationId}: NewUser,
): Promise<string | undefined> {
	if (await findAccountByEmail({database: transaction}, email)) {
		return undefined;
	}

	const made = await findOrMakeUser(transaction, {email, created_at: at, addedBy: organizationId});
	return made.isNew ? made.userId : undefined;
}
