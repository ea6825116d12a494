import type {ColumnType} from 'kysely';

/** A column that is written once: an update of it doesn't compile. */
type Once<Type> = ColumnType<Type, Type, never>;

type AuditLogTable = {
	readonly id: Once<string>;
	readonly at: Once<string>;
	/** Null for an act that belongs to no organization, such as one on a user. */
	readonly organization_id: Once<string | null>;
	readonly actor_kind: Once<'user' | 'operator'>;
	/** Null for the operator. */
	readonly actor_id: Once<string | null>;
	/** The e-mail address of the user at that time, or `operator`. */
	readonly actor: Once<string>;
	readonly act: Once<string>;
	readonly subject_id: Once<string | null>;
	/** What the subject was called at that time. */
	readonly subject: Once<string>;
	/** JSON: object of what was set. */
	readonly details: Once<string>;
	readonly address: Once<string | null>;
	readonly request_id: Once<string | null>;
};

export type AuditTables = {readonly audit_log: AuditLogTable};
