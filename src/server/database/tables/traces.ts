import type {Session} from '../../../contract/resources/session.ts';

/** A span as it came, once however often it was sent. */
type SpanTable = {
	readonly organization_id: string;
	readonly trace_id: string;
	readonly span_id: string;
	readonly workspace_id: string;
	readonly project_id: string;
	/** Who sent it. */
	readonly user_id: string;
	readonly parent_span_id: string | null;
	readonly name: string;
	/** `service.span.type`, else `gen_ai.operation.name`, else its kind in a word. */
	readonly type: string;
	readonly kind: number;
	/** Microseconds since 1970: nanoseconds would not fit a number. */
	readonly started_at_us: number;
	readonly ended_at_us: number;
	/** 0 unset, 1 ok, 2 error, as OTLP counts. */
	readonly status_code: number;
	/** As it came; nothing derives from it yet. */
	readonly status_message: string | null;
	/** JSON: objects. */
	readonly attributes: string;
	readonly resource: string;
	/** JSON: array. */
	readonly events: string;
	/** What the span belongs to, as its attributes say, or else the nearest span above it that says so. */
	readonly session_id: string | null;
	readonly evaluation_id: string | null;
	readonly evaluation_item_id: string | null;
	readonly assessment_id: string | null;
	/** The attack that it is, or is a part of. */
	readonly attack_span_id: string | null;
	readonly workflow_run_id: string | null;
	/** ISO 8601 in UTC; for people who inspect the database, no operation returns it. */
	readonly received_at: string;
};

type SessionTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly workspace_id: string;
	readonly project_id: string | null;
	/** `gen_ai.conversation.id` as it came; one session for each in a workspace. */
	readonly conversation_id: string;
	readonly user_id: string;
	readonly runtime_id: string | null;
	readonly agent: string | null;
	readonly model: string;
	readonly title: string | null;
	readonly preview_text: string | null;
	readonly origin: NonNullable<Session['origin']>;
	readonly visibility: Session['visibility'];
	/** JSON: object of arrays of text. */
	readonly labels: string;
	readonly archived_at: string | null;
	readonly frozen_at: string | null;
	readonly frozen_by: Session['frozen_by'];
	readonly last_message_at: string | null;
	/** JSON: by field, the microseconds of the span that said it last. */
	readonly said_at: string;
	readonly created_at: string;
	readonly updated_at: string;
};

/** One message of a session. Its usage is what the last span with its id said; the session's is their sum when read. */
type SessionMessageTable = {
	readonly session_id: string;
	readonly message_id: string;
	/** The span that spoke of it last. */
	readonly span_id: string;
	readonly role: string;
	readonly model: string | null;
	/** Disjoint, as ARCHITECTURE says: input leaves both cache buckets out. */
	readonly input_tokens: number;
	readonly cache_read_input_tokens: number;
	readonly cache_creation_input_tokens: number;
	readonly output_tokens: number;
	readonly tool_call_count: number;
	/** As the span said it; null where it said nothing, and the catalog is asked. */
	readonly cost_usd: number | null;
	/** Whether it is an inference, which has usage. */
	readonly is_generation: 0 | 1;
	readonly at_us: number;
};

/** From here on the messages before `at_us` are compacted. */
type SessionCompactionTable = {
	readonly session_id: string;
	readonly span_id: string;
	readonly at_us: number;
};

type AssessmentTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly workspace_id: string;
	readonly project_id: string;
	readonly name: string;
	readonly status: string;
	/** JSON: whatever else the spans said of it. */
	readonly detail: string;
	readonly created_at: string;
	readonly updated_at: string;
	readonly completed_at: string | null;
};

/** One attack run: the finding, and the columns that lists are sorted by. */
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
	/** The higher the worse, so that severities sort by what they mean. */
	readonly severity_rank: number;
	readonly best_score: number | null;
	/** JSON: the whole `FindingDetail` but for what other columns hold. */
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

/** What a database knows the key by that its secrets are sealed with; the key itself is not in it. */
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
	readonly assessments: AssessmentTable;
	readonly findings: FindingTable;
	readonly artifacts: ArtifactTable;
	readonly signing_keys: SigningKeyTable;
};
