import type {Role} from '../role.ts';

type UserTable = {
	readonly id: string;
	readonly email: string;
	readonly username: string;
	readonly full_name: string | null;
	readonly password_hash: string | null;
	/** Of the authenticator app that is in force, base32. */
	readonly totp_secret: string | null;
	/** Of an enrollment that is not verified yet. */
	readonly totp_pending_secret: string | null;
	/** The last time step whose code was taken, so that none is good twice. */
	readonly totp_last_step: number | null;
	readonly suspended_at: string | null;
	readonly created_at: string;
};

type RecoveryCodeTable = {
	readonly id: string;
	readonly user_id: string;
	readonly code_hash: string;
	readonly used_at: string | null;
};

/** One for a user: a later one takes the place of what was there. */
type PasswordCodeTable = {
	readonly user_id: string;
	readonly code_hash: string;
	readonly created_at: string;
	readonly expires_at: string;
};

type OrganizationTable = {
	readonly id: string;
	readonly slug: string;
	readonly name: string;
	readonly description: string | null;
	/** Most seconds that a runtime may live, and what it gets where none are asked for; null leaves it to the platform. */
	readonly runtime_seconds_max: number | null;
	readonly runtime_seconds_default: number | null;
	/** Most sandboxes at once; null leaves it to the platform. */
	readonly sandbox_capacity: number | null;
	readonly created_at: string;
	readonly updated_at: string;
};

type StoredBytesTable = {
	readonly organization_id: string;
	/** Of its spans and artifacts, counted as they come. */
	readonly bytes: number;
};

type MemberTable = {
	readonly organization_id: string;
	readonly user_id: string;
	readonly role: Role;
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
	/** The beginning of the key, by which a person tells it from others. */
	readonly prefix: string;
	readonly key_hash: string;
	/** The API key that created it, directly or through what that key opened: with it, this ends. */
	readonly created_with: string | null;
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
	/** All that came of one login; one revocation ends it. */
	readonly family_id: string;
	/** The user agent of the app that logged in, by which users tell their logins apart. */
	readonly program: string | null;
	/** The API key that opened the login, where one did: with it, this ends. */
	readonly api_key_id: string | null;
	readonly created_at: string;
	readonly expires_at: string;
	/** When a refresh token was exchanged for the next one. */
	readonly used_at: string | null;
	readonly revoked_at: string | null;
};

type DeviceAuthorizationTable = {
	readonly id: string;
	readonly device_code_hash: string;
	readonly user_code: string;
	readonly client_id: string;
	readonly status: 'pending' | 'approved' | 'denied' | 'consumed';
	readonly user_id: string | null;
	/** The API key of the browser session that approved it, where it was opened by one. */
	readonly api_key_id: string | null;
	/** Seconds that must lie between two polls. */
	readonly interval_seconds: number;
	readonly last_polled_at: string | null;
	/** The user agent of the app, shown to the user who approves. */
	readonly requested_from: string | null;
	/** The address that it asked from, where it is known. */
	readonly requested_address: string | null;
	readonly created_at: string;
	readonly expires_at: string;
};

type BrowserSessionTable = {
	readonly id: string;
	readonly user_id: string;
	readonly session_hash: string;
	/** Whether the second factor is still owed. */
	readonly second_factor_pending: 0 | 1;
	readonly api_key_id: string | null;
	readonly created_at: string;
	readonly expires_at: string;
	readonly revoked_at: string | null;
};

type AttemptTable = {
	/** What is tried, and a hash of by whom. */
	readonly key: string;
	readonly count: number;
	/** When it is counted from 1 again. */
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
