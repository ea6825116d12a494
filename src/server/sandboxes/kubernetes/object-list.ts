import * as z from 'zod/mini';
import {AppError} from '../../../core/error.ts';
import type {ClusterClient, ClusterRequest, ResourceName} from './cluster-client.ts';
import type {ClusterObject} from './cluster-objects.ts';
import {selector} from './object-names.ts';

/** Objects of a page, and pages of a list. */
const pageSize = 500;
const maxPages = 200;

/** How often a list is begun again whose continuation has expired. */
const maxBeginnings = 3;

export type ObjectList<Item> = {readonly items: readonly Item[] /** Where a watch begins. */; readonly version: string};

/** Returns all objects of our sandboxes. Throws AppError. */
export async function listObjects<Item extends ClusterObject>(
	client: ClusterClient,
	resource: ResourceName,
	schema: z.ZodMiniType<Item>,
): Promise<ObjectList<Item>> {
	const page = z.object({
		metadata: z.object({resourceVersion: z.string(), continue: z.optional(z.string())}),
		items: z.array(schema),
	});
	let items: Item[] = [];
	let next = '';
	for (let pages = 0, beginnings = 0; pages < maxPages; pages += 1) {
		const query = {labelSelector: selector, limit: String(pageSize), ...(next && {continue: next})};
		const request: ClusterRequest = {method: 'GET', resource, query};
		const answer = await client.ask(request);
		if (answer.status === 410 && beginnings < maxBeginnings) {
			beginnings += 1;
			items = [];
			next = '';
			continue;
		}

		if (answer.status !== 200) {
			throw client.refusal(`list ${resource}`, request, answer);
		}

		const {metadata, items: more} = await answer.read(page);
		items.push(...more);
		next = metadata.continue ?? '';
		if (next === '') {
			return {items, version: metadata.resourceVersion};
		}
	}

	throw new AppError('network', `Kubernetes at ${client.address} lists ${resource} without an end.`);
}
