import {hostname} from 'node:os';
import {join} from 'node:path';
import type {Log} from '../kit/log.ts';
import type {CoreServices} from '../kit/services.ts';
import {createTaskLibrary, type TaskLibrary} from '../tasks/task-library.ts';
import {type BackgroundWork, createBackground} from './background.ts';
import {createLocalProvider} from './local-provider.ts';
import type {SandboxProvider} from './provider.ts';

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
	/** The name of this host, of which no two may have the same machine id. */
	readonly host: string;
	readonly tasks: TaskLibrary;
	readonly policy: SandboxPolicy;
	readonly background: BackgroundWork;
	/** The folder with workspaces of runtimes, which outlive their sandboxes. */
	readonly workspaces: string;
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
	readonly provider?: SandboxProvider;
	readonly host?: string;
};

/** Combines the parts. Nothing is created or read before the first use. */
export function createSandboxing(options: Options): Sandboxing {
	const {folder, hidden = [], log, policy, isEphemeral, allowUncontained, provider, host = hostname()} = options;
	const root = join(folder, 'sandboxes');
	return {
		provider: provider ?? createLocalProvider({root, hidden: [folder, ...hidden], isEphemeral, allowUncontained}),
		host,
		tasks: createTaskLibrary({folder: join(folder, 'tasks'), log}),
		policy: {...platformPolicy, ...policy},
		background: createBackground(),
		workspaces: join(folder, 'workspaces'),
		secrets: join(folder, 'secrets'),
	};
}
