import type {Entries, Entry} from '../context.ts';

/** Adds slash commands while the program runs: prompt files, skills, or prompts of MCP servers. */
export type EntrySource = {
	/** What the commands are, for a sentence about them: `prompt file`. */
	readonly kind: string;
	/** Returns the commands as they were read last: called for each key. The same list until they change. */
	readonly entries: () => readonly Entry[];
	/** True if names that are taken are left out in silence. */
	readonly yields?: true;
	/** Reads again what the commands come from, when the user begins a slash line. */
	readonly refresh: () => Promise<void>;
};

/**
 * Offers the names that other programs use for the built-in commands. Their table is loaded when the user begins a slash line.
 */
export function familiarEntries(builtIn: readonly Entry[]): EntrySource {
	let entries: readonly Entry[] = [];
	return {
		kind: 'familiar name',
		yields: true,
		entries: () => entries,
		async refresh() {
			if (entries.length === 0) {
				const {familiarNames} = await import('./familiar-names.ts');
				entries = familiarNames(builtIn);
			}
		},
	};
}

/** Joins the built-in commands and those of sources. Of several with one name, the first one wins. */
export function joinEntries(builtIn: readonly Entry[], sources: readonly EntrySource[]): Entries {
	let read: readonly (readonly Entry[])[] = [];
	let joined: Joined = {all: builtIn, taken: []};
	const told = new Set<string>();

	const join = () => {
		const now = sources.map(source => source.entries());
		if (now.length !== read.length || now.some((entries, index) => entries !== read[index])) {
			read = now;
			joined = joinAll(builtIn, sources, now);
		}

		return joined;
	};

	return {
		all: () => join().all,
		async refresh() {
			await Promise.allSettled(sources.map(source => source.refresh()));
			const unknown = join().taken.filter(sentence => !told.has(sentence));
			for (const sentence of unknown) {
				told.add(sentence);
			}

			return unknown;
		},
	};
}

type Joined = {readonly all: readonly Entry[]; readonly taken: readonly string[]};

function joinAll(
	builtIn: readonly Entry[],
	sources: readonly EntrySource[],
	added: readonly (readonly Entry[])[],
): Joined {
	const owners = new Map<string, string>(
		builtIn.flatMap(entry => namesOf(entry).map(name => [name, 'a built-in command'] as const)),
	);
	const all = [...builtIn];
	const taken: string[] = [];
	for (const [index, {kind, yields}] of sources.entries()) {
		for (const entry of added[index] ?? []) {
			const owner = owners.get(entry.name);
			if (owner === undefined) {
				all.push(entry);
				owners.set(entry.name, `a ${kind}`);
			} else if (!yields) {
				taken.push(`The ${kind} “${entry.name}” is not available: /${entry.name} is ${owner}. Rename it.`);
			}
		}
	}

	return {all: all.length > builtIn.length ? all : builtIn, taken};
}

function namesOf(entry: Entry): readonly string[] {
	return [entry.name, ...(entry.aliases ?? [])];
}
