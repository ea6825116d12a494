import type {LockOwner} from '../../../storage/lock-owner.ts';
import type {Containment} from '../containment/containment.ts';
import type {SandboxLimits, SandboxStep} from '../provider.ts';

/** What a supervisor is told, as JSON on its standard input, so that no secret stands in a file or an argument. */
export type SupervisorPlan = {
	readonly id: string;
	/** Absolute; holds `status.json`, `deadline.json` and `log/`. */
	readonly folder: string;
	readonly steps: readonly SandboxStep[];
	/** How many of the steps prepare the last one. */
	readonly builds: number;
	readonly cwd: string;
	readonly environment: Readonly<Record<string, string>>;
	readonly containment: Containment;
	/** The folders that it may write to; the last one is for what is temporary. */
	readonly writable: readonly string[];
	/** The folders that it must not read. */
	readonly hidden: readonly string[];
	/** The user of the machine that it becomes, where root runs the server. */
	readonly user?: number;
	/** Ports of its services. */
	readonly ports: readonly number[];
	readonly limits: SandboxLimits;
	/** The hard limit of file sizes that its processes are known by, in blocks. */
	readonly mark: number;
	/** Bytes of a piece of the log, and how many of them are kept. */
	readonly segmentBytes: number;
	readonly segments: number;
	/** Milliseconds between the request to end and the kill. */
	readonly grace: number;
	/** Ends with this process; without one it outlives its server. */
	readonly owner?: ProcessIdentity;
};

/** A process by its id and, where the kernel tells, its start: a later process of that id is another one. */
export type ProcessIdentity = LockOwner;

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
	/** How its processes are recognized, even outside its process group. */
	readonly mark?: number;
	/** The folders of its control group. */
	readonly cgroup?: readonly string[];
	/** What its network consists of, where it has one of its own: who holds it, and who carries its packets. */
	readonly network?: {readonly holder: ProcessIdentity; readonly carrier: ProcessIdentity};
};
