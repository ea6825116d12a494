import type {Client} from '../client/client.ts';
import {ifOffered} from '../client/extension.ts';

const pageSize = 100;
const maxPages = 10;

/** What a list of the server is asked for. */
export type PageQuery = {readonly page: number; readonly page_size: number};

type Page<Item> = {readonly items?: readonly Item[]; readonly total?: number};

/**
 * Returns the entries of all pages of a list, at most the first 1,000; undefined if the server doesn't offer the list.
 * Throws as `ifOffered` does.
 */
export async function readAllPages<Item>(
	client: Pick<Client, 'listOrganizations'>,
	readPage: (query: PageQuery) => Promise<Page<Item>>,
	signal?: AbortSignal,
): Promise<readonly Item[] | undefined> {
	const found: Item[] = [];
	for (let page = 1; page <= maxPages; page++) {
		const answer = await ifOffered(client, readPage({page, page_size: pageSize}), signal);
		if (!answer && page === 1) {
			return undefined;
		}

		const items = answer?.items ?? [];
		found.push(...items);
		if (items.length === 0 || found.length >= (answer?.total ?? 0)) {
			break;
		}
	}

	return found;
}
