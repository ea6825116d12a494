import {setTimeout as sleep} from 'node:timers/promises';
import {isJsonObject, parseJson} from '../core/json.ts';
import {stampOf} from '../storage/file-stamp.ts';
import {readSmallFile, updateSmallFile} from '../storage/small-file.ts';

/** Kinds of things that have an id. */
export const recentKinds = [
	'org',
	'workspace',
	'project',
	'session',
	'runtime',
	'environment',
	'task',
	'run',
	'item',
	'evaluation',
	'assessment',
	'finding',
	'trace',
	'user',
	'key',
] as const;
export type RecentKind = (typeof recentKinds)[number];

/** An id that was in a request or a response. */
export type SeenId = {readonly kind: RecentKind; readonly id: string};

/** Recently seen ids by profile, for completion. A convenience: nothing here ever throws. */
export type Recents = {
	/** Adds ids, the first one as the newest. Returns at once and writes later. */
	readonly remember: (profile: string, seen: readonly SeenId[]) => void;
	/** Removes everything of a deleted profile. Returns at once and writes later. */
	readonly forget: (profile: string) => void;
	/** Returns ids of one kind, newest first, including those just added. Synchronous, because a key press waits for it. */
	readonly recall: (profile: string, kind: RecentKind) => readonly string[];
	/** Resolves once everything is written, or after half a second, for a process about to exit. */
	readonly settle: () => Promise<void>;
};

const maxIds = 30;
const maxProfiles = 20;
const settleTimeoutMs = 500;

/** An id that is safe as one word of a command line: no blank, quote, control or invisible character, and no flag. */
const plainId = /^(?!-)[^\s'"`\\$\p{C}]{1,128}$/u;

type Profiles = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

type Change = (profiles: Profiles) => Profiles;

/** Opens the file at `path`, in the state folder; it need not exist. Processes may share it (SAFETY 10, 18). */
export function openRecents(path: string): Recents {
	let cached: {readonly stamp: string; readonly profiles: Profiles} | undefined;
	let writing: Promise<unknown> = Promise.resolve();
	/** Changes not yet written; one write applies all of them. */
	let pending: readonly Change[] = [];

	const write = async () => {
		const changes = pending;
		if (changes.length > 0) {
			try {
				await updateSmallFile(path, before => print(withAll(parse(before), changes)));
			} finally {
				pending = pending.slice(changes.length);
			}
		}
	};

	const read = (): Profiles => {
		const stamp = stampOf(path);
		if (cached?.stamp !== stamp) {
			cached = {stamp, profiles: parse(readSmallFile(path))};
		}

		return withAll(cached.profiles, pending);
	};

	const later = (change: Change) => {
		pending = [...pending, change];
		writing = writing.then(write).catch(() => undefined);
	};

	return {
		remember(profile, seen) {
			const plain = seen.filter(({id}) => plainId.test(id));
			if (plain.length > 0) {
				later(profiles => merge(profiles, profile, plain));
			}
		},
		forget(profile) {
			later(profiles => new Map([...profiles].filter(([name]) => name !== profile)));
		},
		recall(profile, kind) {
			try {
				return read().get(profile)?.get(kind) ?? [];
			} catch {
				return [];
			}
		},
		settle: () => Promise.race([writing.then(() => undefined), sleep(settleTimeoutMs, undefined, {ref: false})]),
	};
}

function withAll(profiles: Profiles, changes: readonly Change[]): Profiles {
	return changes.reduce((before, change) => change(before), profiles);
}

/** Moves the profile to the end and its ids to the front; drops what exceeds the limits. */
function merge(profiles: Profiles, profile: string, seen: readonly SeenId[]): Profiles {
	const kinds = new Map(profiles.get(profile));
	for (const {kind, id} of seen.toReversed()) {
		kinds.set(kind, [id, ...(kinds.get(kind) ?? []).filter(other => other !== id)].slice(0, maxIds));
	}

	const others = [...profiles].filter(([name]) => name !== profile);
	return new Map([...others, [profile, kinds] as const].slice(-maxProfiles));
}

/** Reads leniently: skips whatever is not a list of ids. */
function parse(text: string | undefined): Profiles {
	const file = parseJson(text ?? '');
	const profiles = isJsonObject(file) ? file['profiles'] : undefined;
	return new Map(
		entriesOf(profiles).map(([name, kinds]) => [
			name,
			new Map(entriesOf(kinds).map(([kind, ids]) => [kind, idsOf(ids)])),
		]),
	);
}

function entriesOf(value: unknown): ReadonlyArray<readonly [string, unknown]> {
	return isJsonObject(value) ? Object.entries(value) : [];
}

function idsOf(value: unknown): readonly string[] {
	return Array.isArray(value) ? value.filter(id => typeof id === 'string' && plainId.test(id)).slice(0, maxIds) : [];
}

function print(profiles: Profiles): string {
	const plain = [...profiles].map(([name, kinds]) => [name, Object.fromEntries(kinds)] as const);
	return `${JSON.stringify({profiles: Object.fromEntries(plain)})}\n`;
}
