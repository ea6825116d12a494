import type {Session} from '../../../contract/resources/session.ts';

/** A span as received, stored once however often it is sent. */
type SpanTable = {
	readonly organization_id: string;
	readonly trace_id: string;
	readonly span_id: string;
	readonly workspace_id: string;
	readonly project_id: string;
	/** The user who sent it. */
	readonly user_id: string;
	readonly parent_span_id: string | null;
	readonly name: string;
	/** `service.span.type`, else `gen_ai.operation.name`, else the name of its kind. */
	readonly type: string;
	readonly kind: number;
	/** Microseconds since 1970: nanoseconds wouldn't fit a number. */
	readonly started_at_us: number;
	readonly ended_at_us: number;
	/** 0 unset, 1 ok, 2 error, as in OTLP. */
	readonly status_code: number;
	/** As received; nothing is derived from it yet. */
	readonly status_message: string | null;
	/** JSON: objects. */
	readonly attributes: string;
	readonly resource: string;
	/** JSON: array. */
	readonly events: string;
	/** What the span belongs to: from its attributes, or from its nearest ancestor that has them. */
	readonly session_id: string | null;
	readonly evaluation_id: string | null;
	readonly evaluation_item_id: string | null;
	readonly assessment_id: string | null;
	/** The attack span that it is or belongs to. */
	readonly attack_span_id: string | null;
	readonly workflow_run_id: string | null;
	/** ISO 8601 in UTC. For people who inspect the database; no operation returns it. */
	readonly received_at: string;
};

type SessionTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly workspace_id: string;
	readonly project_id: string | null;
	/** `gen_ai.conversation.id` as received. Each one is a session of its workspace. */
	readonly conversation_id: string;
	readonly user_id: string;
	readonly runtime_id: string | null;
	readonly agent: string | null;
	readonly model: string;
	readonly title: string | null;
	readonly preview_text: string | null;
	readonly origin: NonNullable<Session['origin']>;
	readonly visibility: Session['visibility'];
	/** JSON: object of text arrays. */
	readonly labels: string;
	readonly archived_at: string | null;
	readonly frozen_at: string | null;
	readonly frozen_by: Session['frozen_by'];
	readonly last_message_at: string | null;
	/** JSON: for each field, the start of the latest span that set it, in microseconds. */
	readonly said_at: string;
	readonly created_at: string;
	readonly updated_at: string;
};

/**
 * One message of a session, with the usage of the latest span that has its id. The session's usage is the sum, computed
 * when read.
 */
type SessionMessageTable = {
	readonly session_id: string;
	readonly message_id: string;
	/** The latest span about the message. */
	readonly span_id: string;
	readonly role: string;
	readonly model: string | null;
	/** Disjoint counts: input excludes both cache counts. */
	readonly input_tokens: number;
	readonly cache_read_input_tokens: number;
	readonly cache_creation_input_tokens: number;
	readonly output_tokens: number;
	readonly tool_call_count: number;
	/** The cost that the span reported; null if it reported none, and the price catalog is used. */
	readonly cost_usd: number | null;
	/** Whether it is a model call, which has usage. */
	readonly is_generation: 0 | 1;
	readonly at_us: number;
};

/** A compaction: messages before `at_us` are compacted. */
type SessionCompactionTable = {
	readonly session_id: string;
	readonly span_id: string;
	readonly at_us: number;
};

/** How many messages a session has; triggers keep it. A session without messages has no row. */
type SessionCountTable = {
	readonly session_id: string;
	readonly messages: number;
};

/** How many spans of a type an evaluation has; triggers keep it. */
type EvaluationTypeTable = {
	readonly workspace_id: string;
	readonly evaluation_id: string;
	readonly type: string;
	readonly spans: number;
	/** Those that failed, and those without a parent. */
	readonly errors: number;
	readonly roots: number;
};

/** How many spans each item of an evaluation has; triggers keep it. */
type EvaluationItemTable = {
	readonly workspace_id: string;
	readonly evaluation_id: string;
	readonly item_id: string;
	readonly spans: number;
};

type AssessmentTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly workspace_id: string;
	readonly project_id: string;
	readonly name: string;
	readonly status: string;
	/** JSON: everything else that the spans reported. */
	readonly detail: string;
	readonly created_at: string;
	readonly updated_at: string;
	readonly completed_at: string | null;
};

/** One attack run: the finding, and the columns that lists sort by. */
type FindingTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly workspace_id: string;
	readonly project_id: string;
	readonly assessment_id: string;
	readonly trace_id: string;
	readonly span_id: string;
	readonly attack_name: string;
	readonly category: string | null;
	readonly severity: string;
	/** Higher is worse, so that severities sort by meaning. */
	readonly severity_rank: number;
	readonly best_score: number | null;
	/** JSON: `FindingDetail` without the fields that have columns of their own. */
	readonly detail: string;
	/** JSON: `AttackSpanResponse`. */
	readonly attack: string;
	readonly created_at: string;
	readonly updated_at: string;
};

type ArtifactTable = {
	readonly organization_id: string;
	readonly workspace_id: string;
	readonly trace_id: string;
	readonly oid: string;
	readonly filename: string | null;
	readonly mime_type: string | null;
	readonly size_bytes: number | null;
};

/** The fingerprint of the key that secrets are sealed with. The key itself is not in the database. */
type SigningKeyTable = {
	readonly name: string;
	/** Base64url. */
	readonly value: string;
	readonly created_at: string;
};

export type TraceTables = {
	readonly spans: SpanTable;
	readonly sessions: SessionTable;
	readonly session_messages: SessionMessageTable;
	readonly session_compactions: SessionCompactionTable;
	readonly session_counts: SessionCountTable;
	readonly evaluation_types: EvaluationTypeTable;
	readonly evaluation_items: EvaluationItemTable;
	readonly assessments: AssessmentTable;
	readonly findings: FindingTable;
	readonly artifacts: ArtifactTable;
	readonly signing_keys: SigningKeyTable;
};
