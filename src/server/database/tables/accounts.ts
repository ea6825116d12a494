import type {Generated} from 'kysely';
import type {MemberRole} from '../role.ts';

type UserTable = {
	readonly id: string;
	readonly email: string;
	readonly username: string;
	readonly full_name: string | null;
	readonly password_hash: string | null;
	/** The secret of the active authenticator app, in base32 and sealed. */
	readonly totp_secret: string | null;
	/** The secret of an enrollment that isn't verified yet. */
	readonly totp_pending_secret: string | null;
	/** The time step of the last accepted code, so that no code works twice. */
	readonly totp_last_step: number | null;
	readonly suspended_at: string | null;
	/** Whether they administer the whole server. */
	readonly is_administrator: Generated<0 | 1>;
	/** The organization that added them; null for the operator. */
	readonly added_by: Generated<string | null>;
	readonly created_at: string;
};

type RecoveryCodeTable = {
	readonly id: string;
	readonly user_id: string;
	readonly code_hash: string;
	readonly used_at: string | null;
};

/** One for each user; a new code replaces the old one. */
type PasswordCodeTable = {
	readonly user_id: string;
	readonly code_hash: string;
	readonly created_at: string;
	readonly expires_at: string;
};

/** An invitation by link. It ends when it is accepted or revoked, or expires. */
type InvitationTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly email: string;
	readonly role: MemberRole;
	readonly code_hash: string;
	readonly invited_by: string;
	readonly created_at: string;
	readonly expires_at: string;
	readonly accepted_at: string | null;
	readonly accepted_by: string | null;
	readonly revoked_at: string | null;
};

/** A user as an OpenID provider names them. */
type IdentityTable = {
	readonly issuer: string;
	readonly subject: string;
	readonly user_id: string;
	readonly created_at: string;
};

/** A login that began at an OpenID provider. */
type OidcLoginTable = {
	readonly state_hash: string;
	/** Of the cookie of the browser that began it. */
	readonly browser_hash: string;
	/** The page that follows. */
	readonly next: string;
	/** Who was logged in when it began. */
	readonly user_id: string | null;
	readonly expires_at: string;
};

type OrganizationTable = {
	readonly id: string;
	readonly slug: string;
	readonly name: string;
	readonly description: string | null;
	/** The maximum and the default time limit of a runtime in seconds; null for the server's own limits. */
	readonly runtime_seconds_max: number | null;
	readonly runtime_seconds_default: number | null;
	/** Maximum number of sandboxes at once; null for the server's own limit. */
	readonly sandbox_capacity: number | null;
	/** Maximum bytes of spans and artifacts; null means the server's limit. */
	readonly storage_bytes_max: number | null;
	/** Since when nobody has access to it. */
	readonly suspended_at: Generated<string | null>;
	/** When its deletion was requested; null for one that stays. One that is deleted is suspended, too. */
	readonly deleting_at: Generated<string | null>;
	readonly created_at: string;
	readonly updated_at: string;
};

type StoredBytesTable = {
	readonly organization_id: string;
	/** Bytes of spans and artifacts, counted when they are stored. */
	readonly bytes: number;
};

type MemberTable = {
	readonly organization_id: string;
	readonly user_id: string;
	readonly role: MemberRole;
	readonly created_at: string;
};

type WorkspaceTable = {
	readonly id: string;
	readonly organization_id: string;
	readonly slug: string;
	readonly name: string;
	readonly created_at: string;
};

type ProjectTable = {
	readonly id: string;
	readonly workspace_id: string;
	readonly slug: string;
	readonly name: string;
	readonly created_at: string;
};

type ApiKeyTable = {
	readonly id: string;
	readonly user_id: string;
	readonly name: string | null;
	/** The start of the key, which identifies it to people. */
	readonly prefix: string;
	readonly key_hash: string;
	/** The API key that created it, directly or through a session or login. Revoking that key revokes this one. */
	readonly created_with: string | null;
	/** How many requests a minute it may send to each server; null for no limit. */
	readonly requests_per_minute: Generated<number | null>;
	readonly created_at: string;
	readonly last_used_at: string | null;
	readonly expires_at: string | null;
	readonly revoked_at: string | null;
};

type TokenTable = {
	readonly id: string;
	readonly user_id: string;
	readonly kind: 'access' | 'refresh';
	readonly token_hash: string;
	readonly client_id: string;
	/** Identifies a login. All its tokens are revoked together. */
	readonly family_id: string;
	/** The user agent of the app that logged in, which identifies the login to users. */
	readonly program: string | null;
	/** The API key that opened the login, if any. Revoking that key ends the login. */
	readonly api_key_id: string | null;
	readonly created_at: string;
	readonly expires_at: string;
	/** When a refresh token was exchanged for the next one. */
	readonly used_at: string | null;
	readonly revoked_at: string | null;
	/** The session at an OpenID provider that it comes from (`providerSession`); null for none. */
	readonly provider_session: Generated<string | null>;
};

type DeviceAuthorizationTable = {
	readonly id: string;
	readonly device_code_hash: string;
	readonly user_code: string;
	readonly client_id: string;
	readonly status: 'pending' | 'approved' | 'denied' | 'consumed';
	readonly user_id: string | null;
	/** The API key that opened the browser session that approved it, if any. */
	readonly api_key_id: string | null;
	/** Minimum seconds between two polls. */
	readonly interval_seconds: number;
	readonly last_polled_at: string | null;
	/** The user agent of the app, shown to the user who approves. */
	readonly requested_from: string | null;
	/** The client address, if known. */
	readonly requested_address: string | null;
	readonly created_at: string;
	readonly expires_at: string;
	/** The session at an OpenID provider that it comes from (`providerSession`); null for none. */
	readonly provider_session: Generated<string | null>;
};

type BrowserSessionTable = {
	readonly id: string;
	readonly user_id: string;
	readonly session_hash: string;
	/** Whether the second factor is still required. */
	readonly second_factor_pending: 0 | 1;
	readonly api_key_id: string | null;
	readonly created_at: string;
	readonly expires_at: string;
	readonly revoked_at: string | null;
	/** The session at an OpenID provider that it comes from (`providerSession`); null for none. */
	readonly provider_session: Generated<string | null>;
};

type AttemptTable = {
	/** The kind of attempt, and a hash of who made it. */
	readonly key: string;
	readonly count: number;
	/** When the count restarts at 1. */
	readonly resets_at: string;
};

type PreferenceTable = {
	readonly user_id: string;
	/** JSON: array of model ids. */
	readonly enabled_model_ids: string;
	readonly updated_at: string;
};

export type AccountTables = {
	readonly users: UserTable;
	readonly recovery_codes: RecoveryCodeTable;
	readonly password_codes: PasswordCodeTable;
	readonly invitations: InvitationTable;
	readonly identities: IdentityTable;
	readonly oidc_logins: OidcLoginTable;
	readonly organizations: OrganizationTable;
	readonly stored_bytes: StoredBytesTable;
	readonly members: MemberTable;
	readonly workspaces: WorkspaceTable;
	readonly projects: ProjectTable;
	readonly api_keys: ApiKeyTable;
	readonly tokens: TokenTable;
	readonly device_authorizations: DeviceAuthorizationTable;
	readonly browser_sessions: BrowserSessionTable;
	readonly attempts: AttemptTable;
	readonly preferences: PreferenceTable;
};
