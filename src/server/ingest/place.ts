import {sql} from 'kysely';
import type {DatabaseTransaction} from '../database/tables.ts';
import {textAt} from './read-attributes.ts';
import type {Span} from './span.ts';

/** Where spans go. */
export type Place = {
	readonly workspaceId: string;
	readonly projectId: string;
};

type Placed = {
	/** The spans by place. */
	readonly places: ReadonlyMap<Place, readonly Span[]>;
	readonly rejected: readonly string[];
};

/**
 * Sorts spans by workspace and project, which they or their resource name, else the first ones. What names something
 * that the organization has not is rejected.
 */
export async function placeSpans(
	transaction: DatabaseTransaction,
	organizationId: string,
	spans: readonly Span[],
): Promise<Placed> {
	const found = new Map<string, Place | string>();
	const places = new Map<Place, Span[]>();
	const rejected: string[] = [];
	for (const span of spans) {
		const workspace = named(span, 'service.workspace');
		const project = named(span, 'service.project');
		const key = JSON.stringify([workspace, project]);
		const place = found.get(key) ?? (await findPlace(transaction, organizationId, workspace, project));
		found.set(key, place);
		if (typeof place === 'string') {
			rejected.push(place);
		} else {
			const those = places.get(place) ?? [];
			those.push(span);
			places.set(place, those);
		}
	}

	return {places, rejected};
}

const named = ({attributes, resource}: Span, key: 'service.workspace' | 'service.project') =>
	textAt(attributes, key) ?? textAt(resource, key);

async function findPlace(
	transaction: DatabaseTransaction,
	organizationId: string,
	workspace: string | undefined,
	project: string | undefined,
): Promise<Place | string> {
	const workspaces = await transaction
		.selectFrom('workspaces')
		.select(['id', 'slug'])
		.where('organization_id', '=', organizationId)
		.orderBy('created_at')
		.orderBy('id')
		.execute();
	const its = workspaces.find(({id, slug}) => workspace === undefined || workspace === slug || workspace === id);
	if (!its) {
		return workspace === undefined
			? 'The organization has no workspace.'
			: `The organization has no workspace “${workspace.slice(0, 100)}”.`;
	}

	const projects = await transaction
		.selectFrom('projects')
		.select(['id', 'slug'])
		.where('workspace_id', '=', its.id)
		.orderBy('created_at')
		.orderBy('id')
		.execute();
	const found = projects.find(({id, slug}) => project === undefined || project === slug || project === id);
	if (!found) {
		return project === undefined
			? `The workspace “${its.slug}” has no project.`
			: `The workspace “${its.slug}” has no project “${project.slice(0, 100)}”.`;
	}

	return {workspaceId: its.id, projectId: found.id};
}

/**
 * Lets one request at a time write what derives from the spans of a workspace, until its transaction ends: what is
 * derived is read, changed and written back.
 */
export async function holdWorkspaces(transaction: DatabaseTransaction, ids: readonly string[]): Promise<void> {
	// Always in one order, so that no two wait for each other.
	for (const id of [...new Set(ids)].sort()) {
		await transaction.updateTable('workspaces').set({slug: sql`slug`}).where('id', '=', id).execute();
	}
}
