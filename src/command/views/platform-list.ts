import {assertServer, ifOffered} from '../../client/extension.ts';
import type {RecentKind} from '../../config/recents.ts';
import {originalOf} from '../../contract/lenient.ts';
import {isJsonObject} from '../../core/json.ts';
import type {PlatformSession} from '../../platform/platform-session.ts';
import type {CommandContext} from '../context.ts';
import {looseTable} from '../render/loose-table.ts';
import type {Result} from '../result.ts';
import {seenItems, seenTable} from './seen-table.ts';

export type ListPage = {readonly items?: readonly object[]; readonly total?: number};

type Flags = {readonly page?: number | undefined; readonly pageSize?: number | undefined};

/** How a list is shown. */
export type ListView = {
	/** What it lists, in the plural; and one of it, as completion names it. */
	readonly name: string;
	readonly kind: RecentKind;
	/** The command as the user types it. */
	readonly line: string;
	/** Fields of an entry. Each one that an entry has is a column. */
	readonly columns: readonly string[];
	/** Shown if the list is empty. */
	readonly empty: string;
	/** The command that shows one entry, and the field that is its last word. */
	readonly opens?: {readonly words: readonly string[]; readonly by: string};
};

/** Returns a list of the server; if the server doesn't offer it, what was seen of it on this machine. */
export async function platformList(
	context: CommandContext,
	{client, server, profile}: PlatformSession,
	page: Promise<ListPage>,
	view: ListView,
	flags: Flags,
): Promise<Result> {
	const answer = await ifOffered(client, page, context.signal);
	if (!answer) {
		const seen = await seenItems(context, {server, profile, ...view});
		if (seen.length === 0) {
			await assertServer(client, server, context.signal);
		}

		return seenTable(seen, {server, ...view});
	}

	const items = (answer.items ?? []).filter(isJsonObject);
	const {columns, empty, line, opens, name} = view;
	const total = answer.total ?? items.length;
	return looseTable({
		items,
		first: columns,
		hides: field => !columns.includes(field),
		empty: total > 0 ? `No ${name} on page ${flags.page ?? 1}; there are ${total} in all.` : empty,
		notes: nextPage(line, flags, total),
		...(opens && {
			opens: {
				words: opens.words,
				ids: items.map(item => (typeof item[opens.by] === 'string' ? `${item[opens.by]}` : '')),
			},
		}),
		data: originalOf(answer),
	});
}

/** Returns how to see the next page, if there is one. */
function nextPage(line: string, {page = 1, pageSize = 50}: Flags, total: number): readonly string[] {
	const pages = Math.ceil(total / pageSize);
	const size = pageSize === 50 ? '' : ` --page-size ${pageSize}`;
	return page < pages ? [`Page ${page} of ${pages}. Next: \`${line} --page ${page + 1}${size}\``] : [];
}
