import type {Handlers} from '../handler.ts';
import {readPage} from '../page.ts';

export const scopeHandlers = {
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
