import type {TaskEnvironment} from '../../../contract/resources/environment.ts';
import type {Runtime, RuntimeInstance} from '../../../contract/resources/runtime.ts';

type EnvironmentTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly workspace_id: string;
	readonly project_id: string | null;
	readonly created_by: string;
	readonly task_ref: string;
	readonly state: TaskEnvironment['state'];
	/** JSON: object. */
	readonly inputs: string;
	/** JSON: object of model names. */
	readonly model_overrides: string;
	readonly instruction: string | null;
	/** JSON: object of services. */
	readonly service_urls: string;
	/** JSON: how the work is verified, from the task; null if the task doesn't define it. */
	readonly verification: string | null;
	readonly error: string | null;
	readonly sandbox_id: string | null;
	readonly created_at: string;
	readonly updated_at: string;
	readonly expires_at: string | null;
};

/** A process group on this machine or elsewhere, for an environment or a runtime. */
type SandboxTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly created_by: string;
	readonly provider: string;
	/** The provider's own id, which still works after a restart. */
	readonly provider_sandbox_id: string;
	/** The machine where it runs. Servers on that machine manage it. */
	readonly machine: string;
	readonly state: RuntimeInstance['state'];
	readonly pause_reason: NonNullable<RuntimeInstance['pause_reason']> | null;
	/** What ends it before its time limit; null if only the limit does. */
	readonly limited_by: 'insufficient_credits' | 'member_limit_exceeded' | null;
	readonly sandbox_url: string | null;
	/** Seconds it ran before `running_since`. */
	readonly past_seconds: number;
	readonly running_since: string | null;
	readonly billed_credits: number;
	/** `billed_credits` before a start that isn't confirmed yet; null if it has started. */
	readonly billed_before_start: number | null;
	/** JSON: object, duration of each start step in milliseconds. */
	readonly startup_timing: string;
	readonly created_at: string;
	readonly expires_at: string | null;
};

type RuntimeTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly workspace_id: string;
	readonly project_id: string | null;
	readonly key: string;
	readonly name: string;
	readonly description: string | null;
	readonly config_digest: string;
	readonly config_version: string;
	readonly created_by: string;
	readonly status: Runtime['status'];
	/** The requested time limit in seconds; null for none. */
	readonly requested_seconds: number | null;
	/** The task that its sandbox runs. */
	readonly task_ref: string;
	readonly sandbox_id: string | null;
	readonly created_at: string;
	readonly updated_at: string;
};

/** A machine with sandboxes: the servers that share one folder for them. */
type MachineTable = {
	readonly id: string;
	/** Names it to an administrator; empty if only older versions ran there. */
	readonly host: string;
	/** When one of its servers last wrote to this row. */
	readonly seen_at: string;
	/** The server that manages its sandboxes, and until when without a renewal. */
	readonly held_by: string | null;
	readonly held_until: string | null;
	/** When others last ended sandboxes of it in the database; null once its processes have been ended, too. */
	readonly freed_at: string | null;
};

export type SandboxTables = {
	readonly machines: MachineTable;
	readonly environments: EnvironmentTable;
	readonly sandboxes: SandboxTable;
	readonly runtimes: RuntimeTable;
};
