import type {ForeignClient} from '../core/foreign/foreign-session.ts';
import {readTranscript} from '../core/foreign/read-transcript.ts';
import {sessionsById} from '../storage/add-session.ts';
import {readTranscriptHeads} from '../storage/foreign/transcript-heads.ts';
import {realFolder} from '../storage/real-folder.ts';
import {type ImportPlace, idHere, titleHere, worksIn} from './import-sessions.ts';

/** A conversation of another client that was never imported, as its beginning tells. */
export type ForeignListing = {
	readonly path: string;
	readonly client: ForeignClient;
	/** Untrusted, without credentials; '' if its beginning has none. */
	readonly title: string;
	/** When it last changed, in milliseconds since the epoch. */
	readonly changedAt: number;
};

export type ForeignListings = {
	/** The latest first. */
	readonly sessions: readonly ForeignListing[];
	/** What was not looked at, in sentences. */
	readonly notes: readonly string[];
};

/** Most conversations that are listed. */
const maxListed = 50;

/** Lists the conversations of other clients in a folder that were never imported. Stops when the signal aborts. */
export async function listForeign(place: ImportPlace, signal: AbortSignal): Promise<ForeignListings> {
	const {home, env, folder} = place;
	const folders = [folder, realFolder(folder) ?? folder];
	const [{heads, unreadable, hasMore}, known] = await Promise.all([
		readTranscriptHeads(env, folders, signal),
		sessionsById(home),
	]);
	const sessions = heads.flatMap(({path, changedAt, lines}): ForeignListing[] => {
		const found = readTranscript(lines, path);
		return found && worksIn(found, folder) && !known.has(idHere(found, path))
			? [{path, client: found.client, title: titleHere(found, place), changedAt}]
			: [];
	});
	const notes = [
		...(unreadable > 0 ? [`${unreadable} ${unreadable === 1 ? 'file' : 'files'} of other clients can't be read.`] : []),
		...(hasMore || sessions.length > maxListed ? ['Other clients have more: `import`'] : []),
	];
	return {sessions: sessions.toSorted((one, other) => other.changedAt - one.changedAt).slice(0, maxListed), notes};
}
