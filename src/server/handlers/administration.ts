import {type Actor, type AuditedAct, recordAct} from '../accounts/audit-log.ts';
import {endLogins, endSandboxTime} from '../accounts/suspension.ts';
import {normalizeEmail} from '../accounts/user.ts';
import type {DatabaseTransaction, Queries} from '../database/tables.ts';
import {reject, rejectField, rejectNotFound} from '../kit/http-error.ts';
import {requestDeletion} from '../retention/delete-organization.ts';
import type {Handlers} from './handler.ts';
import {waitingFor} from './organization.ts';
import {readPage, sortBy} from './page.ts';
import type {Services} from './services.ts';

/** What administrators of the whole server do. */
export const administrationHandlers = {
	async listUsers({query}, context) {
		const {database} = context.services;
		const {email} = query;
		const rows = selectUsers(database).$if(typeof email === 'string', found =>
			found.where('email', '=', normalizeEmail(email ?? '')),
		);
		const page = await readPage(context, query, rows, [sortBy('email')]);
		return {...page, items: page.items.map(userOf)};
	},

	/** Every credential of the user is refused from the next request on, by every server. */
	async suspendUser({params, body}, {principal, actor, services}) {
		const userId = params.userId.toLowerCase();
		if (userId === principal.userId) {
			reject(409, 'You can’t suspend yourself. Ask another administrator of the server.');
		}

		return await administering(services, principal.userId, async (transaction, at) => {
			const {numUpdatedRows} = await transaction
				.updateTable('users')
				.set(({fn, val}) => ({suspended_at: fn.coalesce('suspended_at', val(at))}))
				.where('id', '=', userId)
				.executeTakeFirstOrThrow();
			if (numUpdatedRows === 0n) {
				rejectNotFound();
			}

			await endLogins(transaction, userId, at);
			await endSandboxTime(transaction, {column: 'created_by', id: userId}, at);
			return await enterUser(transaction, {act: 'user.suspend', actor, userId, at, reason: reasonOf(body)});
		});
	},

	/** Their API keys work again. Logins stay ended. */
	async reinstateUser({params}, {principal, actor, services}) {
		const userId = params.userId.toLowerCase();
		return await administering(services, principal.userId, async (transaction, at) => {
			const {numUpdatedRows} = await transaction
				.updateTable('users')
				.set({suspended_at: null})
				.where('id', '=', userId)
				.executeTakeFirstOrThrow();
			if (numUpdatedRows === 0n) {
				rejectNotFound();
			}

			// A login that was being opened when they were suspended.
			await endLogins(transaction, userId, at);
			return await enterUser(transaction, {act: 'user.reinstate', actor, userId, at});
		});
	},

	async listServerOrganizations({query}, context) {
		const {database} = context.services;
		const page = await readPage(context, query, selectOrganizations(database), [sortBy('slug')]);
		return {...page, items: page.items.map(organizationOf)};
	},

	async suspendOrganization({params, body}, {principal, actor, services}) {
		return await administering(services, principal.userId, async (transaction, at) => {
			const organization = await transaction
				.updateTable('organizations')
				.set(({fn, val}) => ({suspended_at: fn.coalesce('suspended_at', val(at))}))
				.where('slug', '=', params.organization)
				.returning(['id', 'slug'])
				.executeTakeFirst();
			const {id, slug} = organization ?? rejectNotFound();
			const environments = transaction.selectFrom('environments').select('id').where('organization_id', '=', id);
			await transaction.deleteFrom('execute_tokens').where('environment_id', 'in', environments).execute();
			await endSandboxTime(transaction, {column: 'organization_id', id}, at);
			const reason = reasonOf(body);
			return await enterOrganization(transaction, {act: 'organization.suspend', actor, id, slug, at, reason});
		});
	},

	async deleteServerOrganization({params}, {principal, actor, services}) {
		const id = await administering(services, principal.userId, async (transaction, at) => {
			const organization = await transaction
				.selectFrom('organizations')
				.select(['id', 'slug'])
				.where('slug', '=', params.organization)
				.executeTakeFirst();
			const deleted = organization ?? rejectNotFound();
			await requestDeletion(transaction, actor, deleted, new Date(at));
			return deleted.id;
		});
		return await waitingFor(services, id);
	},

	async reinstateOrganization({params}, {principal, actor, services}) {
		return await administering(services, principal.userId, async (transaction, at) => {
			const organization = await transaction
				.updateTable('organizations')
				.set({suspended_at: null})
				.where('slug', '=', params.organization)
				.returning(['id', 'slug', 'deleting_at'])
				.executeTakeFirst();
			const {id, slug, deleting_at} = organization ?? rejectNotFound();
			if (deleting_at !== null) {
				reject(409, `“${slug}” is being deleted.`);
			}

			return await enterOrganization(transaction, {act: 'organization.reinstate', actor, id, slug, at});
		});
	},
} satisfies Partial<Handlers>;

/** In characters. */
const maxReasonLength = 500;

function reasonOf({reason}: {readonly reason?: string | undefined}): string | undefined {
	if (reason !== undefined && (reason.length > maxReasonLength || /\p{Cc}/u.test(reason))) {
		rejectField(['body', 'reason'], `must be one line of at most ${maxReasonLength} characters`, 'invalid_value');
	}

	return reason?.trim() || undefined;
}

/**
 * Runs a transaction of an administrator, one after another on all servers: two who suspend each other must not both succeed.
 * Rejects (403) one who was suspended or is an administrator no longer.
 */
async function administering<Result>(
	{database, now}: Services,
	userId: string,
	work: (transaction: DatabaseTransaction, at: string) => Promise<Result>,
): Promise<Result> {
	return await database.transaction().execute(async transaction => {
		const first = transaction
			.selectFrom('users')
			.select(({fn}) => fn.min('id').as('id'))
			.where('is_administrator', '=', 1);
		await transaction
			.updateTable('users')
			.set(({ref}) => ({username: ref('username')}))
			.where('id', '=', first)
			.execute();
		const caller = await transaction
			.selectFrom('users')
			.select('id')
			.where('id', '=', userId)
			.where('is_administrator', '=', 1)
			.where('suspended_at', 'is', null)
			.executeTakeFirst();
		return caller
			? await work(transaction, now().toISOString())
			: reject(403, 'Only administrators of this server may do this.');
	});
}

function selectUsers(queries: Queries) {
	return queries
		.selectFrom('users')
		.select(['id', 'email', 'is_administrator', 'suspended_at', 'created_at'])
		.select(({selectFrom}) =>
			selectFrom('members')
				.select(({fn}) => fn.countAll<number>().as('count'))
				.whereRef('members.user_id', '=', 'users.id')
				.as('organizations'),
		);
}

function userOf<Row extends {readonly is_administrator: 0 | 1; readonly organizations: number | null}>(row: Row) {
	return {...row, is_administrator: row.is_administrator === 1, organizations: Number(row.organizations)};
}

function selectOrganizations(queries: Queries) {
	return queries
		.selectFrom('organizations')
		.select(['id', 'slug', 'name', 'suspended_at', 'created_at'])
		.select(({selectFrom}) =>
			selectFrom('members')
				.select(({fn}) => fn.countAll<number>().as('count'))
				.whereRef('members.organization_id', '=', 'organizations.id')
				.as('members'),
		);
}

function organizationOf<Row extends {readonly members: number | null}>(row: Row) {
	return {...row, members: Number(row.members)};
}

type Suspension = {
	readonly act: AuditedAct;
	readonly actor: Actor;
	readonly at: string;
	readonly reason?: string | undefined;
};

async function enterUser(
	transaction: DatabaseTransaction,
	{act, actor, userId, at, reason}: Suspension & {readonly userId: string},
) {
	const user = await selectUsers(transaction).where('id', '=', userId).executeTakeFirstOrThrow();
	await recordAct(transaction, actor, {
		act,
		organizationId: null,
		subject: {id: userId, name: user.email},
		...(reason !== undefined && {details: {reason}}),
		at: new Date(at),
	});
	return userOf(user);
}

async function enterOrganization(
	transaction: DatabaseTransaction,
	{act, actor, id, slug, at, reason}: Suspension & {readonly id: string; readonly slug: string},
) {
	await recordAct(transaction, actor, {
		act,
		organizationId: id,
		subject: {id, name: slug},
		...(reason !== undefined && {details: {reason}}),
		at: new Date(at),
	});
	return organizationOf(await selectOrganizations(transaction).where('id', '=', id).executeTakeFirstOrThrow());
}
