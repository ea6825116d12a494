import type {Client} from '../client/client.ts';
import type {Scope} from '../contract/endpoint.ts';
import {AppError} from '../core/error.ts';
import {type PageQuery, readAllPages} from './all-pages.ts';

type Lists = Pick<Client, 'listOrganizations' | 'listWorkspaces' | 'listProjects'>;
type Listed = {readonly slug?: string; readonly id?: string};

/**
 * Checks that a scope exists before it is saved, as far as the server lists its parts. Throws `AppError("not-found")` with
 * the ones that exist.
 */
export async function checkScope(
	client: Lists,
	{org, workspace, project}: Readonly<Partial<Record<Scope, string | undefined>>>,
	{host, signal}: {readonly host: string; readonly signal: AbortSignal},
): Promise<void> {
	const check = async (
		label: string,
		wanted: string,
		readPage: (query: PageQuery) => Promise<{readonly items?: readonly Listed[]}>,
	) => {
		const items = await readAllPages(client, readPage, signal);
		if (items && !items.some(({slug, id}) => slug === wanted || id === wanted)) {
			const slugs = items.flatMap(({slug}) => slug ?? []);
			throw new AppError('not-found', `Not found on ${host}: ${label} “${wanted}”.`, {
				hint: slugs.length > 0 ? `Available: ${slugs.join(', ')}.` : `You belong to no ${label} there.`,
			});
		}
	};

	if (!org) {
		return;
	}

	await check('organization', org, query => client.listOrganizations({query}, signal));
	if (workspace) {
		await check('workspace', workspace, query => client.listWorkspaces({params: {org}, query}, signal));
		if (project) {
			await check('project', project, query => client.listProjects({params: {org, workspace}, query}, signal));
		}
	}
}
