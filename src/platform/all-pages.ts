import type {Client} from '../client/client.ts';
import {ifOffered} from '../client/extension.ts';

const pageSize = 100;
const maxPages = 10;

/** What a list of the server is asked for. */
export type PageQuery = {readonly page: number; readonly page_size: number; readonly cursor?: string};

type Page<Item> = {
	readonly items?: readonly Item[];
	readonly total?: number;
	readonly next_cursor?: string | null | undefined;
};

/**
 * Returns the entries of all pages of a list, at most the first 1,000; undefined if the server doesn't offer the list. Follows
 * the cursors of a server that gives them, so that no entry moves to a page that was read.
 * Throws as `ifOffered` does.
 */
export async function readAllPages<Item>(
	client: Pick<Client, 'listOrganizations'>,
	readPage: (query: PageQuery) => Promise<Page<Item>>,
	signal?: AbortSignal,
): Promise<readonly Item[] | undefined> {
	const found: Item[] = [];
	let cursor: string | null | undefined;
	for (let page = 1; page <= maxPages; page++) {
		const query = {page, page_size: pageSize, ...(cursor && {cursor})};
		const answer = await ifOffered(client, readPage(query), signal);
		if (!answer && page === 1) {
			return undefined;
		}

		const items = answer?.items ?? [];
		found.push(...items);
		cursor = answer?.next_cursor;
		const isLast = cursor === undefined ? found.length >= (answer?.total ?? 0) : cursor === null;
		if (items.length === 0 || isLast) {
			break;
		}
	}

	return found;
}
