import type {RecentKind} from '../../config/recents.ts';
import type {Sighting} from '../../config/sightings.ts';
import type {JsonObject} from '../../core/json.ts';
import type {CommandContext} from '../context.ts';
import {looseTable} from '../render/loose-table.ts';
import type {Result} from '../result.ts';

type Where = {
	readonly server: string;
	readonly profile: string;
	/** What it lists, in the plural. */
	readonly name: string;
	readonly kind: RecentKind;
	readonly columns: readonly string[];
};

/** Returns what this machine has seen of a server that offers no list, newest first, with a note that says so. */
export async function seenTable(context: CommandContext, where: Where): Promise<Result> {
	const {server, name, columns} = where;
	const items = await seenItems(context, where);
	const first = [...columns, 'seen_at'];
	return looseTable({
		items,
		first,
		hides: field => !first.includes(field),
		empty: `${server} doesn't list ${name}, and this machine has seen none. Name one by its id.`,
		notes: items.length > 0 ? [`${server} doesn't list ${name}. These were seen on this machine.`] : [],
		data: {items, source: 'seen on this machine'},
	});
}

async function seenItems(
	{sightings, recents, flags}: CommandContext,
	{server, profile, kind, columns}: Where,
): Promise<readonly JsonObject[]> {
	const {org, workspace} = flags;
	const isAsked = (sighting: Sighting) =>
		sighting.kind === kind &&
		sighting.profile === profile &&
		sighting.server === server &&
		(org === undefined || sighting.org === org) &&
		(workspace === undefined || sighting.workspace === workspace);
	const seen = (await sightings.recall()).filter(isAsked).map(({id, shown, at}) => ({id, ...shown, seen_at: at}));
	const [field = 'id'] = columns;
	return seen.length > 0 ? seen : recents.recall(profile, kind).map(id => ({[field]: id}));
}
