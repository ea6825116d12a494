import {sql} from 'kysely';
import type {DatabaseTransaction} from '../database/tables.ts';
import type {Span} from './otlp/span.ts';
import {textAt} from './read-attributes.ts';

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
	const rooms = await loadRooms(transaction, organizationId);
	const found = new Map<string, Place | string>();
	const places = new Map<Place, Span[]>();
	const rejected: string[] = [];
	for (const span of spans) {
		const workspace = named(span, 'service.workspace');
		const project = named(span, 'service.project');
		const key = JSON.stringify([workspace, project]);
		const place = found.get(key) ?? findPlace(rooms, workspace, project);
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

type Room = {
	readonly id: string;
	readonly slug: string;
	readonly project_id: string | null;
	readonly project_slug: string | null;
};

/** All workspaces of an organization with their projects, the oldest first. */
function loadRooms(transaction: DatabaseTransaction, organizationId: string): Promise<readonly Room[]> {
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

/** Whether a slug, a UUID in letters of any case, or nothing in particular names it. */
function isNamed(given: string | undefined, slug: string | null, id: string | null): boolean {
	return given === undefined || given === slug || given.toLowerCase() === id;
}

/** The place of these names, or a sentence that says what is not there. */
function findPlace(rooms: readonly Room[], workspace: string | undefined, project: string | undefined): Place | string {
	const first = rooms.find(({id, slug}) => isNamed(workspace, slug, id));
	if (!first) {
		return workspace === undefined
			? 'The organization has no workspace.'
			: `The organization has no workspace “${workspace.slice(0, 100)}”.`;
	}

	const found = rooms.find(
		({id, project_id, project_slug}) => id === first.id && isNamed(project, project_slug, project_id),
	);
	if (!found?.project_id) {
		return project === undefined
			? `The workspace “${first.slug}” has no project.`
			: `The workspace “${first.slug}” has no project “${project.slice(0, 100)}”.`;
	}

	return {workspaceId: first.id, projectId: found.project_id};
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
