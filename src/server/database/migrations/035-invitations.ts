/** Invitations to organizations by link. Only the hash of a link's code is stored. */
export const invitations: readonly string[] = [
	`create table invitations (
		id text primary key,
		organization_id text not null references organizations (id) on delete cascade,
		email text not null,
		role text not null,
		code_hash text not null unique,
		invited_by text not null references users (id) on delete cascade,
		created_at text not null,
		expires_at text not null,
		accepted_at text,
		accepted_by text references users (id) on delete set null,
		revoked_at text
	)`,
	'create index invitations_by_organization on invitations (organization_id, created_at, id)',
	'create index invitations_by_address on invitations (organization_id, email)',
	'create index invitations_by_inviter on invitations (invited_by)',
	'create index invitations_by_invitee on invitations (accepted_by)',
];
