import type {Database} from '../database/tables.ts';
import {deriveAirt} from './airt.ts';
import {deriveArtifacts} from './artifacts.ts';
import {IdTaken} from './ids.ts';
import {deriveItems} from './items.ts';
import type {Span} from './otlp/span.ts';
import {readMemberships} from './ownership.ts';
import {holdWorkspaces, placeSpans} from './place.ts';
import {deriveRuns} from './runs.ts';
import {deriveSessions} from './sessions.ts';
import {storeSpans} from './store-spans.ts';

const mostAttempts = 5;

type Sender = {
	readonly organizationId: string;
	readonly userId: string;
	readonly now: Date;
	/** Most bytes that the organization may have stored. */
	readonly storageLimit: number;
};

/**
 * Stores spans and all that derives from them, in one transaction: all of it or nothing. The same span again changes
 * nothing, and spans may come in any order and in several requests. Gives what was not taken, a sentence for each span.
 * Refuses (409) what the organization has no room for.
 */
export async function ingest(database: Database, sender: Sender, spans: readonly Span[]): Promise<readonly string[]> {
	for (let tried = 1; ; tried += 1) {
		try {
			return await attempt(database, sender, spans);
		} catch (error) {
			// Two workspaces took one UUID at the same moment: the next time, the id is seen to be taken. Of two that waited for
			// each other, the one that was ended may collide with the other once more.
			if (!isCollision(error) || tried === mostAttempts) {
				throw error;
			}
		}
	}
}

/** What PostgreSQL says of it: not unique, or a deadlock. With SQLite only one transaction writes at a time. */
function isCollision(error: unknown): boolean {
	return (
		error instanceof IdTaken ||
		(error instanceof Error && 'code' in error && (error.code === '23505' || error.code === '40P01'))
	);
}

function attempt(
	database: Database,
	{organizationId, userId, now, storageLimit}: Sender,
	spans: readonly Span[],
): Promise<readonly string[]> {
	return database.transaction().execute(async transaction => {
		const {places, rejected} = await placeSpans(transaction, organizationId, spans);
		await holdWorkspaces(
			transaction,
			[...places.keys()].map(({workspaceId}) => workspaceId),
		);
		const refused = [...rejected];
		for (const [place, its] of places) {
			const origin = {organizationId, userId, ...place};
			const {claimed, rejected: foreign} = await readMemberships(transaction, place, userId, its);
			refused.push(...foreign);
			const where = {organizationId, userId, place, receivedAt: now.toISOString(), storageLimit};
			const {touched, rejected: late} = await storeSpans(transaction, where, claimed);
			refused.push(...late);
			await deriveSessions(transaction, origin, touched);
			await deriveAirt(transaction, origin, touched);
			await deriveRuns(transaction, origin, touched);
			await deriveItems(transaction, origin, touched);
			await deriveArtifacts(transaction, origin, touched);
		}

		return refused;
	});
}
