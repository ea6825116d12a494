import type {Organization} from '../../contract/resources/account.ts';
import type {MemberRole} from '../database/role.ts';
import type {DatabaseTransaction} from '../database/tables.ts';
import {authorize} from '../kit/authorize.ts';
import {rejectField} from '../kit/http-error.ts';
import type {Handlers} from './handler.ts';
import {readPage} from './page.ts';

/** In characters, without surrounding white space. */
const maxNameLength = 100;
const maxDescriptionLength = 2000;

export const organizationHandlers = {
	/** Omitted fields stay as they are; an empty description clears it. */
	async updateOrganization({body}, {scope: {organization, role}, services: {database, now}}) {
		const changes = {
			...(body.name !== undefined && {name: checkName(body.name)}),
			...(body.description !== undefined && {description: checkDescription(body.description)}),
		};
		return await database.transaction().execute(async transaction => {
			if (Object.keys(changes).length > 0) {
				await transaction
					.updateTable('organizations')
					.set({...changes, updated_at: now().toISOString()})
					.where('id', '=', organization.id)
					.execute();
			}

			return await readOrganization(transaction, organization.id, role);
		});
	},

	async listOrganizations({query}, {principal, services: {database}}) {
		const rows = database
			.selectFrom('organizations')
			.innerJoin('members', 'members.organization_id', 'organizations.id')
			.select(['id', 'slug', 'name', 'description', 'role', 'organizations.created_at'])
			.where('user_id', '=', principal.userId);
		return await readPage(query, rows, ordered => ordered.orderBy('slug'));
	},

	async listWorkspaces({query}, {scope: {organization}, services: {database}}) {
		const rows = database
			.selectFrom('workspaces')
			.select(['id', 'slug', 'name', 'created_at'])
			.where('organization_id', '=', organization.id);
		return await readPage(query, rows, ordered => ordered.orderBy('slug'));
	},

	async listProjects({query}, {scope: {workspace}, services: {database}}) {
		const rows = database
			.selectFrom('projects')
			.select(['id', 'slug', 'name', 'created_at'])
			.where('workspace_id', '=', workspace.id);
		return await readPage(query, rows, ordered => ordered.orderBy('slug'));
	},
} satisfies Partial<Handlers>;

function checkName(given: string): string {
	const name = given.trim();
	if (name === '' || name.length > maxNameLength || /\p{Cc}/u.test(name)) {
		rejectField(['body', 'name'], `must be one line of 1 to ${maxNameLength} characters`, 'invalid_value');
	}

	return name;
}

function checkDescription(given: string | null): string | null {
	const description = given?.trim() || null;
	if (description !== null && description.length > maxDescriptionLength) {
		rejectField(['body', 'description'], `must have at most ${maxDescriptionLength} characters`, 'invalid_value');
	}

	return description;
}

/** Returns an organization as a member with this role sees it. Of several owners it shows the longest-standing one. */
async function readOrganization(transaction: DatabaseTransaction, id: string, role: MemberRole): Promise<Organization> {
	const row = await transaction
		.selectFrom('organizations')
		.select(['id', 'slug', 'name', 'description', 'created_at', 'updated_at'])
		.where('id', '=', id)
		.executeTakeFirstOrThrow();
	const {members} = await transaction
		.selectFrom('members')
		.select(({fn}) => fn.countAll<number>().as('members'))
		.where('organization_id', '=', id)
		.executeTakeFirstOrThrow();
	const owner = await transaction
		.selectFrom('members')
		.innerJoin('users', 'users.id', 'members.user_id')
		.select(['users.id', 'users.email', 'users.username', 'users.full_name'])
		.where('organization_id', '=', id)
		.where('role', '=', 'owner')
		.orderBy('members.created_at')
		.orderBy('users.id')
		.executeTakeFirst();
	return {
		...row,
		can_manage_members: authorize('removeMemberLimit', role),
		member_count: members,
		owner: owner ?? null,
	};
}
