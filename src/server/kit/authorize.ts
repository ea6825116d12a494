import type {OperationId} from '../../contract/extensions.ts';
import {type MemberRole, roles} from '../database/role.ts';

/** The authenticated caller of a request. */
export type Principal = {
	readonly userId: string;
	/** The API key of the request, or the one its token was issued for. Revoking the key invalidates both. */
	readonly apiKeyId: string | null;
};

/**
 * The minimum role for each operation, in the organization of its path; `self` for operations that only affect the
 * caller, and `administrator` for those that concern the whole server. An operation without a row doesn't compile, and what isn't allowed here is forbidden (SAFETY 26).
 */
const requiredRole: {readonly [Id in OperationId]: MemberRole | 'self' | 'administrator'} = {
	createSubmissionStage: 'member',
	createEnvironment: 'member',
	getEnvironmentLogs: 'member',
	verifyMfaEnrollment: 'self',
	resolveTraceArtifact: 'member',
	unarchiveSession: 'member',
	updateUserPreferences: 'self',
	getUserPreferences: 'self',
	getAttackSpans: 'member',
	resumeRuntime: 'member',
	listRunItems: 'member',
	getItemSchemas: 'member',
	getEvaluationTraceStats: 'member',
	getAutoRefill: 'member',
	removeMemberLimit: 'admin',
	getFinding: 'member',
	claimRun: 'member',
	updateOrganization: 'owner',
	listAssessments: 'member',
	listFindings: 'member',
	pushTraces: 'member',
	listApiKeys: 'self',
	createApiKey: 'self',
	revokeApiKey: 'self',
	listOrganizations: 'self',
	listWorkspaces: 'member',
	listProjects: 'member',
	listEnvironments: 'member',
	getEnvironment: 'member',
	stopEnvironment: 'member',
	listRuntimes: 'member',
	createRuntime: 'member',
	getRuntime: 'member',
	stopRuntime: 'member',
	listSessions: 'member',
	listRuns: 'member',
	updateApiKey: 'self',
	createWorkspace: 'admin',
	getWorkspace: 'member',
	updateWorkspace: 'admin',
	createProject: 'admin',
	getProject: 'member',
	updateProject: 'admin',
	listMembers: 'member',
	addMember: 'admin',
	updateMember: 'admin',
	removeMember: 'admin',
	listInvitations: 'admin',
	createInvitation: 'admin',
	revokeInvitation: 'admin',
	listAuditLog: 'admin',
	listServerAuditLog: 'administrator',
	listUsers: 'administrator',
	suspendUser: 'administrator',
	reinstateUser: 'administrator',
	listServerOrganizations: 'administrator',
	suspendOrganization: 'administrator',
	reinstateOrganization: 'administrator',
	exportSpans: 'member',
	deleteSession: 'member',
	deleteEnvironment: 'member',
	deleteProject: 'admin',
	deleteOrganization: 'owner',
	deleteServerOrganization: 'administrator',
};

/** Returns whether an operation is for administrators of the server, whatever their role in organizations. */
export function isForAdministrators(action: OperationId): boolean {
	return requiredRole[action] === 'administrator';
}

/** Returns whether a member with this role (or a non-member, if undefined) may perform the action. */
export function authorize(action: OperationId, role: MemberRole | undefined): boolean {
	const required = requiredRole[action];
	if (required === 'administrator') {
		return false;
	}

	return required === 'self' || (role !== undefined && roles.indexOf(role) >= roles.indexOf(required));
}
