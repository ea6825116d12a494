import {randomUUID} from 'node:crypto';
import {recordAct} from '../accounts/audit-log.ts';
import {invitationState, selectInvitations} from '../accounts/invitations.ts';
import {changingMembers} from '../accounts/members.ts';
import {createToken} from '../accounts/token.ts';
import {isEmail, normalizeEmail} from '../accounts/user.ts';
import {reject, rejectField, rejectNotFound} from '../kit/http-error.ts';
import {requestUrl} from '../kit/server-url.ts';
import type {Handlers} from './handler.ts';
import {assertGrants} from './members.ts';
import {readPage, sortBy} from './page.ts';

const dayMs = 24 * 60 * 60 * 1000;

export const invitationHandlers = {
	async listInvitations({query}, context) {
		const {organization} = context.scope;
		const {database, now} = context.services;
		const {email} = query;
		const rows = selectInvitations(database)
			.where('invitations.organization_id', '=', organization.id)
			.$if(typeof email === 'string', found => found.where('invitations.email', '=', normalizeEmail(email ?? '')));
		const page = await readPage(context, query, rows, [
			sortBy('invitations.created_at', 'desc'),
			sortBy('invitations.id', 'desc'),
		]);
		return {...page, items: page.items.map(row => invitationOf(row, now()))};
	},

	/** The response says nothing about whether the address has an account. */
	async createInvitation({body}, {scope: {organization}, principal, actor, services, request}) {
		const {role} = body;
		const email = normalizeEmail(body.email);
		if (!isEmail(email)) {
			rejectField(['body', 'email'], 'must be an e-mail address, such as name@example.com', 'invalid_value');
		}

		return await changingMembers(services, organization, async transaction => {
			await assertGrants(transaction, {organization, userId: principal.userId, of: [role]});
			const member = await transaction
				.selectFrom('members')
				.innerJoin('users', 'users.id', 'members.user_id')
				.select('user_id')
				.where('organization_id', '=', organization.id)
				.where('email', '=', email)
				.executeTakeFirst();
			if (member) {
				reject(409, `“${email}” is already a member of “${organization.slug}”.`, {type: 'member_exists_error'});
			}

			const now = services.now();
			const created_at = now.toISOString();
			await transaction
				.updateTable('invitations')
				.set({revoked_at: created_at})
				.where('organization_id', '=', organization.id)
				.where('email', '=', email)
				.where('accepted_at', 'is', null)
				.where('revoked_at', 'is', null)
				.where('expires_at', '>', created_at)
				.execute();
			const {token, hash} = createToken('invitation');
			const id = randomUUID();
			const expires_at = new Date(now.getTime() + body.expires_in_days * dayMs).toISOString();
			await transaction
				.insertInto('invitations')
				.values({
					id,
					organization_id: organization.id,
					email,
					role,
					code_hash: hash,
					invited_by: principal.userId,
					created_at,
					expires_at,
					accepted_at: null,
					accepted_by: null,
					revoked_at: null,
				})
				.execute();
			await recordAct(transaction, actor, {
				act: 'member.invite',
				organizationId: organization.id,
				subject: {id, name: email},
				details: {role, expires_at},
				at: now,
			});
			const row = await selectInvitations(transaction).where('invitations.id', '=', id).executeTakeFirstOrThrow();
			return {
				...invitationOf(row, now),
				url: `${requestUrl(request, services)}/invite/${token.reveal()}`,
			};
		});
	},

	/** Ended ones stay as they are: only a pending one is revoked. */
	async revokeInvitation({params}, {scope: {organization}, principal, actor, services}) {
		return await changingMembers(services, organization, async transaction => {
			const now = services.now();
			const found = selectInvitations(transaction)
				.where('invitations.organization_id', '=', organization.id)
				.where('invitations.id', '=', params.invitationId.toLowerCase());
			const row = (await found.executeTakeFirst()) ?? rejectNotFound();
			await assertGrants(transaction, {organization, userId: principal.userId, of: [row.role]});
			const state = invitationState(row, now);
			if (state === 'accepted') {
				reject(409, `“${row.email}” has accepted the invitation. Remove the member instead.`);
			}

			if (row.revoked_at === null) {
				await transaction
					.updateTable('invitations')
					.set({revoked_at: now.toISOString()})
					.where('id', '=', row.id)
					.execute();
				await recordAct(transaction, actor, {
					act: 'member.uninvite',
					organizationId: organization.id,
					subject: {id: row.id, name: row.email},
					at: now,
				});
			}

			return invitationOf(await found.executeTakeFirstOrThrow(), now);
		});
	},
} satisfies Partial<Handlers>;

type Row = Parameters<typeof invitationState>[0];

function invitationOf(row: Row, now: Date) {
	const {id, email, role, invited_by, created_at, expires_at, accepted_at} = row;
	return {id, email, role, state: invitationState(row, now), invited_by, created_at, expires_at, accepted_at};
}
