import type {RecentKind, SeenId} from '../config/recents.ts';
import type {OperationId} from '../contract/extensions.ts';
import type {ParameterName} from '../contract/parameters.ts';
import {isJsonObject} from '../core/json.ts';

/** The kind of id in each parameter of a path; undefined for ids that aren't completed. */
const parameterKinds: Readonly<Record<ParameterName, RecentKind | undefined>> = {
	org: 'org',
	organization: 'org',
	workspace: 'workspace',
	project: 'project',
	itemId: 'item',
	environmentId: 'environment',
	assessmentId: 'assessment',
	findingId: 'finding',
	runId: 'run',
	userId: 'user',
	keyId: 'key',
	/** Users name an invitation by its address. */
	invitationId: undefined,
	runtimeId: 'runtime',
	sessionId: 'session',
	evaluationId: 'evaluation',
	traceId: 'trace',
	oid: undefined,
};

/** The kind of the `id` in an answer, or in each row of a list. */
const answerKinds: Readonly<Partial<Record<OperationId, RecentKind>>> = {
	createEnvironment: 'environment',
	listEnvironments: 'environment',
	getEnvironment: 'environment',
	stopEnvironment: 'environment',
	unarchiveSession: 'session',
	listSessions: 'session',
	resumeRuntime: 'runtime',
	listRunItems: 'item',
	listRuns: 'run',
	getFinding: 'finding',
	listFindings: 'finding',
	listAssessments: 'assessment',
	createApiKey: 'key',
	updateApiKey: 'key',
	listApiKeys: 'key',
	listRuntimes: 'runtime',
	createRuntime: 'runtime',
	getRuntime: 'runtime',
	stopRuntime: 'runtime',
	listOrganizations: 'org',
	listWorkspaces: 'workspace',
	listProjects: 'project',
	createWorkspace: 'workspace',
	getWorkspace: 'workspace',
	updateWorkspace: 'workspace',
	createProject: 'project',
	getProject: 'project',
	updateProject: 'project',
	listMembers: 'member',
	addMember: 'member',
	updateMember: 'member',
	listUsers: 'member',
};

/** The field that paths use instead of `id`. */
const nameFields: Readonly<Partial<Record<OperationId, string>>> = {
	listOrganizations: 'slug',
	listWorkspaces: 'slug',
	listProjects: 'slug',
	createWorkspace: 'slug',
	getWorkspace: 'slug',
	updateWorkspace: 'slug',
	createProject: 'slug',
	getProject: 'slug',
	updateProject: 'slug',
	listMembers: 'email',
	addMember: 'email',
	updateMember: 'email',
	listUsers: 'email',
};

/** The rows of an answer whose ids are kept. */
export const mostRows = 30;

/** Operations after which the id in their path names nothing any more. */
const ending: readonly OperationId[] = [
	'revokeApiKey',
	'deleteSession',
	'deleteEnvironment',
	'deleteProject',
	'deleteOrganization',
	'deleteServerOrganization',
];

/**
 * Returns the ids of a successful call: those of its path and those of its answer, the first row first. A full id from the
 * server replaces the prefix that was typed. Revoked ids are left out.
 */
export function seenIds(
	operation: OperationId,
	params: Readonly<Record<string, string>>,
	answer: unknown,
): readonly SeenId[] {
	const kind = answerKinds[operation];
	const answered = kind ? idsOf(answer, nameFields[operation] ?? 'id').map(id => ({kind, id})) : [];
	const task = operation === 'createEnvironment' && isJsonObject(answer) ? answer['task_ref'] : undefined;
	const given = Object.entries(params).flatMap(([name, id]) => {
		const own = Object.hasOwn(parameterKinds, name) ? parameterKinds[name as ParameterName] : undefined;
		const isReplaced = own === kind && answered.length > 0;
		return own && !isReplaced && !ending.includes(operation) ? [{kind: own, id}] : [];
	});
	return [...given, ...answered, ...(typeof task === 'string' ? [{kind: 'task' as const, id: task}] : [])];
}

/** Returns the `id`, or another field, of an object or of the rows of a list in it. */
function idsOf(answer: unknown, field: string): readonly string[] {
	if (isJsonObject(answer) && typeof answer[field] === 'string') {
		return [answer[field]];
	}

	const lists: unknown[] = Array.isArray(answer) ? [answer] : isJsonObject(answer) ? Object.values(answer) : [];
	const rows: unknown[] = lists.filter(Array.isArray).flat();
	return rows
		.slice(0, mostRows)
		.flatMap(row => (isJsonObject(row) && typeof row[field] === 'string' ? [row[field]] : []));
}
