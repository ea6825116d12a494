import type {PathParameter} from '../../contract/path.ts';
import type {Role} from '../database/role.ts';
import type {Queries} from '../database/tables.ts';
import type {Principal} from './authorize.ts';

export type Organization = {readonly id: string; readonly slug: string; readonly name: string};
export type Workspace = {readonly id: string; readonly slug: string; readonly name: string};
export type Project = {readonly id: string; readonly slug: string; readonly name: string};

/** The scope of an operation as far as its path names it. The role is the caller's in the organization. */
export type Scope = {
	readonly organization: Organization;
	readonly role: Role;
	readonly workspace?: Workspace;
	readonly project?: Project;
};

/** The scope of an endpoint, derived from the parameters in its path. */
export type ScopeOf<Path extends string> = ('org' extends PathParameter<Path>
	? {readonly organization: Organization; readonly role: Role}
	: unknown) &
	('workspace' extends PathParameter<Path> ? {readonly workspace: Workspace} : unknown) &
	('project' extends PathParameter<Path> ? {readonly project: Project} : unknown);

/**
 * Finds the scope that a path names. Returns undefined if any part doesn't exist or the caller is not a member, so that
 * the two can't be told apart (SAFETY 26).
 */
export async function findScope(
	queries: Queries,
	{userId}: Principal,
	{org, workspace, project}: Readonly<Record<string, string>>,
): Promise<Scope | undefined> {
	if (org === undefined) {
		return undefined;
	}

	const found = await queries
		.selectFrom('organizations')
		.innerJoin('members', 'members.organization_id', 'organizations.id')
		.leftJoin('workspaces', join =>
			join.onRef('workspaces.organization_id', '=', 'organizations.id').on('workspaces.slug', '=', workspace ?? ''),
		)
		.select([
			'organizations.id',
			'organizations.slug',
			'organizations.name',
			'members.role',
			'workspaces.id as workspace_id',
			'workspaces.slug as workspace_slug',
			'workspaces.name as workspace_name',
		])
		.where('organizations.slug', '=', org)
		.where('members.user_id', '=', userId)
		.executeTakeFirst();
	if (!found) {
		return undefined;
	}

	const {workspace_id, workspace_slug, workspace_name, role, ...organization} = found;
	if (workspace === undefined) {
		return {organization, role};
	}

	if (workspace_id === null || workspace_slug === null || workspace_name === null) {
		return undefined;
	}

	const inWorkspace = {
		organization,
		role,
		workspace: {id: workspace_id, slug: workspace_slug, name: workspace_name},
	};
	if (project === undefined) {
		return inWorkspace;
	}

	const projectRow = await findProject(queries, workspace_id, project);
	return projectRow && {...inWorkspace, project: projectRow};
}

/** Returns the project of a workspace by slug or UUID. */
export function findProject(queries: Queries, workspaceId: string, slugOrId: string): Promise<Project | undefined> {
	return queries
		.selectFrom('projects')
		.select(['id', 'slug', 'name'])
		.where('workspace_id', '=', workspaceId)
		.where(where => where.or([where('slug', '=', slugOrId), where('id', '=', slugOrId.toLowerCase())]))
		.executeTakeFirst();
}
