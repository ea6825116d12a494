/** One program of a sandbox: the build steps in order, then the task's own command. */
export type SandboxStep = {readonly name: string; readonly command: readonly string[]};

/** What happens to a sandbox when its time is over. */
export type Deadline = {
	/** Milliseconds from now on. */
	readonly after: number;
	readonly action: 'end' | 'pause';
};

/** Limits of one sandbox; each is left to the system where the machine has no such limit. */
export type SandboxLimits = {
	/** Memory in bytes: of the sandbox, and what one of its processes may take for data. */
	readonly memoryBytes: number;
	/** Processes of the sandbox. The kernel refuses more where it can; else the sandbox is ended. */
	readonly processes: number;
	/** What its files may take on the disk, in bytes. */
	readonly diskBytes: number;
	/** Processor time that one of its processes may take, in seconds. */
	readonly cpuSeconds: number;
	/** Size of one file that it writes, in bytes. */
	readonly fileBytes: number;
	/** What is kept of its log, in bytes; of more, the end. */
	readonly logBytes: number;
};

export type SandboxSpec = {
	/** A UUID; also the name that the provider knows the sandbox by. */
	readonly id: string;
	/** Files that stand in the workspace before the first step, by relative path. */
	readonly files: ReadonlyMap<string, string | Uint8Array>;
	/** A folder that outlives the sandbox and is its workspace; without one the workspace goes with the sandbox. */
	readonly workspace?: string;
	/** Programs that prepare it, in order; each must end with status 0. */
	readonly build: readonly SandboxStep[];
	/** The program that it is for. */
	readonly command: SandboxStep;
	/** Added to the allow-listed environment. */
	readonly environment: Readonly<Record<string, string>>;
	/** Ports of its services: what listens on them inside is reached on loopback outside. */
	readonly ports?: readonly number[];
	readonly deadline: Deadline;
	readonly limits?: Partial<SandboxLimits>;
};

/**
 * `gone`: nothing of it runs and nobody wrote down how it ended, after a crash of the machine for one. `status` of an
 * ended one is null where a signal ended it; `asked` says that we or its deadline ended it.
 */
export type SandboxState =
	| {readonly kind: 'building' | 'running' | 'paused' | 'gone'}
	| {readonly kind: 'ended'; readonly step: string; readonly status: number | null; readonly asked: boolean};

export type LogWindow = {
	/** Whole characters of UTF-8; what is none became U+FFFD. */
	readonly text: string;
	/** Offset in bytes of the first byte of `text` in everything that was ever logged. */
	readonly start: number;
	/** Offset just after the last byte of `text`: the next `after`. */
	readonly offset: number;
};

/** What runs sandboxes. Each method may be called by any server process on the machine, also after a restart. */
export type SandboxProvider = {
	readonly name: string;
	readonly supportsPause: boolean;
	/** Names the place that its sandboxes run at: only servers that share it can reach them. */
	readonly machine: () => Promise<string>;
	/** Why no sandbox starts here, undefined where nothing is in the way. */
	readonly refusal: () => Promise<string | undefined>;
	/** How sandboxes are kept apart here, in a few words for who runs the server. */
	readonly summary: () => Promise<string>;
	/** Resolves when the first step has begun. Throws `AppError` `failed` where it cannot. */
	readonly start: (spec: SandboxSpec) => Promise<void>;
	readonly inspect: (id: string) => Promise<SandboxState>;
	/** May be called on a paused one. Resolves when nothing of it runs. */
	readonly pause: (id: string) => Promise<void>;
	/** May be called on a running one, which then gets the new deadline. */
	readonly resume: (id: string, deadline: Deadline) => Promise<void>;
	/** Whether a service of it takes connections on this port. */
	readonly isListening: (id: string, port: number) => Promise<boolean>;
	/** Ends all of its processes and removes its workspace; its log stays. May be called again. */
	readonly end: (id: string) => Promise<void>;
	/** `end`, and nothing stays. */
	readonly remove: (id: string) => Promise<void>;
	/** Adds a line of the server's to the log of a sandbox that does not run: why it never did, for one. */
	readonly note: (id: string, line: string) => Promise<void>;
	/** From the offset `after`, else the end of the log. Undefined where there is no log. */
	readonly readLog: (id: string, options: {readonly after?: number}) => Promise<LogWindow | undefined>;
};
