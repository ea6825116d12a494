import type {Database} from '../../src/server/database/tables.ts';
import {scope} from './harness.ts';

/** Returns the ids of a test organization's only workspace and project. */
export async function findProjectOf(database: Database, organization: string = scope.org) {
	return await database
		.selectFrom('organizations')
		.innerJoin('workspaces', 'workspaces.organization_id', 'organizations.id')
		.innerJoin('projects', 'projects.workspace_id', 'workspaces.id')
		.select(['organizations.id as organizationId', 'workspaces.id as workspaceId', 'projects.id as projectId'])
		.where('organizations.slug', '=', organization)
		.executeTakeFirstOrThrow();
}
