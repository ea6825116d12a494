import type {Stage} from '../../../contract/resources/item.ts';

type WorkflowRunTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly workspace_id: string;
	readonly project_id: string;
	readonly title: string | null;
	readonly status: 'pending' | 'running' | 'completed' | 'failed';
	/** The attempt that owns the run. Later writes must come from it. */
	readonly execution_id: string | null;
	readonly runtime_id: string | null;
	readonly claimed_by: string | null;
	readonly claimed_at: string | null;
	readonly created_at: string;
	readonly updated_at: string;
};

/** An item that an agent recorded with its spans. */
type ItemTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly workspace_id: string;
	readonly project_id: string;
	readonly session_id: string | null;
	readonly workflow_run_id: string | null;
	readonly workflow_unit: string | null;
	readonly item_type: string;
	readonly schema_ref: string | null;
	readonly ref: string | null;
	/** JSON: object. */
	readonly data: string;
	readonly created_at: string;
};

/** A schema that a capability declared for its items. */
type ItemSchemaTable = {
	readonly project_id: string;
	readonly item_type: string;
	readonly schema_ref: string;
	readonly capability: string | null;
	readonly capability_version: string | null;
	/** JSON: object. */
	readonly json_schema: string;
	readonly created_at: string;
};

type StageTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly project_id: string;
	readonly item_id: string;
	readonly action_id: string;
	readonly connection_id: string;
	/** JSON: `StageProvenance`. */
	readonly provenance: string;
	readonly status: Stage['status'];
	readonly submission_id: string | null;
	readonly created_at: string;
	readonly updated_at: string;
};

export type WorkTables = {
	readonly workflow_runs: WorkflowRunTable;
	readonly items: ItemTable;
	readonly item_schemas: ItemSchemaTable;
	readonly stages: StageTable;
};
