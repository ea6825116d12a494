import {randomUUID} from 'node:crypto';
import type {Organization} from '../../contract/resources/account.ts';
import {type Actor, type AuditedAct, recordAct} from '../accounts/audit-log.ts';
import {isSlug} from '../accounts/initialize.ts';
import type {MemberRole} from '../database/role.ts';
import type {DatabaseTransaction, Queries} from '../database/tables.ts';
import {authorize} from '../kit/authorize.ts';
import {reject, rejectField, rejectNotFound} from '../kit/http-error.ts';
import {organizationTransaction} from '../kit/organization-turns.ts';
import type {NamedPlace} from '../kit/scope.ts';
import type {DataAccess} from '../kit/services.ts';
import {findLostMachines, requestDeletion} from '../retention/delete-organization.ts';
import type {Handlers} from './handler.ts';
import {readPage, sortBy} from './page.ts';

/** In characters, without surrounding white space. */
const maxNameLength = 100;
const maxDescriptionLength = 2000;

export const organizationHandlers = {
	/** Omitted fields stay as they are; an empty description clears it. */
	async updateOrganization({body}, {scope: {organization, role}, actor, services: {database, now}}) {
		const changes = {
			...(body.name !== undefined && {name: checkName(body.name)}),
			...(body.description !== undefined && {description: checkDescription(body.description)}),
		};
		return await organizationTransaction(database, organization.id, async transaction => {
			if (Object.keys(changes).length > 0) {
				await transaction
					.updateTable('organizations')
					.set({...changes, updated_at: now().toISOString()})
					.where('id', '=', organization.id)
					.execute();
			}

			await recordAct(transaction, actor, {
				act: 'organization.update',
				organizationId: organization.id,
				subject: {id: organization.id, name: organization.slug},
				details: changes,
				at: now(),
			});
			return await readOrganization(transaction, organization.id, role);
		});
	},

	/** What is deleted stays suspended until nothing of it is left. The answer has the machines that this waits for, if any. */
	async deleteOrganization(_, {scope: {organization}, actor, services}) {
		const {database, now} = services;
		await organizationTransaction(database, organization.id, transaction =>
			requestDeletion(transaction, actor, organization, now()),
		);
		return await waitingFor(services, organization.id);
	},

	async listOrganizations({query}, context) {
		const {principal, services} = context;
		const {database} = services;
		const rows = database
			.selectFrom('organizations')
			.innerJoin('members', 'members.organization_id', 'organizations.id')
			.select(['id', 'slug', 'name', 'description', 'role', 'organizations.created_at', 'suspended_at'])
			.where('user_id', '=', principal.userId);
		return await readPage(context, query, rows, [sortBy('slug')]);
	},

	async listWorkspaces({query}, context) {
		const {organization} = context.scope;
		const {database} = context.services;
		const rows = database
			.selectFrom('workspaces')
			.select(['id', 'slug', 'name', 'created_at'])
			.where('organization_id', '=', organization.id);
		return await readPage(context, query, rows, [sortBy('slug')]);
	},

	async listProjects({query}, context) {
		const {workspace} = context.scope;
		const {database} = context.services;
		const rows = database
			.selectFrom('projects')
			.select(['id', 'slug', 'name', 'created_at'])
			.where('workspace_id', '=', workspace.id);
		return await readPage(context, query, rows, [sortBy('slug')]);
	},

	async createWorkspace({body}, {scope: {organization}, actor, services: {database, now}}) {
		const place = newPlace(body, now());
		return await organizationTransaction(database, organization.id, async transaction => {
			const {numInsertedOrUpdatedRows} = await transaction
				.insertInto('workspaces')
				.values({...place, organization_id: organization.id})
				.onConflict(conflict => conflict.columns(['organization_id', 'slug']).doNothing())
				.executeTakeFirstOrThrow();
			assertNew(numInsertedOrUpdatedRows, `The organization already has a workspace “${place.slug}”.`);
			await enter(transaction, actor, {act: 'workspace.create', organization, place, at: now()});
			return place;
		});
	},

	getWorkspace: (_, {scope: {workspace}, services: {database}}) => readPlace(database, 'workspaces', workspace.id),

	/** The slug stays: addresses, profiles and traces have it. */
	async updateWorkspace({body}, {scope: {organization, workspace: place}, actor, services: {database, now}}) {
		const name = checkName(body.name);
		return await organizationTransaction(database, organization.id, async transaction => {
			await transaction.updateTable('workspaces').set({name}).where('id', '=', place.id).execute();
			await enter(transaction, actor, {act: 'workspace.rename', organization, place, name, at: now()});
			return await readPlace(transaction, 'workspaces', place.id);
		});
	},

	async createProject({body}, {scope: {organization, workspace}, actor, services: {database, now}}) {
		const place = newPlace(body, now());
		return await organizationTransaction(database, organization.id, async transaction => {
			const {numInsertedOrUpdatedRows} = await transaction
				.insertInto('projects')
				.values({...place, workspace_id: workspace.id})
				.onConflict(conflict => conflict.columns(['workspace_id', 'slug']).doNothing())
				.executeTakeFirstOrThrow();
			assertNew(numInsertedOrUpdatedRows, `The workspace already has a project “${place.slug}”.`);
			await enter(transaction, actor, {act: 'project.create', organization, place, workspace, at: now()});
			return place;
		});
	},

	getProject: (_, {scope: {project}, services: {database}}) => readPlace(database, 'projects', project.id),

	/** The slug stays, as that of a workspace does. */
	async updateProject({body}, {scope: {organization, workspace, project: place}, actor, services: {database, now}}) {
		const name = checkName(body.name);
		return await organizationTransaction(database, organization.id, async transaction => {
			await transaction.updateTable('projects').set({name}).where('id', '=', place.id).execute();
			await enter(transaction, actor, {act: 'project.rename', organization, place, workspace, name, at: now()});
			return await readPlace(transaction, 'projects', place.id);
		});
	},
} satisfies Partial<Handlers>;

/** Returns the lost machines that the deletion of an organization waits for; undefined if there are none. */
export async function waitingFor(services: DataAccess, organizationId: string) {
	const machines = await findLostMachines(services, organizationId);
	return machines.length > 0 ? {lost_machines: machines} : undefined;
}

/** Returns the row of a new workspace or project. Rejects (422) an invalid slug or name. */
function newPlace({slug, name}: {readonly slug: string; readonly name?: string | undefined}, now: Date) {
	if (!isSlug(slug)) {
		const msg = 'must have up to 63 lowercase letters, digits and dashes, with no dash first or last';
		rejectField(['body', 'slug'], msg, 'invalid_value');
	}

	return {id: randomUUID(), slug, name: checkName(name ?? slug), created_at: now.toISOString()};
}

function assertNew(inserted: bigint | undefined, detail: string): void {
	if (!inserted) {
		reject(409, detail, {type: 'already_exists_error'});
	}
}

async function readPlace(queries: Queries, table: 'workspaces' | 'projects', id: string) {
	const place = await queries
		.selectFrom(table)
		.select(['id', 'slug', 'name', 'created_at'])
		.where('id', '=', id)
		.executeTakeFirst();
	return place ?? rejectNotFound();
}

type PlaceChange = {
	readonly act: AuditedAct;
	readonly organization: NamedPlace;
	readonly place: {readonly id: string; readonly slug: string; readonly name: string};
	/** The workspace of a project. */
	readonly workspace?: NamedPlace;
	/** The new name, if it was changed. */
	readonly name?: string;
	readonly at: Date;
};

async function enter(
	transaction: DatabaseTransaction,
	actor: Actor,
	{act, organization, place, workspace, name = place.name, at}: PlaceChange,
): Promise<void> {
	await recordAct(transaction, actor, {
		act,
		organizationId: organization.id,
		subject: {id: place.id, name: workspace ? `${workspace.slug}/${place.slug}` : place.slug},
		details: {name},
		at,
	});
}

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
		can_manage_members: authorize('updateMember', role),
		member_count: members,
		owner: owner ?? null,
	};
}
