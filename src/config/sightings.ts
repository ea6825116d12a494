import {isJsonObject, type JsonObject, parseJson} from '../core/json.ts';
import {openKeptFile} from '../storage/kept-file.ts';
import {plainId} from './recents.ts';

const sightingKinds = ['session', 'runtime', 'environment'] as const;

/**
 * A session, runtime or environment that a server returned, as it was then. Not every server can list them, so this is all
 * that is known without a request. Every text is untrusted.
 */
export type Sighting = {
	readonly kind: (typeof sightingKinds)[number];
	readonly id: string;
	readonly profile: string;
	/** Origin of the server: an id means nothing on another one, and the profile may have changed its server since. */
	readonly server: string;
	readonly org: string | undefined;
	readonly workspace: string | undefined;
	/** When `shown` was received; ISO 8601 in UTC. */
	readonly at: string;
	/** Fields of the API's object, without credentials; empty if only the id is known. */
	readonly shown: JsonObject;
};

/** Recent sightings of all servers. A convenience: nothing here ever throws. */
export type Sightings = {
	/** Adds sightings, the first one as the newest. Returns at once and writes later. */
	readonly remember: (seen: readonly Sighting[]) => void;
	/** Removes everything of a deleted profile. Returns at once and writes later. */
	readonly forget: (profile: string) => void;
	/** Returns all sightings, newest first, including those just added. */
	readonly recall: () => Promise<readonly Sighting[]>;
	/** Resolves once everything is written, or after `timeoutMs`; half a second by default, for a process about to exit. */
	readonly settle: (timeoutMs?: number) => Promise<void>;
};

const maxSightings = 300;
/** Keeps short-lived things, such as everything on the embedded server, from evicting others. */
const maxPerProfile = 60;

/** Opens the file at `path`, in the state folder; it need not exist. Processes may share it (SAFETY 10, 18). */
export function openSightings(path: string): Sightings {
	const file = openKeptFile<readonly Sighting[]>(path, {parse, print: seen => `${JSON.stringify({seen})}\n`});
	return {
		remember(seen) {
			const plain = seen.filter(({id}) => plainId.test(id));
			if (plain.length > 0) {
				file.updateLater(before => plain.reduceRight(withSighting, before));
			}
		},
		forget: profile => file.updateLater(before => before.filter(sighting => sighting.profile !== profile)),
		async recall() {
			await file.settle();
			return file.recall();
		},
		settle: file.settle,
	};
}

/** Puts the newest first, once, even if it was known by its key before. A sighting with only an id keeps the old fields. */
function withSighting(sightings: readonly Sighting[], seen: Sighting): readonly Sighting[] {
	const isSame = ({kind, id, profile, server}: Sighting) =>
		kind === seen.kind &&
		profile === seen.profile &&
		server === seen.server &&
		(id.toLowerCase() === seen.id.toLowerCase() || id === seen.shown['key']);
	const before = sightings.find(isSame);
	const isEmpty = Object.keys(seen.shown).length === 0;
	const newest = before && isEmpty ? before : seen;
	const others = sightings.filter(sighting => !isSame(sighting));
	const ofProfile = others.filter(({profile}) => profile === seen.profile).slice(0, maxPerProfile - 1);
	const kept = others.filter(sighting => sighting.profile !== seen.profile || ofProfile.includes(sighting));
	return [newest, ...kept].slice(0, maxSightings);
}

/** Reads leniently: skips whatever is not a sighting. */
function parse(text: string | undefined): readonly Sighting[] {
	const file = parseJson(text ?? '');
	const list = isJsonObject(file) ? file['seen'] : undefined;
	return Array.isArray(list) ? list.flatMap(entry => toSighting(entry) ?? []).slice(0, maxSightings) : [];
}

function toSighting(entry: unknown): Sighting | undefined {
	if (!isJsonObject(entry)) {
		return undefined;
	}

	const {id, profile, server, at, shown, org, workspace} = entry;
	const kind = sightingKinds.find(name => name === entry['kind']);
	const isWhole =
		typeof id === 'string' &&
		plainId.test(id) &&
		typeof profile === 'string' &&
		typeof server === 'string' &&
		typeof at === 'string' &&
		isJsonObject(shown);
	return kind && isWhole
		? {kind, id, profile, server, org: textOf(org), workspace: textOf(workspace), at, shown}
		: undefined;
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}
