import {type Actor, type AuditedAct, recordAct} from '../accounts/audit-log.ts';
import {findOrMakeUser} from '../accounts/initialize.ts';
import {changingMembers, countOwners} from '../accounts/members.ts';
import {createPasswordCode} from '../accounts/password-code.ts';
import {isEmail, normalizeEmail} from '../accounts/user.ts';
import {type MemberRole, roles} from '../database/role.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import {reject, rejectField, rejectNotFound} from '../kit/http-error.ts';
import type {NamedPlace} from '../kit/scope.ts';
import type {Handlers} from './handler.ts';
import {readPage, sortBy} from './page.ts';
import type {Services} from './services.ts';

export const memberHandlers = {
	async listMembers({query}, context) {
		const {organization} = context.scope;
		const {database} = context.services;
		const {email} = query;
		const rows = database
			.selectFrom('members')
			.innerJoin('users', 'users.id', 'members.user_id')
			.select(['users.id as user_id', 'email', 'role', 'members.created_at', 'suspended_at'])
			.where('organization_id', '=', organization.id)
			.$if(typeof email === 'string', found => found.where('email', '=', normalizeEmail(email ?? '')));
		return await readPage(context, query, rows, [sortBy('email')]);
	},

	/** Only this response contains the code with which a new user sets a password. */
	async addMember({body: {email: typed, role}}, {scope: {organization}, principal, actor, isAdministrator, services}) {
		const email = normalizeEmail(typed);
		if (!isEmail(email)) {
			rejectField(['body', 'email'], 'must be an e-mail address, such as name@example.com', 'invalid_value');
		}

		return await changingMembers(services, organization, async transaction => {
			await assertGrants(transaction, {organization, userId: principal.userId, of: [role]});
			const created_at = services.now().toISOString();
			const user = await findOrMakeUser(transaction, {email, created_at, addedBy: organization.id});
			const {userId, isNew, addedBy} = user;
			if (addedBy !== null && addedBy !== organization.id && !isAdministrator) {
				// Whoever added an address first got the code for its password, and nobody has proved whose it is.
				reject(409, `Another organization added “${email}” to this server. Ask an administrator of the server.`);
			}

			const {numInsertedOrUpdatedRows} = await transaction
				.insertInto('members')
				.values({organization_id: organization.id, user_id: userId, role, created_at})
				.onConflict(conflict => conflict.doNothing())
				.executeTakeFirstOrThrow();
			if (!numInsertedOrUpdatedRows) {
				reject(409, `“${email}” is already a member of “${organization.slug}”.`, {type: 'member_exists_error'});
			}

			const access = {...services, database: transaction};
			const code = isNew ? await createPasswordCode(access, userId) : undefined;
			await enter(transaction, services, {act: 'member.add', actor, organization, user: {userId, email}, role});
			return {
				user_id: userId,
				email,
				role,
				created_at,
				suspended_at: null,
				is_new: isNew,
				password_code: code?.reveal() ?? null,
			};
		});
	},

	/** Nobody changes their own role: a slip could not be undone by whoever made it. */
	async updateMember({params, body: {role}}, {scope: {organization}, principal, actor, services}) {
		const userId = params.userId.toLowerCase();
		return await changingMembers(services, organization, async transaction => {
			const member = await findMember(transaction, organization, userId);
			if (userId === principal.userId && member.role !== role) {
				reject(409, 'You can’t change your own role. Ask another admin or owner to do it.');
			}

			await assertGrants(transaction, {organization, userId: principal.userId, of: [role, member.role]});
			if (role !== 'owner') {
				await assertOwnerRemains(transaction, organization, member);
			}

			await transaction
				.updateTable('members')
				.set({role})
				.where('organization_id', '=', organization.id)
				.where('user_id', '=', userId)
				.execute();
			const user = {userId, email: member.email};
			await enter(transaction, services, {act: 'member.role', actor, organization, user, role});
			return {...member, role};
		});
	},

	/** Their keys and logins have no access to the organization from then on; what they made stays. */
	async removeMember({params}, {scope: {organization}, principal, actor, services}) {
		const userId = params.userId.toLowerCase();
		return await changingMembers(services, organization, async transaction => {
			const member = await findMember(transaction, organization, userId);
			await assertGrants(transaction, {organization, userId: principal.userId, of: [member.role]});
			await assertOwnerRemains(transaction, organization, member);
			await transaction
				.deleteFrom('members')
				.where('organization_id', '=', organization.id)
				.where('user_id', '=', userId)
				.execute();
			const user = {userId, email: member.email};
			await enter(transaction, services, {act: 'member.remove', actor, organization, user});
			const {count} = await transaction
				.selectFrom('sandboxes')
				.select(({fn}) => fn.countAll<number>().as('count'))
				.where('organization_id', '=', organization.id)
				.where('created_by', '=', userId)
				.where('state', '!=', 'killed')
				.executeTakeFirstOrThrow();
			return {user_id: userId, removed: true, sandboxes: Number(count)};
		});
	},
} satisfies Partial<Handlers>;

type Grant = {readonly organization: NamedPlace; readonly userId: string; readonly of: readonly MemberRole[]};

/**
 * Rejects (403) who may not give or take these roles: that takes an admin, and an owner for the role of an owner. Their own role
 * may have changed since the request began.
 */
export async function assertGrants(transaction: DatabaseTransaction, {organization, userId, of}: Grant): Promise<void> {
	const caller = await transaction
		.selectFrom('members')
		.select('role')
		.where('organization_id', '=', organization.id)
		.where('user_id', '=', userId)
		.executeTakeFirst();
	if (!caller || roles.indexOf(caller.role) < roles.indexOf('admin')) {
		reject(403, `The role “${caller?.role ?? 'none'}” does not allow this in the organization.`);
	}

	if (of.includes('owner') && caller.role !== 'owner') {
		reject(403, 'Only an owner gives or takes the role of an owner.');
	}
}

async function findMember(transaction: DatabaseTransaction, {id}: NamedPlace, userId: string) {
	const member = await transaction
		.selectFrom('members')
		.innerJoin('users', 'users.id', 'members.user_id')
		.select(['user_id', 'email', 'role', 'members.created_at', 'suspended_at'])
		.where('organization_id', '=', id)
		.where('user_id', '=', userId)
		.executeTakeFirst();
	return member ?? rejectNotFound();
}

async function assertOwnerRemains(
	transaction: DatabaseTransaction,
	{id, slug}: NamedPlace,
	{role, user_id}: {readonly role: MemberRole; readonly user_id: string},
): Promise<void> {
	if (role === 'owner' && (await countOwners(transaction, id, user_id)) === 0) {
		reject(409, `“${slug}” needs at least one owner. Make another member an owner first.`);
	}
}

type Change = {
	readonly act: AuditedAct;
	readonly actor: Actor;
	readonly organization: NamedPlace;
	readonly user: {readonly userId: string; readonly email: string};
	readonly role?: MemberRole;
};

async function enter(
	transaction: DatabaseTransaction,
	{now}: Services,
	{act, actor, organization, user, role}: Change,
): Promise<void> {
	await recordAct(transaction, actor, {
		act,
		organizationId: organization.id,
		subject: {id: user.userId, name: user.email},
		...(role && {details: {role}}),
		at: now(),
	});
}
