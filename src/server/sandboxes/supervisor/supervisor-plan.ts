import type {MachineContainment} from '../../../containment/containment.ts';
import type {SandboxLimits} from '../../../containment/launch.ts';
import type {ProcessIdentity} from '../../../containment/processes.ts';
import type {EgressPolicy} from '../../egress/egress-proxy.ts';
import type {SandboxStep} from '../provider.ts';

/** The input of a supervisor, as JSON on standard input, so that no secret is in a file or an argument. */
export type SupervisorPlan = {
	readonly id: string;
	/** Absolute; contains `status.json`, `deadline.json` and `log/`. */
	readonly folder: string;
	readonly steps: readonly SandboxStep[];
	/** How many of the steps are build steps. */
	readonly builds: number;
	readonly cwd: string;
	readonly environment: Readonly<Record<string, string>>;
	readonly containment: MachineContainment;
	/** The writable folders; the last one is the temporary folder. */
	readonly writable: readonly string[];
	/** The folders that must not be readable. */
	readonly hidden: readonly string[];
	/** The user that it runs as, if root runs the server. */
	readonly user?: number;
	/** The hosts that it reaches; without it, the internet. */
	readonly egress?: EgressPolicy;
	/** Ports of its services. */
	readonly ports: readonly number[];
	readonly limits: SandboxLimits;
	/** The hard limit of file sizes that marks its processes, in blocks. */
	readonly mark: number;
	/** Size of a log segment in bytes, and how many segments are kept. */
	readonly segmentBytes: number;
	readonly segments: number;
	readonly graceMs: number;
	/** The sandbox ends with this process; without one it outlives its server. */
	readonly owner?: ProcessIdentity;
};

/** The content of `status.json`. */
export type SupervisorStatus = {
	readonly supervisor: ProcessIdentity;
	/** The leader of the current step's group. */
	readonly group?: ProcessIdentity;
	readonly phase: 'building' | 'running' | 'ended';
	/** How the last step ended, if none is running. */
	readonly exit?: {readonly step: string; readonly status: number | null; readonly signal: string | null};
	/** True if its deadline or a request ended it. */
	readonly stopped?: boolean;
	/** How its processes are recognized, even outside its process group. */
	readonly mark?: number;
	/** The folders of its cgroup. */
	readonly cgroup?: readonly string[];
	/** The processes of its network, if it has its own. */
	readonly network?: {readonly holder: ProcessIdentity; readonly carrier: ProcessIdentity};
};
