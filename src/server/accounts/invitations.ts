import type {MemberRole} from '../database/role.ts';
import type {Queries} from '../database/tables.ts';
import type {DataAccess} from '../kit/services.ts';
import {type Actor, recordAct} from './audit-log.ts';
import {findOrMakeUser} from './initialize.ts';
import {changingMembers} from './members.ts';
import type {OidcIdentity} from './oidc/oidc-client.ts';
import {connect} from './oidc/oidc-logins.ts';
import {hashToken, kindOfToken} from './token.ts';
import {findAccountByEmail} from './user.ts';

/** What became of an invitation; `accepted` and `revoked` are final. */
export type InvitationState = 'pending' | 'accepted' | 'revoked' | 'expired';

/** An invitation as its link shows it. */
export type Invitation = {
	readonly id: string;
	readonly email: string;
	readonly role: MemberRole;
	readonly state: InvitationState;
	readonly invitedBy: string;
	readonly expiresAt: string;
	readonly acceptedBy: string | null;
	readonly organization: {
		readonly id: string;
		readonly slug: string;
		readonly name: string;
		readonly isSuspended: boolean;
	};
};

/** Selects invitations with their inviters, and the role that each inviter has in the organization now. */
export function selectInvitations(queries: Queries) {
	return queries
		.selectFrom('invitations')
		.innerJoin('users', 'users.id', 'invitations.invited_by')
		.leftJoin('members', join =>
			join
				.onRef('members.user_id', '=', 'invitations.invited_by')
				.onRef('members.organization_id', '=', 'invitations.organization_id'),
		)
		.select([
			'invitations.id',
			'invitations.email',
			'invitations.role',
			'users.email as invited_by',
			'users.suspended_at as inviter_suspended_at',
			'members.role as inviter_role',
			'invitations.created_at',
			'invitations.expires_at',
			'accepted_at',
			'revoked_at',
		]);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectInvitations>['execute']>>[number];

/**
 * Returns the state of an invitation. One whose inviter is suspended or may no longer give its role counts as revoked: who loses
 * access must not leave a way in.
 */
export function invitationState(row: Row, now: Date): InvitationState {
	if (row.accepted_at !== null) {
		return 'accepted';
	}

	const isGranted =
		row.inviter_suspended_at === null &&
		(row.inviter_role === 'owner' || (row.inviter_role === 'admin' && row.role !== 'owner'));
	if (row.revoked_at !== null || !isGranted) {
		return 'revoked';
	}

	return row.expires_at <= now.toISOString() ? 'expired' : 'pending';
}

/** Returns the invitation of a code, whatever its state; undefined if there is none. Finding it doesn't use it up. */
export async function findInvitation(
	{database, now}: {readonly database: Queries; readonly now: () => Date},
	code: string,
): Promise<Invitation | undefined> {
	if (kindOfToken(code) !== 'invitation') {
		return undefined;
	}

	const row = await selectInvitations(database)
		.innerJoin('organizations', 'organizations.id', 'invitations.organization_id')
		.select(['invitations.organization_id', 'accepted_by', 'slug', 'name', 'organizations.suspended_at'])
		.where('code_hash', '=', hashToken(code))
		.executeTakeFirst();
	return (
		row && {
			id: row.id,
			email: row.email,
			role: row.role,
			state: invitationState(row, now()),
			invitedBy: row.invited_by,
			expiresAt: row.expires_at,
			acceptedBy: row.accepted_by,
			organization: {id: row.organization_id, slug: row.slug, name: row.name, isSuspended: row.suspended_at !== null},
		}
	);
}

/** Who accepts: a user who is logged in, or someone who gets an account with a password or an identity at a provider. */
export type Invitee =
	| {readonly userId: string}
	| {readonly passwordHash: string | null; readonly identity?: OidcIdentity};

export type Acceptance =
	| {readonly kind: 'joined'; readonly userId: string}
	/** The address has an account already, so that nobody can create it. */
	| {readonly kind: 'account-exists'}
	/** The invitation was used, revoked or has expired, or the organization or the user is suspended. */
	| {readonly kind: 'refused'};

type Accepting = {
	readonly code: string;
	readonly invitee: Invitee;
	/** Where the request came from, for the audit log. */
	readonly origin: Omit<Extract<Actor, {kind: 'user'}>, 'kind' | 'id'>;
};

/**
 * Adds the invitee as a member, once: of two who accept at the same time, one is refused. A member keeps their role. The caller
 * must have compared the address of a logged-in user.
 */
export async function acceptInvitation(services: DataAccess, {code, invitee, origin}: Accepting): Promise<Acceptance> {
	const found = await findInvitation(services, code);
	if (!found) {
		return {kind: 'refused'};
	}

	const {organization, email} = found;
	return await changingMembers(services, organization, async transaction => {
		// It may have ended while this request waited for its turn.
		const invitation = await findInvitation({database: transaction, now: services.now}, code);
		if (invitation?.state !== 'pending' || invitation.organization.isSuspended) {
			return {kind: 'refused'};
		}

		const at = services.now().toISOString();
		let userId: string;
		if ('userId' in invitee) {
			const user = await transaction
				.selectFrom('users')
				.select('id')
				.where('id', '=', invitee.userId)
				.where('suspended_at', 'is', null)
				.executeTakeFirst();
			if (!user) {
				return {kind: 'refused'};
			}

			userId = user.id;
		} else {
			const made = (await findAccountByEmail({database: transaction}, email))
				? undefined
				: await findOrMakeUser(transaction, {email, created_at: at, addedBy: organization.id});
			if (!made?.isNew) {
				return {kind: 'account-exists'};
			}

			userId = made.userId;
			await transaction
				.updateTable('users')
				.set({password_hash: invitee.passwordHash})
				.where('id', '=', userId)
				.execute();
			if (invitee.identity) {
				await connect(transaction, invitee.identity, {userId, at});
			}
		}

		await transaction
			.updateTable('invitations')
			.set({accepted_at: at, accepted_by: userId})
			.where('id', '=', invitation.id)
			.execute();
		const {role} = invitation;
		const {numInsertedOrUpdatedRows} = await transaction
			.insertInto('members')
			.values({organization_id: organization.id, user_id: userId, role, created_at: at})
			.onConflict(conflict => conflict.doNothing())
			.executeTakeFirstOrThrow();
		if (numInsertedOrUpdatedRows) {
			await recordAct(
				transaction,
				{kind: 'user', id: userId, address: origin.address, requestId: origin.requestId},
				{
					act: 'member.add',
					organizationId: organization.id,
					subject: {id: userId, name: email},
					details: {role, invited_by: invitation.invitedBy},
					at: services.now(),
				},
			);
		}

		return {kind: 'joined', userId};
	});
}
