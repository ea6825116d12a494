import {AppError} from '../../core/error.ts';
import type {Secret} from '../../core/secrets/secret.ts';
import type {MemberRole} from '../database/role.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import {organizationTransaction} from '../kit/organization-turns.ts';
import type {DataAccess} from '../kit/services.ts';
import {createApiKey} from './api-key.ts';
import {operator, recordAct} from './audit-log.ts';
import {checkEmail, findOrMakeUser} from './initialize.ts';
import {findAccountByEmail, normalizeEmail} from './user.ts';

/** A user to add to an organization, given its slug. */
export type NewMember = {
	readonly organization: string;
	readonly email: string;
	/** Without it, a new member is a `member`, and one who belongs to it already keeps their role. */
	readonly role?: MemberRole | undefined;
};

/** A user who joined an organization; with an API key for the first login if the user is new. */
export type Joined = {readonly userId: string; readonly role: MemberRole; readonly apiKey: Secret | undefined};

/**
 * Adds a user to an organization, given its slug, or changes a member's role. Throws `AppError("not-found")` for an unknown
 * organization, `AppError("usage")` for an invalid address, and `AppError("conflict")` if no owner would remain.
 */
export async function addMember(services: DataAccess, {organization, email, role: wanted}: NewMember): Promise<Joined> {
	checkEmail(email);
	return await services.database.transaction().execute(async database => {
		const created_at = services.now().toISOString();
		const organizationId = await lockMembers(database, organization);
		const {userId, isNew} = await findOrMakeUser(database, {email, created_at});
		const known = await database
			.selectFrom('members')
			.select('role')
			.where('organization_id', '=', organizationId)
			.where('user_id', '=', userId)
			.executeTakeFirst();
		const role = wanted ?? known?.role ?? 'member';
		if (role !== 'owner') {
			await keepAnOwner(database, {organization, organizationId, userId});
		}

		await database
			.insertInto('members')
			.values({organization_id: organizationId, user_id: userId, role, created_at})
			.onConflict(conflict => conflict.columns(['organization_id', 'user_id']).doUpdateSet({role}))
			.execute();
		await recordAct(database, operator, {
			act: known ? 'member.role' : 'member.add',
			organizationId,
			subject: {id: userId, name: normalizeEmail(email)},
			details: {role},
			at: services.now(),
		});
		const created = isNew
			? await createApiKey({database, now: services.now}, {userId, name: `member of ${organization}`})
			: undefined;
		return {userId, role, apiKey: created?.secret};
	});
}

/** A user who left an organization, and how many of their sandboxes there still run or are paused. */
export type Removed = {readonly userId: string; readonly sandboxes: number};

/**
 * Removes a member from an organization, given its slug. Their keys and logins have no access to it from then on; what they
 * made stays. Throws `AppError("not-found")` for an unknown organization and for a user who is no member, and
 * `AppError("conflict")` if no owner would remain.
 */
export async function removeMember(services: DataAccess, {organization, email}: NewMember): Promise<Removed> {
	return await services.database.transaction().execute(async database => {
		const organizationId = await lockMembers(database, organization);
		const userId = (await findAccountByEmail({database}, email))?.id ?? '';
		await keepAnOwner(database, {organization, organizationId, userId});
		const {numDeletedRows} = await database
			.deleteFrom('members')
			.where('organization_id', '=', organizationId)
			.where('user_id', '=', userId)
			.executeTakeFirstOrThrow();
		if (numDeletedRows === 0n) {
			throw new AppError('not-found', `“${email}” is not a member of “${organization}”.`, {
				hint: 'Check the spelling.',
			});
		}

		await recordAct(database, operator, {
			act: 'member.remove',
			organizationId,
			subject: {id: userId, name: normalizeEmail(email)},
			at: services.now(),
		});
		const {count} = await database
			.selectFrom('sandboxes')
			.select(({fn}) => fn.countAll<number>().as('count'))
			.where('organization_id', '=', organizationId)
			.where('created_by', '=', userId)
			.where('state', '!=', 'killed')
			.executeTakeFirstOrThrow();
		return {userId, sandboxes: Number(count)};
	});
}

/**
 * Returns the id of an organization, and keeps others from changing its members until the transaction ends: two owners must
 * not leave at the same time. Throws `AppError("not-found")` for an unknown one.
 */
async function lockMembers(database: DatabaseTransaction, organization: string): Promise<string> {
	const locked = await database
		.updateTable('organizations')
		.set(({ref}) => ({updated_at: ref('updated_at')}))
		.where('slug', '=', organization)
		.returning('id')
		.executeTakeFirst();
	if (!locked) {
		throw new AppError('not-found', `Organization not found: “${organization}”.`, {
			hint: 'Use one that `serve init` created.',
		});
	}

	return locked.id;
}

async function keepAnOwner(
	database: DatabaseTransaction,
	{
		organization,
		organizationId,
		userId,
	}: {readonly organization: string; readonly organizationId: string; readonly userId: string},
): Promise<void> {
	const isOwner = await database
		.selectFrom('members')
		.select('user_id')
		.where('organization_id', '=', organizationId)
		.where('user_id', '=', userId)
		.where('role', '=', 'owner')
		.executeTakeFirst();
	if (isOwner && (await countOwners(database, organizationId, userId)) === 0) {
		throw new AppError('conflict', `“${organization}” needs at least one owner.`, {
			hint: 'Make another member an owner first.',
		});
	}
}

/** Runs a transaction that no other change of the members happens beside, also on other servers. */
export async function changingMembers<Result>(
	{database}: DataAccess,
	{id}: {readonly id: string},
	work: (transaction: DatabaseTransaction) => Promise<Result>,
): Promise<Result> {
	return await organizationTransaction(database, id, async transaction => {
		await transaction
			.updateTable('organizations')
			.set(({ref}) => ({updated_at: ref('updated_at')}))
			.where('id', '=', id)
			.execute();
		return await work(transaction);
	});
}

/** Returns how many owners an organization has besides a user. Suspended ones can't act as such. */
export async function countOwners(
	database: DatabaseTransaction,
	organizationId: string,
	besides: string,
): Promise<number> {
	const {count} = await database
		.selectFrom('members')
		.innerJoin('users', 'users.id', 'members.user_id')
		.select(({fn}) => fn.countAll<number>().as('count'))
		.where('organization_id', '=', organizationId)
		.where('role', '=', 'owner')
		.where('user_id', '!=', besides)
		.where('users.suspended_at', 'is', null)
		.executeTakeFirstOrThrow();
	return Number(count);
}
