import type {RecentKind, SeenId} from '../config/recents.ts';
import type {OperationId} from '../contract/operations.ts';
import type {ParameterName} from '../contract/parameters.ts';
import {isJsonObject} from '../core/json.ts';

/** What each parameter of a path is the id of; undefined for what nobody types twice. */
const parameterKinds: Readonly<Record<ParameterName, RecentKind | undefined>> = {
	org: 'org',
	workspace: 'workspace',
	project: 'project',
	itemId: 'item',
	environmentId: 'environment',
	assessmentId: 'assessment',
	findingId: 'finding',
	runId: 'run',
	userId: 'user',
	keyId: 'key',
	runtimeId: 'runtime',
	sessionId: 'session',
	evaluationId: 'evaluation',
	traceId: 'trace',
	oid: undefined,
};

/** What an answer, or each row of a list, is one of, by its `id`. */
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
	listApiKeys: 'key',
	listRuntimes: 'runtime',
	createRuntime: 'runtime',
	getRuntime: 'runtime',
	listOrganizations: 'org',
	listWorkspaces: 'workspace',
	listProjects: 'project',
};

/** Where paths know something by another field than its id. */
const nameFields: Readonly<Partial<Record<OperationId, string>>> = {
	listOrganizations: 'slug',
	listWorkspaces: 'slug',
	listProjects: 'slug',
};

const mostRows = 30;

/**
 * The ids that a call which went well has shown: those of its path and those of what came back, the first row first. A
 * whole id from the server stands in for the beginning of it that was typed. What is revoked is not offered again.
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
		return own && !isReplaced && operation !== 'revokeApiKey' ? [{kind: own, id}] : [];
	});
	return [...given, ...answered, ...(typeof task === 'string' ? [{kind: 'task' as const, id: task}] : [])];
}

/** The `id` of an object, or another field; of a list, or of an object around one, those of its rows. */
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
