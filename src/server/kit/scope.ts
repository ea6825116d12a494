import type {AliasedExpression} from 'kysely';
import type {PathParameter} from '../../contract/path.ts';
import type {QueryInput} from '../database/prepared.ts';
import type {MemberRole} from '../database/role.ts';
import type {Queries} from '../database/tables.ts';
import {reject} from './http-error.ts';

/** An organization, a workspace or a project. */
export type NamedPlace = {readonly id: string; readonly slug: string; readonly name: string};

/** The scope of an operation as far as its path names it. The role is the caller's in the organization. */
export type RequestScope = {
	readonly organization: NamedPlace;
	readonly role: MemberRole;
	readonly workspace?: NamedPlace;
	readonly project?: NamedPlace | undefined;
	/** The project that the query filters by, if it exists. */
	readonly filterProject?: NamedPlace | undefined;
};

/** The scope of an endpoint, derived from the parameters in its path. */
export type PathScope<Path extends string> = ('org' extends PathParameter<Path>
	? {readonly organization: NamedPlace; readonly role: MemberRole}
	: unknown) &
	('workspace' extends PathParameter<Path>
		? {readonly workspace: NamedPlace; readonly filterProject?: NamedPlace | undefined}
		: unknown) &
	('project' extends PathParameter<Path> ? {readonly project: NamedPlace} : unknown);

/** The names in a request's path, and the project that its query filters by. */
export type PlaceNames = {
	readonly org?: string | undefined;
	readonly workspace?: string | undefined;
	readonly project?: string | undefined;
	readonly filterProject?: string | undefined;
};

/** The caller of a request, as the query for its credential selects it. */
type CallerRow = {
	readonly user_id: string;
	readonly is_administrator: 0 | 1;
	readonly api_key_id: string | null;
	/** The limit of that API key; null for none. */
	readonly requests_per_minute: number | null;
	readonly last_used_at: string | null;
};

/** Returns the names in a request. The last value of a repeated query parameter counts. */
export function placeNames({org, workspace, project}: Readonly<Record<string, string>>, url: URL): PlaceNames {
	return {org, workspace, project, filterProject: url.searchParams.getAll('project').at(-1)};
}

/** The names of places that `withScope` searches for. Empty ones match nothing. */
export type ScopeInput = {
	readonly org: string;
	readonly workspace: string;
	/** A slug, or an id as typed. */
	readonly project: string;
	readonly projectId: string;
};

export function scopeInput({org = '', workspace = '', project, filterProject = ''}: PlaceNames): ScopeInput {
	const named = project ?? filterProject;
	return {org, workspace, project: named, projectId: named.toLowerCase()};
}

/** Adds to a query for the caller what a request names, as far as it exists and the caller is a member. */
export function withScope(
	queries: Queries,
	caller: AliasedExpression<CallerRow, 'caller'>,
	input: QueryInput<ScopeInput>,
) {
	return queries
		.selectFrom(caller)
		.leftJoin('organizations', join => join.on('organizations.slug', '=', input('org')))
		.leftJoin('members', join =>
			join.onRef('members.organization_id', '=', 'organizations.id').onRef('members.user_id', '=', 'caller.user_id'),
		)
		.leftJoin('workspaces', join =>
			join.onRef('workspaces.organization_id', '=', 'organizations.id').on('workspaces.slug', '=', input('workspace')),
		)
		.leftJoin('projects', join =>
			join
				.onRef('projects.workspace_id', '=', 'workspaces.id')
				.on(({or, eb}) => or([eb('projects.slug', '=', input('project')), eb('projects.id', '=', input('projectId'))])),
		)
		.selectAll('caller')
		.select([
			'members.role',
			'organizations.id as org_id',
			'organizations.slug as org_slug',
			'organizations.name as org_name',
			'organizations.suspended_at as org_suspended_at',
			'workspaces.id as workspace_id',
			'workspaces.slug as workspace_slug',
			'workspaces.name as workspace_name',
			'projects.id as project_id',
			'projects.slug as project_slug',
			'projects.name as project_name',
		]);
}

type ScopeRow = {
	readonly [column in `${'org' | 'workspace' | 'project'}_${'id' | 'slug' | 'name'}`]: string | null;
} & {readonly role: MemberRole | null; readonly org_suspended_at: string | null};

/**
 * Returns the scope that a path names. Returns undefined if it names none, if any part doesn't exist, or if the caller
 * is not a member, so that the last two can't be told apart (SAFETY 26). Rejects (403) members of an organization that is
 * suspended.
 */
export function toScope(row: ScopeRow, {workspace, project, filterProject}: PlaceNames): RequestScope | undefined {
	const organization = placeOf(row.org_id, row.org_slug, row.org_name);
	if (!organization || !row.role) {
		return undefined;
	}

	if (row.org_suspended_at !== null) {
		reject(403, `“${organization.slug}” is suspended. Ask an administrator of this server.`);
	}

	const scope = {organization, role: row.role};
	if (workspace === undefined) {
		return scope;
	}

	const foundWorkspace = placeOf(row.workspace_id, row.workspace_slug, row.workspace_name);
	const foundProject = placeOf(row.project_id, row.project_slug, row.project_name);
	if (!foundWorkspace || (project !== undefined && !foundProject)) {
		return undefined;
	}

	const inWorkspace = {...scope, workspace: foundWorkspace};
	return project === undefined
		? {...inWorkspace, ...(filterProject && {filterProject: foundProject})}
		: {...inWorkspace, project: foundProject};
}

function placeOf(id: string | null, slug: string | null, name: string | null) {
	return id !== null && slug !== null && name !== null ? {id, slug, name} : undefined;
}

/** Returns the project of a workspace by slug or UUID. */
export function findProject(queries: Queries, workspaceId: string, slugOrId: string): Promise<NamedPlace | undefined> {
	return queries
		.selectFrom('projects')
		.select(['id', 'slug', 'name'])
		.where('workspace_id', '=', workspaceId)
		.where(where => where.or([where('slug', '=', slugOrId), where('id', '=', slugOrId.toLowerCase())]))
		.executeTakeFirst();
}
