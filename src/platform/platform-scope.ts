import type {Client} from '../client/client.ts';
import {ifOffered} from '../client/extension.ts';
import type {Recents} from '../config/recents.ts';
import type {Scope} from '../contract/endpoint.ts';
import {uuid} from '../contract/scalars.ts';
import {AppError} from '../core/error.ts';
import type {Origin} from '../core/origin.ts';
import type {Interaction} from './interaction.ts';

/** The parts of the scope that an operation needs, as `params` take them. */
export type ScopeOf = <Name extends Scope>(...names: readonly Name[]) => Promise<Readonly<Record<Name, string>>>;

/** An organization, workspace or project that can be meant. */
type Candidate = {readonly slug: string; readonly id?: string; readonly name?: string};

type Dependencies = {
	readonly client: Pick<Client, 'listOrganizations' | 'listWorkspaces' | 'listProjects'>;
	readonly server: Origin;
	readonly profile: string;
	/** What flags, environment and profile say of it. */
	readonly given: Readonly<Record<Scope, string | undefined>>;
	readonly recents: Pick<Recents, 'recall'>;
	/** Asks the user; left out where nobody can be asked. */
	readonly choose?: Interaction['choose'] | undefined;
	/** Keeps what the user chose for later commands. */
	readonly keep: (name: Scope, slug: string) => Promise<void>;
	readonly signal?: AbortSignal | undefined;
};

const labels: Readonly<Record<Scope, string>> = {org: 'organization', workspace: 'workspace', project: 'project'};
const page = {query: {page_size: 100}};

/**
 * Finds the scope of a command: what was given, else the only one that there is, else the one that the user chooses, once.
 * A server that lists none of them leaves what this machine has seen. Throws `usage` that lists them with the flag that
 * names one where nobody can be asked.
 */
export function createPlatformScope(dependencies: Dependencies) {
	const {client, server, profile, given, recents, choose, keep, signal} = dependencies;
	const found = new Map<Scope, Promise<string>>();

	const partOf = (name: Scope): Promise<string> => {
		const part = given[name] ? Promise.resolve(given[name]) : (found.get(name) ?? find(name));
		found.set(name, part);
		part.catch(() => found.delete(name));
		return part;
	};

	const listed = async (name: Scope): Promise<readonly Candidate[] | undefined> => {
		const ask = {
			org: async () => client.listOrganizations(page, signal),
			workspace: async () => client.listWorkspaces({params: {org: await partOf('org')}, ...page}, signal),
			project: async () => client.listProjects({params: await scope('org', 'workspace'), ...page}, signal),
		};
		const answer = await ifOffered(client, ask[name](), signal);
		return answer?.items?.flatMap(({slug, id, name: title}) => (slug ? [{slug, id, name: title}] : []));
	};

	const find = async (name: Scope): Promise<string> => {
		const onServer = await listed(name);
		const candidates = onServer ?? recents.recall(profile, name).map(slug => ({slug}));
		const [only] = candidates;
		if (only && candidates.length === 1) {
			return only.slug;
		}

		const asked = only && (await ask(name, candidates, onServer !== undefined));
		if (!asked) {
			throw notChosen(name, candidates, server);
		}

		await keep(name, asked);
		return asked;
	};

	/** Undefined where nobody can be asked, or the user cancels. */
	const ask = async (name: Scope, candidates: readonly Candidate[], isListed: boolean) => {
		try {
			return await choose?.({
				title: isListed ? `Select the ${labels[name]}` : `Select the ${labels[name]} (seen on this machine)`,
				choices: candidates.map(({slug, name: title}) => ({id: slug, label: slug, detail: title ?? ''})),
			});
		} catch (error) {
			if (error instanceof AppError && error.code === 'usage') {
				return undefined;
			}

			throw error;
		}
	};

	const scope: ScopeOf = async (...names) => {
		const parts: [Scope, string][] = [];
		// One after the other: the workspaces are those of the organization, and one question is open at a time.
		for (const name of names) {
			parts.push([name, await partOf(name)]);
		}

		return Object.fromEntries(parts) as Record<(typeof names)[number], string>;
	};

	return {
		scope,
		/** The UUID of the project, for operations that take no slug. Throws `not-found`. */
		async projectId(): Promise<string> {
			const project = await partOf('project');
			if (uuid.safeParse(project).success) {
				return project;
			}

			const known = (await listed('project')) ?? [];
			const isMeant = ({slug, id}: Candidate) => slug === project || (isIdPrefix(project) && id?.startsWith(project));
			const [match, ...others] = known.filter(isMeant);
			if (!match?.id || others.length > 0) {
				throw new AppError('not-found', `Not found on ${server}: project “${project}”.`, {
					hint: 'Pass its UUID with --project. List projects: `project list`',
				});
			}

			return match.id;
		},
	};
}

/** True for text that may be the beginning of a UUID, long enough to be meant so. */
export function isIdPrefix(text: string): boolean {
	return /^[\da-f]{4}[\da-f-]{0,32}$/i.test(text);
}

function notChosen(name: Scope, candidates: readonly Candidate[], server: string): AppError {
	const slugs = candidates.map(({slug}) => slug);
	return slugs.length > 0
		? new AppError('usage', `No ${labels[name]} selected. There are: ${slugs.join(', ')}.`, {
				hint: `Add --${name} ${slugs[0]}, or another of them.`,
			})
		: new AppError('usage', `No ${labels[name]} selected, and ${server} lists none for you.`, {
				hint: `Add --${name} <slug>, or set SERVICE_${name.toUpperCase()}.`,
			});
}
