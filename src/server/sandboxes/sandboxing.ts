import {join} from 'node:path';
import type {Log} from '../kit/log.ts';
import {createTaskLibrary, type TaskLibrary} from '../tasks/task-library.ts';
import {type Background, createBackground} from './background.ts';
import {createLocalProvider} from './local-provider.ts';
import type {SandboxProvider} from './provider.ts';

/** What the platform allows and charges, where an organization has no bounds of its own. */
export type SandboxPolicy = {
	/** Longest life of a sandbox, and what it gets where nobody asks for a time, in seconds. */
	readonly maxSeconds: number;
	readonly defaultSeconds: number;
	/** Most sandboxes of an organization at once. */
	readonly capacity: number;
	/** What the sandbox of a runtime or an environment costs while it runs. */
	readonly creditsPerHour: number;
	/** Milliseconds that a request waits for a sandbox to be ready. */
	readonly startTimeoutMs: number;
	/** Milliseconds that a task's services may take to listen after its command starts. */
	readonly serviceTimeoutMs: number;
	/** Milliseconds that the log of an ended sandbox is kept. */
	readonly logRetentionMs: number;
};

/** What environments and runtimes stand on. */
export type Sandboxing = {
	readonly provider: SandboxProvider;
	readonly tasks: TaskLibrary;
	readonly policy: SandboxPolicy;
	readonly background: Background;
	/** Where the workspaces of runtimes are, which outlive their sandboxes. */
	readonly workspaces: string;
	/** Where secrets for tasks are. */
	readonly secrets: string;
};

/** What holds where a server is told nothing else. */
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
	/** The server's data: tasks, secrets, sandboxes and the workspaces of runtimes lie in it. */
	readonly folder: string;
	/** More folders that no sandbox may read. */
	readonly hidden?: readonly string[];
	readonly log: Log;
	readonly policy?: Partial<SandboxPolicy>;
	/** Whether everything ends with this process: a server without a lasting database. */
	readonly isEphemeral?: boolean;
	/** Whether tasks may run with all rights of the server if nothing can contain them. */
	readonly allowUncontained?: boolean | undefined;
	readonly provider?: SandboxProvider;
};

/** Puts the parts together. Nothing is made or read before the first use. */
export function createSandboxing(options: Options): Sandboxing {
	const {folder, hidden = [], log, policy, isEphemeral, allowUncontained, provider} = options;
	const root = join(folder, 'sandboxes');
	return {
		provider: provider ?? createLocalProvider({root, hidden: [folder, ...hidden], isEphemeral, allowUncontained}),
		tasks: createTaskLibrary({folder: join(folder, 'tasks'), log}),
		policy: {...platformPolicy, ...policy},
		background: createBackground(),
		workspaces: join(folder, 'workspaces'),
		secrets: join(folder, 'secrets'),
	};
}
