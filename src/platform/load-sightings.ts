import type {Sighting} from '../config/sightings.ts';
import {groupBy} from '../core/group-by.ts';
import type {PlatformSession} from './platform-session.ts';
import {mostRows} from './seen-ids.ts';
import {lists} from './whole-ids.ts';

/**
 * Asks the server of a session once for each list with a sighting of which only the id is known; the answers are remembered.
 * Never throws: a server may lack the list.
 */
export async function loadSightings(
	{client, profile, server}: PlatformSession,
	sightings: readonly Sighting[],
	signal: AbortSignal,
): Promise<void> {
	const unknown = sightings.filter(
		seen => seen.profile === profile && seen.server === server && Object.keys(seen.shown).length === 0,
	);
	const groups = groupBy(unknown, ({kind, org, workspace}) => [kind, org, workspace].join(' '));
	await Promise.allSettled(
		[...groups.values()].flatMap(([first]) => {
			const {kind, org, workspace} = first ?? {};
			return kind && org && workspace
				? [lists[kind](client, {org, workspace})({page: 1, page_size: mostRows}, signal)]
				: [];
		}),
	);
}
