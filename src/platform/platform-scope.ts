import type {Client} from '../client/client.ts';
import type {Recents} from '../config/recents.ts';
import type {Scope} from '../contract/endpoint.ts';
import {uuidPrefix} from '../contract/parameters.ts';
import {uuid} from '../contract/scalars.ts';
import {AppError, isAbort} from '../core/error.ts';
import {onlyMatch} from '../core/only-match.ts';
import type {Origin} from '../core/origin.ts';
import {minPrefixLength} from '../core/uuid.ts';
import {type PageQuery, readAllPages} from './all-pages.ts';
import type {Interaction} from './interaction.ts';

/** Returns the parts of the scope that an operation needs, as `params` take them. */
export type ScopeOf = <Name extends Scope>(...names: readonly Name[]) => Promise<Readonly<Record<Name, string>>>;

/** An organization, workspace or project that the command may mean. */
type Candidate = {readonly slug: string; readonly id?: string; readonly name?: string};

type Dependencies = {
	readonly client: Client;
	readonly server: Origin;
	readonly profile: string;
	/** The parts that flags, environment and profile name. */
	readonly given: Readonly<Record<Scope, string | undefined>>;
	readonly recents: Recents;
	/** Asks the user; left out if there is no user to ask. */
	readonly choose?: Interaction['choose'] | undefined;
	/** Saves what the user chose for later commands. */
	readonly keep: (name: Scope, slug: string) => Promise<void>;
	readonly signal?: AbortSignal | undefined;
};

const labels: Readonly<Record<Scope, string>> = {org: 'organization', workspace: 'workspace', project: 'project'};

/**
 * Finds the scope of a command: what was given, else the only one that exists, else the one that the user chooses, once.
 * If the server lists none of them, the ones seen on this machine count. Throws `AppError("usage")` with the candidates
 * and the flag that selects one if the user can't be asked.
 */
export function createPlatformScope(dependencies: Dependencies) {
	const {client, server, profile, given, recents, choose, keep, signal} = dependencies;
	const found = new Map<Scope, Promise<string>>();

	const partOf = (name: Scope): Promise<string> => {
		const part = found.get(name) ?? (given[name] ? wholeName(name, given[name]) : find(name));
		found.set(name, part);
		part.catch(() => found.delete(name));
		return part;
	};

	const scope: ScopeOf = async (...names) => {
		const parts: [Scope, string][] = [];
		// In order: the workspaces depend on the organization, and only one question is open at a time.
		for (const name of names) {
			parts.push([name, await partOf(name)]);
		}

		return Object.fromEntries(parts) as Record<(typeof names)[number], string>;
	};

	const candidatesOf = async (name: Scope) =>
		listCandidates(client, name, name === 'org' ? {} : await scope(...parentsOf(name)), signal);

	const wholeName = async (name: Scope, text: string): Promise<string> =>
		isWhole(name, text) ? text : meantSlug(name, text, (await candidatesOf(name).catch(unlessAborted)) ?? []);

	const find = async (name: Scope): Promise<string> => {
		const listed = await candidatesOf(name);
		const candidates = listed ?? recents.recall(profile, name).map(slug => ({slug}));
		const [only] = candidates;
		if (only && candidates.length === 1) {
			return only.slug;
		}

		const title = `Select the ${labels[name]}${listed ? '' : ' (seen on this machine)'}`;
		const chosen = only && choose && (await askIfPossible(choose, title, candidates));
		if (!chosen) {
			throw notChosen(name, candidates, server);
		}

		await keep(name, chosen);
		return chosen;
	};

	return {
		scope,
		/** Returns the project that was given, for operations that require none. */
		project: async (): Promise<string | undefined> => (given.project ? await partOf('project') : undefined),
		/** Returns the UUID of the project, for operations that accept no slug. Throws `AppError("not-found")`. */
		async projectId(): Promise<string> {
			const project = await partOf('project');
			return uuid.safeParse(project).success
				? project
				: projectIdIn((await candidatesOf('project')) ?? [], project, server);
		},
	};
}

/** Returns the parts of the scope that contain this one. */
function parentsOf(name: Scope): readonly Scope[] {
	return name === 'project' ? ['org', 'workspace'] : name === 'workspace' ? ['org'] : [];
}

/** Returns what the server lists for one part of the scope; undefined if it has no such list. */
async function listCandidates(
	client: Client,
	name: Scope,
	{org = '', workspace = ''}: Readonly<Partial<Record<Scope, string>>>,
	signal: AbortSignal | undefined,
): Promise<readonly Candidate[] | undefined> {
	const readPage = {
		org: (query: PageQuery) => client.listOrganizations({query}, signal),
		workspace: (query: PageQuery) => client.listWorkspaces({params: {org}, query}, signal),
		project: (query: PageQuery) => client.listProjects({params: {org, workspace}, query}, signal),
	};
	const items = await readAllPages<Partial<Candidate>>(client, readPage[name], signal);
	return items?.flatMap(({slug, id, name: title}) => (slug ? [{slug, id, name: title}] : []));
}

/** Returns nothing for a list that can't be read: the operation itself tells why. Throws the error of an abort. */
function unlessAborted(error: unknown): undefined {
	if (isAbort(error)) {
		throw error;
	}
}

/** True for text that is no prefix of an id, and for the UUID of a project, which is accepted like its slug. */
function isWhole(name: Scope, text: string): boolean {
	return !isIdPrefix(text) || (name === 'project' && uuid.safeParse(text).success);
}

/** Returns the slug that a text means: itself, or that of the only id that starts with it. */
function meantSlug(name: Scope, text: string, candidates: readonly Candidate[]): string {
	const starts = ({id}: Candidate) => id?.toLowerCase().startsWith(text.toLowerCase());
	const matches = candidates.some(({slug}) => slug === text) ? [] : candidates.filter(starts);
	const hint = `Add --${name} ${matches[0]?.slug}, or another of them.`;
	const match = onlyMatch(text, matches, {noun: `${labels[name]} ids`, nameOf: ({slug}) => slug, hint});
	return match?.slug ?? text;
}

/** Returns what the user chose; undefined if they cancel or can't be asked. */
async function askIfPossible(
	choose: Interaction['choose'],
	title: string,
	candidates: readonly Candidate[],
): Promise<string | undefined> {
	try {
		return await choose({
			title,
			choices: candidates.map(({slug, name = ''}) => ({id: slug, label: slug, detail: name})),
		});
	} catch (error) {
		if (error instanceof AppError && error.code === 'usage') {
			return undefined;
		}

		throw error;
	}
}

function projectIdIn(projects: readonly Candidate[], project: string, server: string): string {
	const match = projects.find(({slug}) => slug === project);
	if (!match?.id) {
		throw new AppError('not-found', `Not found on ${server}: project “${project}”.`, {
			hint: 'Pass its UUID with --project. List projects: `project list`',
		});
	}

	return match.id;
}

/** True for text that may be a prefix of a UUID and is long enough to be meant as one. */
export function isIdPrefix(text: string): boolean {
	return text.length >= minPrefixLength && uuidPrefix.test(text);
}

function notChosen(name: Scope, candidates: readonly Candidate[], server: string): AppError {
	const slugs = candidates.map(({slug}) => slug);
	return slugs.length > 0
		? new AppError('usage', `No ${labels[name]} selected. Available: ${slugs.join(', ')}.`, {
				hint: `Add --${name} ${slugs[0]}, or another of them.`,
			})
		: new AppError('usage', `No ${labels[name]} selected, and ${server} lists none for you.`, {
				hint: `Add --${name} <slug>, or set SERVICE_${name.toUpperCase()}.`,
			});
}
