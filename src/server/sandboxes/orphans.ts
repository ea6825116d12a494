import type {ListedSandbox} from './provider.ts';
import type {SandboxServices} from './sandboxing.ts';

/** How many ids a statement has. */
const chunk = 500;

/**
 * Ends what runs on an engine although the database says that it has ended, or has filled its disk, and removes sandboxes
 * of our organizations that the database doesn't know: a server may have been killed while it started one. Those of other
 * installations stay.
 */
export async function endOrphans(services: SandboxServices): Promise<void> {
	const {provider} = services.sandboxes;
	const listed = await provider.list();
	for (let first = 0; first < listed.length; first += chunk) {
		await endOrphansOf(services, listed.slice(first, first + chunk));
	}
}

async function endOrphansOf(
	{database, sandboxes: {provider}, log}: SandboxServices,
	listed: readonly ListedSandbox[],
): Promise<void> {
	const organizations = await database
		.selectFrom('organizations')
		.select('id')
		.where('id', 'in', [...new Set(listed.map(({organization}) => organization))])
		.execute();
	const own = new Set(organizations.map(({id}) => id));
	// Its row is written before a sandbox is started, so that one without a row has lost it.
	const rows = await database
		.selectFrom('sandboxes')
		.select(['id', 'state'])
		.where(
			'id',
			'in',
			listed.map(({id}) => id),
		)
		.execute();
	const stateOf = new Map(rows.map(({id, state}) => [id, state]));
	for (const {id, organization, hasEnded, isFull} of listed) {
		const state = stateOf.get(id);
		if (state === undefined && own.has(organization)) {
			log({level: 'warn', message: 'sandbox without a row removed', sandbox: id});
			await provider.remove(id);
		} else if (state === 'killed' && !hasEnded) {
			log({level: 'warn', message: 'sandbox left running ended', sandbox: id});
			await provider.end(id);
		} else if (state !== undefined && isFull && !hasEnded) {
			await provider.end(id);
			await provider.note(id, 'it used more disk than it may, so it was ended');
		}
	}
}
