import {isJsonObject, parseJson} from '../core/json.ts';
import {openKeptFile, withNewest, withoutEntry} from '../storage/kept-file.ts';

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
	'member',
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
	/** Resolves once everything is written, or after `timeoutMs`; half a second by default, for a process about to exit. */
	readonly settle: (timeoutMs?: number) => Promise<void>;
};

const maxIds = 30;
const maxProfiles = 20;

/** An id that is safe as one word of a command line: no blank, quote, control or invisible character, and no flag. */
export const plainId = /^(?!-)[^\s'"`\\$\p{C}]{1,128}$/u;

type Profiles = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/** Opens the file at `path`, in the state folder; it need not exist. Processes may share it (SAFETY 10, 18). */
export function openRecents(path: string): Recents {
	const file = openKeptFile<Profiles>(path, {parse, print});
	return {
		remember(profile, seen) {
			const plain = seen.filter(({id}) => plainId.test(id));
			if (plain.length > 0) {
				file.updateLater(profiles => merge(profiles, profile, plain));
			}
		},
		forget: profile => file.updateLater(profiles => withoutEntry(profiles, profile)),
		recall: (profile, kind) => file.recall().get(profile)?.get(kind) ?? [],
		settle: file.settle,
	};
}

/** Moves the profile to the end and its ids to the front; drops what exceeds the limits. */
function merge(profiles: Profiles, profile: string, seen: readonly SeenId[]): Profiles {
	const kinds = new Map(profiles.get(profile));
	for (const {kind, id} of seen.toReversed()) {
		kinds.set(kind, [id, ...(kinds.get(kind) ?? []).filter(other => other !== id)].slice(0, maxIds));
	}

	return withNewest(profiles, profile, kinds, maxProfiles);
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
