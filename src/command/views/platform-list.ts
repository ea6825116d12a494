import {ifOffered} from '../../client/extension.ts';
import type {RecentKind} from '../../config/recents.ts';
import {originalOf} from '../../contract/lenient.ts';
import {isJsonObject} from '../../core/json.ts';
import type {PlatformSession} from '../../platform/platform-session.ts';
import type {CommandContext} from '../context.ts';
import {pageQuery} from '../paging.ts';
import {looseTable} from '../render/loose-table.ts';
import type {Result} from '../result.ts';
import {seenTable} from './seen-table.ts';

type Page = {readonly items?: readonly object[]; readonly total?: number};

type Flags = {readonly page?: number | undefined; readonly pageSize?: number | undefined};

/** How a list is shown. */
type Shown = {
	/** What it lists, in the plural and as completion calls one of it. */
	readonly name: string;
	readonly kind: RecentKind;
	/** The command as it is typed. */
	readonly line: string;
	/** Fields of an entry, each a column where an entry has it. */
	readonly columns: readonly string[];
	/** Said where there are none at all. */
	readonly empty: string;
	/** The words that show one entry, and the field that is put behind them. */
	readonly opens?: {readonly words: readonly string[]; readonly by: string};
	readonly flags: Flags;
};

/** The query of a list: its page, and the project that `--project` names. */
export function listQuery(flags: Flags, {project}: CommandContext['flags']) {
	return {...pageQuery(flags), ...(project !== undefined && {project})};
}

/** A list of the server; where it offers none, what this machine has seen of it. */
export async function platformList(
	context: CommandContext,
	{client, server, profile}: PlatformSession,
	asked: Promise<Page>,
	shown: Shown,
): Promise<Result> {
	const answer = await ifOffered(client, asked, context.signal);
	if (!answer) {
		return await seenTable(context, {server, profile, ...shown});
	}

	const items = (answer.items ?? []).filter(isJsonObject);
	const {columns, empty, flags, line, opens, name} = shown;
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

/** How to see the next page, where there is one. */
function nextPage(line: string, {page = 1, pageSize = 50}: Flags, total: number): readonly string[] {
	const pages = Math.ceil(total / pageSize);
	const size = pageSize === 50 ? '' : ` --page-size ${pageSize}`;
	return page < pages ? [`Page ${page} of ${pages}. Next: \`${line} --page ${page + 1}${size}\``] : [];
}
