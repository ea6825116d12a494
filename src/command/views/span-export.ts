import type {Client} from '../../client/client.ts';
import type {AnswerOf, CallOf} from '../../contract/endpoint.ts';
import type {operations} from '../../contract/extensions.ts';
import {originalOf} from '../../contract/lenient.ts';
import {isJsonObject} from '../../core/json.ts';
import type {StreamItem} from '../result.ts';

type Export = (typeof operations)['exportSpans'];

/**
 * Returns the spans of a workspace, page by page, so that no more than one page is in memory: a line of JSON each. Throws what
 * the request of the first page does.
 */
export async function exportSpans(
	client: Client,
	{params, query}: CallOf<Export>,
	signal: AbortSignal,
): Promise<AsyncIterable<readonly StreamItem[]>> {
	const read = (after?: string) => client.exportSpans({params, query: {...query, after}}, signal);
	return pagesFrom(await read(), read);
}

/**
 * Returns the spans of all workspaces of an organization that the user may read, as `exportSpans` does, each with the slug of its
 * workspace. Throws what the first request does.
 */
export async function exportOrganizationSpans(
	client: Client,
	params: {readonly org: string},
	signal: AbortSignal,
): Promise<AsyncIterable<readonly StreamItem[]>> {
	const read = (page: number, cursor?: string | null) =>
		client.listWorkspaces({params, query: {page, page_size: 200, ...(cursor && {cursor})}}, signal);
	const first = await read(1);
	return (async function* workspaces() {
		// A server without cursors has pages by their number until one is empty.
		for (let page = first, number = 1; (page.items ?? []).length > 0; page = await read(++number, page.next_cursor)) {
			for (const {slug: workspace = ''} of page.items ?? []) {
				const place = {params: {...params, workspace}, query: {}};
				for await (const lines of await exportSpans(client, place, signal)) {
					yield lines.map(line => inWorkspace(line, workspace));
				}
			}

			if (page.next_cursor === null) {
				return;
			}
		}
	})();
}

function inWorkspace(line: StreamItem, workspace: string): StreamItem {
	const data = {workspace, ...(isJsonObject(line.data) ? line.data : {})};
	return {kind: 'line', text: JSON.stringify(data), data};
}

async function* pagesFrom(
	first: AnswerOf<Export>,
	read: (after: string) => Promise<AnswerOf<Export>>,
): AsyncGenerator<readonly StreamItem[]> {
	for (let page = first; ; ) {
		yield (Array.isArray(page.items) ? page.items : []).map(item => {
			const data = originalOf(item);
			return {kind: 'line', text: JSON.stringify(data), data};
		});
		if (!page.next) {
			return;
		}

		page = await read(page.next);
	}
}
