import type {Database} from '../database/tables.ts';
import {deriveAirt} from './airt.ts';
import {deriveArtifacts} from './artifacts.ts';
import {IdTaken} from './ids.ts';
import {deriveItems} from './items.ts';
import type {ReceivedSpan} from './otlp/span.ts';
import {readMemberships} from './ownership.ts';
import {deriveRuns} from './runs.ts';
import {deriveSessions} from './sessions.ts';
import {storeSpans} from './store-spans.ts';
import {groupByTarget, lockWorkspaces} from './target.ts';

const maxAttempts = 5;

type Sender = {
	readonly organizationId: string;
	readonly userId: string;
	readonly now: Date;
	/** Maximum bytes that the organization may store. */
	readonly storageLimit: number;
};

/**
 * Stores spans and everything derived from them in one transaction. Sending a span again changes nothing, and spans may
 * arrive in any order and in several requests. Returns a message for each rejected span. Rejects the request (409) if
 * the organization's storage is full.
 */
export async function ingest(
	database: Database,
	sender: Sender,
	spans: readonly ReceivedSpan[],
): Promise<readonly string[]> {
	for (let attempts = 1; ; attempts += 1) {
		try {
			return await attempt(database, sender, spans);
		} catch (error) {
			// Two workspaces took one UUID at the same time: the retry sees that it is taken. After a deadlock, the
			// aborted transaction may collide once more.
			if (!isCollision(error) || attempts === maxAttempts) {
				throw error;
			}
		}
	}
}

/**
 * Returns whether PostgreSQL reported a uniqueness violation or a deadlock. With SQLite only one transaction writes at
 * a time.
 */
function isCollision(error: unknown): boolean {
	return (
		error instanceof IdTaken ||
		(error instanceof Error && 'code' in error && (error.code === '23505' || error.code === '40P01'))
	);
}

function attempt(
	database: Database,
	{organizationId, userId, now, storageLimit}: Sender,
	spans: readonly ReceivedSpan[],
): Promise<readonly string[]> {
	return database.transaction().execute(async transaction => {
		const {targets, rejected} = await groupByTarget(transaction, organizationId, spans);
		await lockWorkspaces(
			transaction,
			[...targets.keys()].map(({workspaceId}) => workspaceId),
		);
		const refused = [...rejected];
		for (const [target, spansOfTarget] of targets) {
			const origin = {organizationId, userId, ...target};
			const {claimed, rejected: foreign} = await readMemberships(transaction, target, userId, spansOfTarget);
			refused.push(...foreign);
			const where = {organizationId, userId, target, receivedAt: now.toISOString(), storageLimit};
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
