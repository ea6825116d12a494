import type {EnvironmentState} from '../../contract/resources/environment.ts';
import {createSharedReads, type SharedReads} from '../kit/shared-reads.ts';
import type {StoredLog} from './log-store.ts';
import {createLogTails, type LogTails} from './log-tails.ts';
import type {LogWindow} from './provider.ts';

/** Reads of logs, of which the followers of one log share each. A window is 256 KiB at most. */
export type LogReads = {
	readonly rows: SharedReads<LogRow | undefined>;
	readonly windows: SharedReads<LogWindow>;
	readonly tails: LogTails;
};

export const createLogReads = (): LogReads => ({
	rows: createSharedReads(),
	windows: createSharedReads(),
	tails: createLogTails(),
});

/** An environment and its log, without text. */
export type LogRow = {
	readonly state: EnvironmentState;
	/** Both are null once the log has expired. */
	readonly id: string | null;
	readonly machine: string | null;
	readonly stored: StoredLog | undefined;
};
