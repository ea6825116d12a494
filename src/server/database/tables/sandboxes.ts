import type {Generated} from 'kysely';
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
	/** With placeholders for the inputs and the addresses of services. */
	readonly instruction: string | null;
	/** JSON: object of services, as the sandbox has them. */
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
	/** When a server must look at it next, whatever its processes do; null if nothing will be due. */
	readonly due_at: string | null;
	/** Its memory limit; null for sandboxes of older versions. */
	readonly memory_bytes: number | null;
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
	/** The data folder of its servers, as its host knows it; empty if that isn't known. */
	readonly folder: Generated<string>;
	/** Where other servers reach the one that manages it; null if only older versions did. */
	readonly address: string | null;
};

/** The token of a sandbox for its creator: until it expires, or the API key that it was created with is revoked. */
type ExecuteTokenTable = {
	readonly environment_id: string;
	readonly token_hash: string;
	readonly user_id: string;
	readonly api_key_id: string | null;
	readonly expires_at: string;
};

/**
 * The collected log of a sandbox. Its state is `open` while the sandbox writes, `ended` once nothing more is written,
 * `complete` once all of it is collected, and `lost` if its machine was lost before.
 */
type SandboxLogTable = {
	readonly sandbox_id: string;
	readonly machine: string;
	readonly state: 'open' | 'ended' | 'complete' | 'lost';
	/** The offsets of the oldest byte that is kept, and after the newest one. */
	readonly start_offset: number;
	readonly end_offset: number;
	/** The provider's offset after the newest collected byte; less than `end_offset` if the server added lines. */
	readonly collected: number;
	/** Its collector. */
	readonly held_by: string | null;
};

/** A part of a collected log: its bytes, or the name of an object in the bucket with them. */
type LogSegmentTable = {
	readonly sandbox_id: string;
	readonly start_offset: number;
	readonly end_offset: number;
	readonly bytes: Uint8Array | null;
	readonly object: string | null;
};

/** A server that collects logs, and until when without a renewal. */
type LogCollectorTable = {
	readonly id: string;
	readonly held_until: string;
};

/** A periodic work that one of all servers does. */
type SweepTable = {
	readonly name: string;
	readonly held_by: string;
	readonly held_until: string;
};

export type SandboxTables = {
	readonly sweeps: SweepTable;
	readonly machines: MachineTable;
	readonly environments: EnvironmentTable;
	readonly sandboxes: SandboxTable;
	readonly runtimes: RuntimeTable;
	readonly sandbox_logs: SandboxLogTable;
	readonly log_segments: LogSegmentTable;
	readonly log_collectors: LogCollectorTable;
	readonly execute_tokens: ExecuteTokenTable;
};
