import {sql} from 'kysely';
import type {DatabaseTransaction} from '../database/tables.ts';
import type {ReceivedSpan} from './otlp/span.ts';
import {textAt} from './read-attributes.ts';

/** The workspace and project that spans are stored in. */
export type IngestTarget = {
	readonly workspaceId: string;
	readonly projectId: string;
};

type Grouped = {
	/** The spans of each target. */
	readonly targets: ReadonlyMap<IngestTarget, readonly ReceivedSpan[]>;
	readonly rejected: readonly string[];
};

/**
 * Groups spans by workspace and project. Spans or their resources name them; the defaults are the organization's oldest
 * ones. Rejects spans that name unknown ones.
 */
export async function groupByTarget(
	transaction: DatabaseTransaction,
	organizationId: string,
	spans: readonly ReceivedSpan[],
): Promise<Grouped> {
	const scopes = await loadScopes(transaction, organizationId);
	const found = new Map<string, IngestTarget | string>();
	const targets = new Map<IngestTarget, ReceivedSpan[]>();
	const rejected: string[] = [];
	for (const span of spans) {
		const workspace = nameIn(span, 'service.workspace');
		const project = nameIn(span, 'service.project');
		const key = JSON.stringify([workspace, project]);
		const target = found.get(key) ?? findTarget(scopes, workspace, project);
		found.set(key, target);
		if (typeof target === 'string') {
			rejected.push(target);
		} else {
			const group = targets.get(target) ?? [];
			group.push(span);
			targets.set(target, group);
		}
	}

	return {targets, rejected};
}

const nameIn = ({attributes, resource}: ReceivedSpan, key: 'service.workspace' | 'service.project') =>
	textAt(attributes, key) ?? textAt(resource, key);

type Scope = {
	readonly id: string;
	readonly slug: string;
	readonly project_id: string | null;
	readonly project_slug: string | null;
};

/** Returns all workspaces of an organization with their projects, oldest first. */
function loadScopes(transaction: DatabaseTransaction, organizationId: string): Promise<readonly Scope[]> {
	return transaction
		.selectFrom('workspaces')
		.leftJoin('projects', 'projects.workspace_id', 'workspaces.id')
		.select(['workspaces.id', 'workspaces.slug', 'projects.id as project_id', 'projects.slug as project_slug'])
		.where('workspaces.organization_id', '=', organizationId)
		.orderBy('workspaces.created_at')
		.orderBy('workspaces.id')
		.orderBy('projects.created_at')
		.orderBy('projects.id')
		.execute();
}

/** Returns whether a slug or a UUID (in any case) matches. Without a name, everything matches. */
function matches(given: string | undefined, slug: string | null, id: string | null): boolean {
	return given === undefined || given === slug || given.toLowerCase() === id;
}

/** Returns the target with these names, or a message that says what is missing. */
function findTarget(
	scopes: readonly Scope[],
	workspace: string | undefined,
	project: string | undefined,
): IngestTarget | string {
	const first = scopes.find(({id, slug}) => matches(workspace, slug, id));
	if (!first) {
		return workspace === undefined
			? 'The organization has no workspace.'
			: `The organization has no workspace “${workspace.slice(0, 100)}”.`;
	}

	const found = scopes.find(
		({id, project_id, project_slug}) => id === first.id && matches(project, project_slug, project_id),
	);
	if (!found?.project_id) {
		return project === undefined
			? `The workspace “${first.slug}” has no project.`
			: `The workspace “${first.slug}” has no project “${project.slice(0, 100)}”.`;
	}

	return {workspaceId: first.id, projectId: found.project_id};
}

/** Locks workspaces until the transaction ends, because derived data is read, changed and written back. */
export async function lockWorkspaces(transaction: DatabaseTransaction, ids: readonly string[]): Promise<void> {
	// Always in the same order, to prevent deadlocks.
	for (const id of [...new Set(ids)].sort()) {
		await transaction.updateTable('workspaces').set({slug: sql`slug`}).where('id', '=', id).execute();
	}
}
