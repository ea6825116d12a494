import type {EnvironmentState} from '../../contract/resources/environment.ts';
import {isOver} from '../../contract/resources/environment.ts';
import type {Database} from '../database/tables.ts';
import {reject, rejectNotFound} from '../kit/http-error.ts';
import type {LogRow} from './log-reads.ts';
import {logStoreOf, readStoredLog, type StoredLog} from './log-store.ts';
import type {LogWindow} from './provider.ts';
import {assertSameMachine, orProviderFault} from './provider-fault.ts';
import type {SandboxServices} from './sandboxing.ts';

type Log = {readonly environmentId: string; readonly workspaceId: string; readonly after: number | undefined};

type LogAnswer = {
	readonly window: LogWindow;
	/** How the environment has ended, if the end of its log can be read. */
	readonly ended: EnvironmentState | undefined;
};

const nothing: LogWindow = {text: '', start: 0, offset: 0};

/**
 * Reads the log of an environment, on any server: its files on their own machine, and elsewhere what was collected of
 * them. An `after` beyond that gets an empty window there, because the log may have grown that far. Rejects an unknown
 * environment and an expired log (404), and a log on another machine that nobody collects (502).
 */
export async function readLog(services: SandboxServices, {environmentId, workspaceId, after}: Log): Promise<LogAnswer> {
	const {database, sandboxes} = services;
	const find = () => findLog(database, environmentId, workspaceId);
	const row = (await sandboxes.logReads.rows.join(`${environmentId} ${workspaceId}`, find)) ?? rejectNotFound();
	const {id, machine, stored} = row;
	if (id === null || machine === null) {
		reject(404, 'The log of this environment has expired.');
	}

	const ended = isOver(row.state) ? row.state : undefined;
	const own = await readHere(services, {id, machine, stored}, after);
	if (own) {
		return {window: own, ended};
	}

	if (!stored) {
		await assertSameMachine(services, machine, 'show its log');
		return {window: nothing, ended};
	}

	const {state, start_offset: start, end_offset: end} = stored;
	const isBehind = state === 'open' || state === 'ended';
	if (isBehind && after !== undefined && after > end) {
		return {window: {text: '', start: after, offset: after}, ended: undefined};
	}

	const store = {...logStoreOf(services), tails: sandboxes.logReads.tails};
	const read = () => readStoredLog(store, id, stored, after);
	const window = await sandboxes.logReads.windows.keep(`${id} ${start} ${end} ${after}`, read);
	return {window, ended: isBehind ? undefined : ended};
}

/** Reads a log from its provider, which has the newest lines; undefined if only the database has all of it. */
async function readHere(
	services: SandboxServices,
	{id, machine, stored}: {readonly id: string; readonly machine: string; readonly stored: StoredLog | undefined},
	after: number | undefined,
): Promise<LogWindow | undefined> {
	const {provider, logReads} = services.sandboxes;
	const isHere = machine === (await orProviderFault(services, provider.machine()));
	// Offsets differ from those of the provider once the server has added lines. Reading from an engine takes long.
	const isInFiles = stored === undefined || (stored.collected === stored.end_offset && provider.name === 'local');
	if (!isHere || !isInFiles) {
		return undefined;
	}

	const read = async () => (await provider.readLog(id, {after})) ?? nothing;
	const window = await orProviderFault(services, logReads.windows.join(`${id} ${after}`, read));
	const isGone = window === nothing && stored !== undefined && stored.end_offset > 0;
	return isGone ? undefined : window;
}

async function findLog(database: Database, environmentId: string, workspaceId: string): Promise<LogRow | undefined> {
	const row = await database
		.selectFrom('environments')
		.leftJoin('sandboxes', 'sandboxes.id', 'environments.sandbox_id')
		.leftJoin('sandbox_logs', 'sandbox_logs.sandbox_id', 'sandboxes.id')
		.select(['environments.state', 'sandboxes.provider_sandbox_id as id', 'sandboxes.machine'])
		.select(['sandbox_logs.state as log_state', 'start_offset', 'end_offset', 'collected'])
		.where('environments.id', '=', environmentId)
		.where('environments.workspace_id', '=', workspaceId)
		.executeTakeFirst();
	if (!row) {
		return undefined;
	}

	const {log_state, start_offset, end_offset, collected} = row;
	const isCollected = log_state !== null && start_offset !== null && end_offset !== null && collected !== null;
	return {...row, stored: isCollected ? {state: log_state, start_offset, end_offset, collected} : undefined};
}
