import type {OperationId} from '../../src/contract/extensions.ts';

/** The callers that request resources of the owner's organization, in its first workspace. */
export const callers = [
	'anonymous',
	'badKey',
	'expiredKey',
	'revokedKey',
	'suspendedUser',
	'accessToken',
	'expiredAccessToken',
	'revokedAccessToken',
	'member',
	'admin',
	'owner',
	/** A member who names another workspace of the organization, if the path names one. */
	'otherWorkspace',
	/** The owner of another organization. */
	'otherOrganization',
] as const;

export type Caller = (typeof callers)[number];

/** The expected status for each caller. */
type Row = {readonly [Who in Caller]: 200 | 204 | 401 | 403 | 404};

const nobody = {
	anonymous: 401,
	badKey: 401,
	expiredKey: 401,
	revokedKey: 401,
	suspendedUser: 401,
	expiredAccessToken: 401,
	revokedAccessToken: 401,
} as const;

/** Every member may do it. The access token is the owner's. */
const members = {
	...nobody,
	accessToken: 200,
	member: 200,
	admin: 200,
	owner: 200,
	otherWorkspace: 404,
	otherOrganization: 404,
} as const;

/** Resources of an organization but not of a workspace. */
const wholeOrganization = {...members, otherWorkspace: 200} as const;

/** Operations that only affect the caller. */
const self = {...members, otherWorkspace: 200, otherOrganization: 200} as const;

/** Acts of admins in an organization. */
const admins = {...wholeOrganization, member: 403, otherWorkspace: 403} as const;

/** What concerns the whole server. Its first user administers it; the role in an organization counts for nothing. */
const administrators = {...admins, admin: 403, otherOrganization: 403} as const;
/** What a member may not delete, because it is the owner's. */
const deletions = {...members, accessToken: 204, member: 403, admin: 204, owner: 204} as const;

/** An operation without a row doesn't compile. */
export const matrix: {readonly [Id in OperationId]: Row} = {
	createSubmissionStage: members,
	createEnvironment: members,
	getEnvironmentLogs: members,
	verifyMfaEnrollment: self,
	resolveTraceArtifact: members,
	unarchiveSession: members,
	updateUserPreferences: self,
	/** With the models that the organization allows. */
	getUserPreferences: wholeOrganization,
	getAttackSpans: members,
	/** Only its owner may use a runtime. */
	resumeRuntime: {...members, member: 403, admin: 403},
	listRunItems: members,
	getItemSchemas: members,
	getEvaluationTraceStats: members,
	getAutoRefill: wholeOrganization,
	removeMemberLimit: {
		...wholeOrganization,
		accessToken: 204,
		member: 403,
		admin: 204,
		owner: 204,
		otherWorkspace: 403,
	},
	getFinding: members,
	claimRun: members,
	updateOrganization: {...wholeOrganization, member: 403, admin: 403, otherWorkspace: 403},
	/** The other workspace has its own list. */
	listAssessments: {...members, otherWorkspace: 200},
	listFindings: members,
	/** A member may send spans to every workspace of their organization. */
	pushTraces: wholeOrganization,
	listApiKeys: self,
	createApiKey: self,
	/** Only its user may use a key. */
	revokeApiKey: {
		...self,
		accessToken: 204,
		owner: 204,
		member: 404,
		admin: 404,
		otherWorkspace: 404,
		otherOrganization: 404,
	},
	updateApiKey: {...self, member: 404, admin: 404, otherWorkspace: 404, otherOrganization: 404},
	listOrganizations: self,
	listWorkspaces: wholeOrganization,
	/** The other workspace has its own lists. */
	listProjects: {...members, otherWorkspace: 200},
	listEnvironments: {...members, otherWorkspace: 200},
	getEnvironment: members,
	/** The owner's; an admin may stop it, too. */
	stopEnvironment: {...members, member: 403},
	listRuntimes: {...members, otherWorkspace: 200},
	createRuntime: members,
	getRuntime: members,
	/** The owner's; an admin may stop it, too. */
	stopRuntime: {...members, member: 403},
	listSessions: {...members, otherWorkspace: 200},
	listRuns: {...members, otherWorkspace: 200},
	createWorkspace: admins,
	getWorkspace: wholeOrganization,
	updateWorkspace: {...admins, otherWorkspace: 403},
	createProject: {...admins, otherWorkspace: 403},
	getProject: members,
	updateProject: {...admins, otherWorkspace: 404},
	listMembers: wholeOrganization,
	addMember: admins,
	updateMember: admins,
	removeMember: admins,
	listInvitations: admins,
	createInvitation: admins,
	revokeInvitation: admins,
	listAuditLog: admins,
	listServerAuditLog: administrators,
	listUsers: administrators,
	suspendUser: administrators,
	reinstateUser: administrators,
	listServerOrganizations: administrators,
	suspendOrganization: administrators,
	reinstateOrganization: administrators,
	/** The other workspace has its own. */
	exportSpans: {...members, otherWorkspace: 200},
	/** The owner's; an admin may delete them, too. */
	deleteSession: deletions,
	deleteEnvironment: deletions,
	deleteProject: deletions,
	deleteOrganization: {...deletions, admin: 403, otherWorkspace: 403},
	deleteServerOrganization: {...administrators, accessToken: 204, owner: 204},
};
