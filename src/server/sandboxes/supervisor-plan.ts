/** One program of a sandbox: the build steps in order, then the task's own command. */
export type SandboxStep = {readonly name: string; readonly command: readonly string[]};

/** What a supervisor is told, as JSON on its standard input, so that no secret stands in a file or an argument. */
export type SupervisorPlan = {
	/** Absolute; holds `status.json`, `deadline.json` and `log/`. */
	readonly folder: string;
	readonly steps: readonly (SandboxStep & {readonly shown: string})[];
	/** How many of the steps prepare the last one. */
	readonly builds: number;
	readonly cwd: string;
	readonly environment: Readonly<Record<string, string>>;
	/** The first line of the log: how the sandbox is kept apart. */
	readonly notice: string;
	/** Bytes of a piece of the log, and how many of them are kept. */
	readonly segmentBytes: number;
	readonly segments: number;
	/** How many processes it may have. */
	readonly processes: number;
	/** Milliseconds between the request to end and the kill. */
	readonly grace: number;
	/** Ends with this process; without one it outlives its server. */
	readonly owner?: ProcessIdentity;
};

/** A process by its id and, where the kernel tells, its start: a later process of that id is another one. */
export type ProcessIdentity = {readonly pid: number; readonly host: string; readonly started?: string};

/** What `status.json` says. */
export type SupervisorStatus = {
	readonly supervisor: ProcessIdentity;
	/** The leader of the group that the current step runs in. */
	readonly group?: ProcessIdentity;
	readonly phase: 'building' | 'running' | 'ended';
	/** How the last step ended, where none runs any more. */
	readonly exit?: {readonly step: string; readonly status: number | null; readonly signal: string | null};
	/** True where it ended because its time was over or somebody asked for it. */
	readonly stopped?: boolean;
};
