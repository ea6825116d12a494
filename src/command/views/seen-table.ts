import type {RecentKind} from '../../config/recents.ts';
import type {Sighting} from '../../config/sightings.ts';
import type {JsonObject} from '../../core/json.ts';
import type {CommandContext} from '../context.ts';
import {looseTable} from '../render/loose-table.ts';
import type {Result} from '../result.ts';

/** What is listed: its name in the plural, and its fields. */
type Listed = {readonly server: string; readonly name: string; readonly columns: readonly string[]};

type Where = Pick<Listed, 'server' | 'columns'> & {readonly profile: string; readonly kind: RecentKind};

/** Returns the table of what this machine has seen of a server that offers no list, with a note that says so. */
export function seenTable(items: readonly JsonObject[], {server, name, columns}: Listed): Result {
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

/** Returns what this machine has seen of a server, newest first. */
export async function seenItems(
	{
		program: {
			local: {sightings, recents},
		},
		flags,
	}: CommandContext,
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
