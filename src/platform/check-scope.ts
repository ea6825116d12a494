import type {Client} from '../client/client.ts';
import {ifOffered} from '../client/extension.ts';
import type {Scope} from '../contract/endpoint.ts';
import {AppError} from '../core/error.ts';

type Lists = Pick<Client, 'listOrganizations' | 'listWorkspaces' | 'listProjects'>;
type Listed = {readonly slug?: string; readonly id?: string};

const page = {query: {page_size: 100}};

/**
 * Checks that a scope to be kept exists, as far as the server lists such things. Throws `not-found` with the ones that
 * there are.
 */
export async function checkScope(
	client: Lists,
	{org, workspace, project}: Readonly<Partial<Record<Scope, string | undefined>>>,
	{host, signal}: {readonly host: string; readonly signal: AbortSignal},
): Promise<void> {
	const check = async (label: string, wanted: string, asked: Promise<{readonly items?: readonly Listed[]}>) => {
		const items = (await ifOffered(client, asked, signal))?.items;
		if (items && !items.some(({slug, id}) => slug === wanted || id === wanted)) {
			const slugs = items.flatMap(({slug}) => slug ?? []);
			throw new AppError('not-found', `Not found on ${host}: ${label} “${wanted}”.`, {
				hint: slugs.length > 0 ? `There are: ${slugs.join(', ')}.` : `You belong to no ${label} there.`,
			});
		}
	};

	if (!org) {
		return;
	}

	await check('organization', org, client.listOrganizations(page, signal));
	if (workspace) {
		await check('workspace', workspace, client.listWorkspaces({params: {org}, ...page}, signal));
		if (project) {
			await check('project', project, client.listProjects({params: {org, workspace}, ...page}, signal));
		}
	}
}
