import {setTimeout as sleep} from 'node:timers/promises';
import {isJsonObject, type JsonObject, parseJson} from '../core/json.ts';
import {readSmallFile, updateSmallFile} from '../storage/small-file.ts';

const sightingKinds = ['session', 'runtime', 'environment'] as const;

/**
 * Something of a server that was seen, with what was said of it then. The API lists none of these, so that this is all
 * one can know without asking. Every text is untrusted.
 */
export type Sighting = {
	readonly kind: (typeof sightingKinds)[number];
	readonly id: string;
	readonly profile: string;
	/** Origin of the server: an id means nothing at another one, also where the profile changed its server since. */
	readonly server: string;
	readonly org: string | undefined;
	readonly workspace: string | undefined;
	/** When `shown` was said; ISO 8601 in UTC. */
	readonly at: string;
	/** Fields of the API's own object, without credentials; empty where the id alone is known. */
	readonly shown: JsonObject;
};

/** What was seen lately, of all servers. It is a comfort: nothing here ever throws. */
export type Sightings = {
	/** Keeps sightings, the first one as the newest. Returns at once and writes later. */
	readonly remember: (seen: readonly Sighting[]) => void;
	/** Drops everything of a profile that is no more. Returns at once and writes later. */
	readonly forget: (profile: string) => void;
	/** The newest first, with what this process has just seen. */
	readonly recall: () => Promise<readonly Sighting[]>;
	/** Resolves when everything is written, at the latest after half a second: a process is about to end. */
	readonly settle: () => Promise<void>;
};

const mostSightings = 300;
/** So that what is short-lived, as all of the embedded server is, does not push out what is not. */
const mostOfProfile = 60;
const settleTimeoutMs = 500;

/** An id that can be given back as one word of a command line; as completion takes them. */
const plainId = /^(?!-)[^\s'"`\\$\p{C}]{1,128}$/u;

type Change = (sightings: readonly Sighting[]) => readonly Sighting[];

/** Opens the file at `path`, in the state folder; it need not exist. Processes may share it (SAFETY 10, 18). */
export function openSightings(path: string): Sightings {
	let writing: Promise<unknown> = Promise.resolve();

	const later = (change: Change) => {
		writing = writing
			.then(() => updateSmallFile(path, before => print(change(parse(before)))))
			// What cannot be kept is no reason to stop.
			.catch(() => undefined);
	};

	const settle = () => Promise.race([writing.then(() => undefined), sleep(settleTimeoutMs, undefined, {ref: false})]);

	return {
		remember(seen) {
			const plain = seen.filter(({id}) => plainId.test(id));
			if (plain.length > 0) {
				later(before => plain.reduceRight(withSighting, before));
			}
		},
		forget(profile) {
			later(before => before.filter(sighting => sighting.profile !== profile));
		},
		async recall() {
			await settle();
			try {
				return parse(readSmallFile(path));
			} catch {
				return [];
			}
		},
		settle,
	};
}

/** The newest in front, once: under its id alone where it was known by its key before. An id alone replaces nothing. */
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
	const ofProfile = others.filter(({profile}) => profile === seen.profile).slice(0, mostOfProfile - 1);
	const kept = others.filter(sighting => sighting.profile !== seen.profile || ofProfile.includes(sighting));
	return [newest, ...kept].slice(0, mostSightings);
}

/** Reads leniently: what is no sighting is passed over. */
function parse(text: string | undefined): readonly Sighting[] {
	const file = parseJson(text ?? '');
	const list = isJsonObject(file) ? file['seen'] : undefined;
	return Array.isArray(list) ? list.flatMap(entry => toSighting(entry) ?? []).slice(0, mostSightings) : [];
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

function print(seen: readonly Sighting[]): string {
	return `${JSON.stringify({seen})}\n`;
}
