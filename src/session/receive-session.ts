import {applyChanges, type ChangePlan} from '../agent/handoff/apply-changes.ts';
import {putBackBegun} from '../agent/handoff/begun-changes.ts';
import {packChanges} from '../agent/handoff/packed-changes.ts';
import {folderBelow, openRepository} from '../agent/handoff/repository.ts';
import type {Places} from '../agent/policy/protected-places.ts';
import {AppError} from '../core/error.ts';
import {formatBytes} from '../core/format.ts';
import type {LeftOut, PackedChanges} from '../core/packed-changes.ts';
import {isUuid} from '../core/uuid.ts';
import {addWholeSession, sessionsById} from '../storage/add-session.ts';
import type {Home} from '../storage/home.ts';
import {receivedRecords} from './handed-records.ts';

/** Longest journal that is handed over. Lines between a terminal and a host hold 32 MiB. */
export const maxJournalBytes = 12 * 1024 * 1024;

/** Throws AppError("usage") for records that are too long to be handed over. */
export function assertJournalSize(records: readonly unknown[]): void {
	let bytes = 0;
	for (const record of records) {
		bytes += Buffer.byteLength(JSON.stringify(record));
	}

	if (bytes > maxJournalBytes) {
		throw new AppError(
			'usage',
			`This session has ${formatBytes(bytes)}: at most ${formatBytes(maxJournalBytes)} move.`,
			{
				hint: 'Begin a new session there: `attach --new`',
			},
		);
	}
}

type PackOptions = {readonly places: Places; readonly withSecrets: boolean};

/** The uncommitted changes of a repository, and what was left out of them. */
export type PackedFolder = {readonly packed: PackedChanges; readonly left: LeftOut};

/** Packs the uncommitted changes of the repository that a folder is in. Throws what `openRepository` and `packChanges` throw. */
export async function packFolder(folder: string, options: PackOptions): Promise<PackedFolder> {
	const repository = await openRepository(folder);
	return packChanges(repository, {...options, below: folderBelow(repository, folder)});
}

type Received = {
	readonly home: Home;
	readonly packed: PackedChanges;
	readonly plan: ChangePlan;
	readonly records: readonly unknown[];
	/** Its id from now on. */
	readonly key: string;
	readonly from: string;
	/** The hash of the changes that were handed over from here. */
	readonly handed?: string | undefined;
};

/** Puts back what hand-overs to this machine changed in clones before they were cut off. Returns a sentence for each. Never throws. */
export async function putBackCutOff(home: Home): Promise<readonly string[]> {
	return putBackBegun(home.path, async key => (await sessionsById(home)).has(key));
}

/**
 * Applies the changes of a session that was handed over, then adds its journal: once that is there, as a whole, the session is here.
 * Throws what that throws; then nothing was changed.
 */
export async function receiveSession({home, packed, plan, records, key, from, handed}: Received): Promise<void> {
	assertJournalSize(records);
	if (!isUuid(key) || (await sessionsById(home)).has(key)) {
		throw new AppError('usage', 'A session of that id is here already.', {hint: 'Hand it over again.'});
	}

	const {folder} = plan;
	const received = receivedRecords({records, session: key, folder, from, at: new Date().toISOString()});
	if (received.length === 0) {
		throw new AppError('usage', 'The session has no message.', {hint: 'Send one first.'});
	}

	const applied = await applyChanges(packed, plan, {stateFolder: home.path, key, handed});
	try {
		await addWholeSession(home, {id: key, folder, records: received});
	} catch (error) {
		// It may be there all the same.
		if (!(await sessionsById(home)).has(key)) {
			await applied.undo();
			throw error;
		}
	}

	await applied.keep();
}
