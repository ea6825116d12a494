import {stat} from 'node:fs/promises';
import {hostname} from 'node:os';
import {join} from 'node:path';
import type {Blobs} from '../artifacts/blobs.ts';
import type {Log} from '../kit/log.ts';
import type {CoreServices} from '../kit/services.ts';
import {createTaskLibrary, type TaskLibrary} from '../tasks/task-library.ts';
import {type BackgroundWork, createBackground} from './background.ts';
import {createLocalProvider} from './local-provider.ts';
import {createLogReads, type LogReads} from './log-reads.ts';
import type {MachineRoom} from './machine-room.ts';
import type {SandboxProvider} from './provider.ts';
import {keepServerProcesses, type ServerProcesses} from './server-processes.ts';

/** The server's own limits and prices, which apply unless an organization has its own. */
export type SandboxPolicy = {
	/** Maximum and default time limit of a sandbox. */
	readonly maxSeconds: number;
	readonly defaultSeconds: number;
	/** Maximum number of sandboxes of an organization at once. */
	readonly capacity: number;
	/** The price of a running sandbox. */
	readonly creditsPerHour: number;
	/** How long a request waits for a sandbox to be ready. */
	readonly startTimeoutMs: number;
	/** How long a task's services may take to listen after its command starts. */
	readonly serviceTimeoutMs: number;
	/** How long the log of an ended sandbox is kept. */
	readonly logRetentionMs: number;
};

/** Everything about sandboxes that environments and runtimes need. */
export type Sandboxing = {
	readonly provider: SandboxProvider;
	/** The name of this host, of which no two may have the same machine id; of an engine, that of its provider. */
	readonly host: string;
	/** Returns what tells the data folder from a copy of it on the same host; empty before it exists, and for an engine. */
	readonly folderId: () => Promise<string>;
	readonly processes: ServerProcesses;
	readonly tasks: TaskLibrary;
	readonly policy: SandboxPolicy;
	readonly background: BackgroundWork;
	/**
	 * Whether logs are collected in the database: not if only this server reads that, since then it can read the logs, too.
	 */
	readonly collectsLogs: boolean;
	readonly logReads: LogReads;
	/** A bucket for what was collected of logs; without one, it stays in the database. */
	readonly logBlobs: Blobs | undefined;
	/** What all sandboxes on this machine may have together. */
	readonly room: MachineRoom;
	/** The folder with secrets for tasks. */
	readonly secrets: string;
};

/** What environments and runtimes need. */
export type SandboxServices = CoreServices & {readonly sandboxes: Sandboxing};

/** The default policy. */
export const platformPolicy: SandboxPolicy = {
	maxSeconds: 24 * 3600,
	defaultSeconds: 3600,
	capacity: 10,
	creditsPerHour: 60,
	startTimeoutMs: 5000,
	serviceTimeoutMs: 120_000,
	logRetentionMs: 24 * 3_600_000,
};

type Options = {
	/** The server's data folder, with tasks, secrets, sandboxes and workspaces of runtimes. */
	readonly folder: string;
	/** More folders that sandboxes can't read. */
	readonly hidden?: readonly string[];
	readonly log: Log;
	readonly policy?: Partial<SandboxPolicy>;
	/** Whether everything ends with this process, because the database is temporary. */
	readonly isEphemeral?: boolean;
	/** Whether tasks may run with the server's own permissions if containment isn't available. */
	readonly allowUncontained?: boolean | undefined;
	/** Private ranges that tasks with single hosts reach on this machine. */
	readonly openRanges?: readonly string[] | undefined;
	/** Processes of this machine by default. */
	readonly provider?: SandboxProvider | undefined;
	/** Whether several servers may use the database. */
	readonly isShared?: boolean;
	readonly logBlobs?: Blobs | undefined;
	readonly host?: string;
	readonly room?: MachineRoom | undefined;
};

/** Combines the parts. Nothing is created or read before the first use. */
export function createSandboxing(options: Options): Sandboxing {
	const {
		folder,
		hidden = [],
		log,
		policy,
		isEphemeral,
		allowUncontained,
		openRanges,
		isShared = false,
		logBlobs,
		room = {},
	} = options;
	const root = join(folder, 'sandboxes');
	const local = {root, hidden: [folder, ...hidden], isEphemeral, allowUncontained, openRanges};
	const {provider = createLocalProvider(local)} = options;
	return {
		provider,
		host: options.host ?? (provider.isShared ? provider.name : hostname()),
		folderId: async () => {
			// Servers of one engine have a data folder each.
			const found = provider.isShared ? undefined : await stat(folder).catch(() => undefined);
			return found ? `${found.dev}:${found.ino}` : '';
		},
		processes: keepServerProcesses(isEphemeral ? undefined : join(folder, 'servers')),
		tasks: createTaskLibrary({folder: join(folder, 'tasks'), log}),
		policy: {...platformPolicy, ...policy},
		background: createBackground(),
		// The log of an engine may end with its container.
		collectsLogs: isShared || provider.name !== 'local',
		logReads: createLogReads(),
		logBlobs,
		room,
		secrets: join(folder, 'secrets'),
	};
}
