import type {SandboxLimits} from '../../containment/launch.ts';

/** One program of a sandbox: a build step or the task's command. */
export type SandboxStep = {readonly name: string; readonly command: readonly string[]};

/** What happens to a sandbox when its time limit is reached. */
export type Deadline = {
	/** Milliseconds from now on. */
	readonly after: number;
	readonly action: 'end' | 'pause';
};

export type SandboxSpec = {
	/** A UUID, which is also the provider's id of the sandbox. */
	readonly id: string;
	/** Initial files of the workspace, by relative path. */
	readonly files: ReadonlyMap<string, string | Uint8Array>;
	/** A workspace folder that outlives the sandbox. Without it, the workspace is removed with the sandbox. */
	readonly workspace?: string;
	/** Build steps in order; each must end with status 0. */
	readonly build: readonly SandboxStep[];
	/** The main program. */
	readonly command: SandboxStep;
	/** Added to the allow-listed environment. */
	readonly environment: Readonly<Record<string, string>>;
	/** Ports of its services: programs that listen on them inside are reachable on loopback outside. */
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
};

/** Runs sandboxes. Any server process on the machine may call each method, also after a restart. */
export type SandboxProvider = {
	readonly name: string;
	readonly supportsPause: boolean;
	/** Identifies the machine where its sandboxes run. Only servers on that machine can reach them. */
	readonly machine: () => Promise<string>;
	/** Returns why no sandbox starts here; undefined if they start. */
	readonly unavailableReason: () => Promise<string | undefined>;
	/** Returns in a few words how sandboxes are contained here, for the administrator. */
	readonly summary: () => Promise<string>;
	/** Resolves when the first step has started. Throws AppError("failed") if it can't. */
	readonly start: (spec: SandboxSpec) => Promise<void>;
	readonly inspect: (id: string) => Promise<SandboxState>;
	/** Pauses it. May be called again. Resolves when none of its processes runs. */
	readonly pause: (id: string) => Promise<void>;
	/** Resumes it. A running one just gets the new deadline. */
	readonly resume: (id: string, deadline: Deadline) => Promise<void>;
	/** Returns whether a service accepts connections on a port. */
	readonly isListening: (id: string, port: number) => Promise<boolean>;
	/** Ends all processes and removes the workspace; the log stays. May be called again. */
	readonly end: (id: string) => Promise<void>;
	/** Ends it and removes everything. */
	readonly remove: (id: string) => Promise<void>;
	/** Adds a line of the server to the log of a sandbox that doesn't run, e.g. why it never did. */
	readonly note: (id: string, line: string) => Promise<void>;
	/** Reads the log from the offset `after`, or its end. Returns undefined if there is no log. */
	readonly readLog: (id: string, options: {readonly after?: number}) => Promise<LogWindow | undefined>;
};
