import type {SandboxLimits} from '../../containment/launch.ts';

/** One program of a sandbox: a build step or the task's command. */
export type SandboxStep = {readonly name: string; readonly command: readonly string[]};

/** What happens to a sandbox when its time limit is reached. */
export type Deadline = {
	/** Milliseconds from now on. */
	readonly after: number;
	readonly action: 'end' | 'pause';
};

/** What a task needs of the place where its sandbox runs. Without a value, the provider decides. */
export type SandboxNeeds = {
	/** The container image. */
	readonly image?: string | undefined;
	/**
	 * What it reaches: nothing; nothing, while its services are reachable; every address that the operator opens; or only
	 * these hosts.
	 */
	readonly network?: 'none' | 'services' | 'open' | {readonly allow: readonly string[]} | undefined;
};

export type SandboxSpec = SandboxNeeds & {
	/** A UUID, which is also the provider's id of the sandbox. */
	readonly id: string;
	/** The UUID of the organization that it belongs to. */
	readonly organization: string;
	/** Initial files of the workspace, by relative path. */
	readonly files: ReadonlyMap<string, string | Uint8Array>;
	/** The UUID of a workspace that outlives the sandbox. Without it, the workspace is removed with the sandbox. */
	readonly workspace?: string;
	/** Build steps in order; each must end with status 0. */
	readonly build: readonly SandboxStep[];
	/** The main program. */
	readonly command: SandboxStep;
	/** Added to the allow-listed environment. */
	readonly environment: Readonly<Record<string, string>>;
	/** Ports that its services listen on, on its own loopback. */
	readonly ports?: readonly number[];
	readonly deadline: Deadline;
	readonly limits?: Partial<SandboxLimits>;
};

/**
 * `gone`: it has no processes and no record of its end, e.g. after a crash of the machine. `status` is null if a signal
 * ended it; `requested` means that the server or its deadline ended it.
 */
export type SandboxState =
	| {readonly kind: 'building' | 'running' | 'paused' | 'gone'}
	| {readonly kind: 'ended'; readonly step: string; readonly status: number | null; readonly requested: boolean};

export type LogWindow = {
	/** Whole UTF-8 characters; invalid bytes are replaced by U+FFFD. */
	readonly text: string;
	/** Offset in bytes of the first byte of `text` in the whole log. */
	readonly start: number;
	/** Offset after the last byte of `text`; the next `after`. */
	readonly offset: number;
	/** The bytes from `start` on, if `text` replaces some, or lacks the beginning of a character at the end of the log. */
	readonly bytes?: Uint8Array;
};

/** The address of a service, for the server alone. */
export type ServiceHost = {readonly host: string; readonly port: number};

/** A sandbox that the provider has, whether or not the database knows it. */
export type ListedSandbox = {
	readonly id: string;
	readonly organization: string;
	readonly hasEnded: boolean;
	/** Whether its files take more space than they may. */
	readonly isFull: boolean;
};

/**
 * Runs sandboxes. Any server process that reaches the machine or the engine may call each method, also after a restart. If
 * an engine doesn't answer, each throws AppError("network").
 */
export type SandboxProvider = {
	readonly name: string;
	readonly supportsPause: boolean;
	/** Whether servers on several hosts reach the same sandboxes, as those of an engine. */
	readonly isShared: boolean;
	/** Identifies where its sandboxes run: this machine, or the engine. Only servers with the same id reach them. */
	readonly machine: () => Promise<string>;
	/** Returns why it can't run a task as that asks to be run, in a sentence; undefined if it can. */
	readonly refusalOf: (needs: SandboxNeeds) => string | undefined | Promise<string | undefined>;
	/** Returns the port that a new sandbox gets for its service number `index`, from 0. */
	readonly choosePort: (index: number) => Promise<number>;
	/** Returns why no sandbox starts here; undefined if they start. */
	readonly unavailableReason: () => Promise<string | undefined>;
	/** Returns in a few words how sandboxes are contained here, for the administrator. */
	readonly summary: () => Promise<string>;
	/** Resolves when the first step has started. Throws AppError("failed") if it can't. */
	readonly start: (spec: SandboxSpec) => Promise<void>;
	/** Returns the state; `gone` only if it certainly isn't there. */
	readonly inspect: (id: string) => Promise<SandboxState>;
	/**
	 * Returns what each of these does, with one request for all; `gone` may also mean that it has ended. Without it, each is
	 * inspected.
	 */
	readonly inspectAll?: (ids: readonly string[]) => Promise<ReadonlyMap<string, SandboxState['kind']>>;
	/** Pauses it. May be called again. Resolves when none of its processes runs. */
	readonly pause: (id: string) => Promise<void>;
	/** Resumes it. A running one just gets the new deadline. */
	readonly resume: (id: string, deadline: Deadline) => Promise<void>;
	/** Returns whether a service accepts connections on a port. */
	readonly isListening: (id: string, port: number) => Promise<boolean>;
	/** Returns where this server reaches a service that listens on a port inside; undefined if the sandbox has ended. */
	readonly serviceAddress: (id: string, port: number) => Promise<ServiceHost | undefined>;
	/** Ends all processes and removes the workspace; the log stays. May be called again. */
	readonly end: (id: string) => Promise<void>;
	/** Ends it and removes everything. */
	readonly remove: (id: string) => Promise<void>;
	/** Adds a line of the server to the log of a sandbox that doesn't run, e.g. why it never did. */
	readonly note: (id: string, line: string) => Promise<void>;
	/** Returns all sandboxes of an engine; of a machine, none. */
	readonly list: () => Promise<readonly ListedSandbox[]>;
	/**
	 * Reads the log from the offset `after`, or its end. Returns undefined if there is no log. With `hasEnded`, the sandbox has
	 * ended, and only a log that is complete has nothing new.
	 */
	readonly readLog: (
		id: string,
		options: {readonly after?: number; readonly hasEnded?: boolean},
	) => Promise<LogWindow | undefined>;
	/** Closes connections. Sandboxes keep running. */
	readonly close: () => Promise<void>;
};
