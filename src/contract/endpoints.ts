import * as z from 'zod/mini';
import {endpoint} from './endpoint.ts';
import {
	apiKeySchema,
	autoRefillSchema,
	createApiKeySchema,
	mfaCodeSchema,
	mfaEnrollmentSchema,
	organizationSchema,
	updateOrganizationSchema,
} from './resources/account.ts';
import {artifactQuerySchema, artifactSchema} from './resources/artifact.ts';
import {assessmentsSchema, attackSpanSchema} from './resources/assessment.ts';
import {createEnvironmentSchema, environmentLogsSchema, environmentSchema} from './resources/environment.ts';
import {evaluationTraceStatsSchema} from './resources/evaluation.ts';
import {findingSchema, findingsQuerySchema, findingsSchema} from './resources/finding.ts';
import {
	itemSchemasSchema,
	runItemSchema,
	runItemsQuerySchema,
	stageCreateSchema,
	stageSchema,
} from './resources/item.ts';
import {pageQuerySchema} from './resources/page.ts';
import {
	updateUserPreferencesSchema,
	userPreferencesQuerySchema,
	userPreferencesSchema,
} from './resources/preferences.ts';
import {claimRunSchema, runClaimSchema} from './resources/run.ts';
import {runtimeSchema} from './resources/runtime.ts';
import {sessionSchema} from './resources/session.ts';
import {notShown} from './scalars.ts';

export const org = '/api/v1/org/:org';
export const workspace = `${org}/ws/:workspace` as const;

/** The REST API, one row per operation, in the order of the specification. */
export const endpoints = {
	createSubmissionStage: endpoint({
		method: 'POST',
		path: `${workspace}/projects/:project/items/:itemId/submission-stages`,
		summary: 'Stage an item submission',
		description: 'Creates the active stage for one item and action, or returns the existing one.',
		auth: 'bearer',
		body: stageCreateSchema,
		result: stageSchema,
		errors: [400, 401, 403, 404, 409, 422, 426, 429, 500, 502],
	}),
	createEnvironment: endpoint({
		method: 'POST',
		path: `${workspace}/environments`,
		summary: 'Provision task environment',
		auth: 'bearer',
		body: createEnvironmentSchema,
		result: environmentSchema,
	}),
	getEnvironmentLogs: endpoint({
		method: 'GET',
		path: `${workspace}/environments/:environmentId/logs`,
		summary: 'Tail environment logs',
		auth: 'bearer',
		result: environmentLogsSchema,
	}),
	verifyMfaEnrollment: endpoint({
		method: 'POST',
		path: '/api/v1/auth/mfa/enroll/verify',
		summary: 'Verify MFA enrollment',
		auth: 'bearer',
		body: mfaCodeSchema,
		result: mfaEnrollmentSchema,
	}),
	resolveTraceArtifact: endpoint({
		method: 'GET',
		path: `${workspace}/traces/:traceId/artifacts/:oid`,
		summary: 'Resolve a trace artifact to a presigned URL',
		description: '404 if no span of the trace names the artifact, or if it belongs to others.',
		auth: 'api-key',
		query: artifactQuerySchema,
		result: artifactSchema,
	}),
	unarchiveSession: endpoint({
		method: 'POST',
		path: `${workspace}/sessions/:sessionId/unarchive`,
		summary: 'Unarchive session',
		auth: 'bearer',
		result: sessionSchema,
	}),
	updateUserPreferences: endpoint({
		method: 'PATCH',
		path: '/api/v1/user/preferences',
		summary: 'Update user preferences',
		auth: 'bearer',
		body: updateUserPreferencesSchema,
		result: userPreferencesSchema,
	}),
	getUserPreferences: endpoint({
		method: 'GET',
		path: '/api/v1/user/preferences',
		summary: 'Get user preferences',
		auth: 'bearer',
		query: userPreferencesQuerySchema,
		result: userPreferencesSchema,
	}),
	getAttackSpans: endpoint({
		method: 'GET',
		path: `${workspace}/airt/assessments/:assessmentId/traces/attacks`,
		summary: 'Get attack spans',
		auth: 'bearer',
		result: z.array(attackSpanSchema),
	}),
	resumeRuntime: endpoint({
		method: 'POST',
		path: `${workspace}/runtimes/:runtimeId/resume`,
		summary: 'Resume runtime',
		auth: 'bearer',
		result: runtimeSchema,
	}),
	listRunItems: endpoint({
		method: 'GET',
		path: `${workspace}/workflows/runs/:runId/items`,
		summary: 'List structured output of a run',
		auth: 'bearer',
		query: runItemsQuerySchema,
		result: z.array(runItemSchema),
	}),
	getItemSchemas: endpoint({
		method: 'GET',
		path: `${workspace}/projects/:project/items/schemas`,
		summary: 'Item type schemas',
		auth: 'bearer',
		result: itemSchemasSchema,
	}),
	getEvaluationTraceStats: endpoint({
		method: 'GET',
		path: `${workspace}/evaluation/:evaluationId/traces`,
		summary: 'Get evaluation trace stats',
		auth: 'bearer',
		result: evaluationTraceStatsSchema,
	}),
	getAutoRefill: endpoint({
		method: 'GET',
		path: `${org}/credits/auto-refill`,
		summary: 'Get auto-refill configuration',
		auth: 'bearer',
		result: autoRefillSchema,
	}),
	removeMemberLimit: endpoint({
		method: 'DELETE',
		path: `${org}/credits/member-limits/:userId`,
		summary: 'Remove member credit limit',
		auth: 'bearer',
		deprecated: true,
	}),
	getFinding: endpoint({
		method: 'GET',
		path: `${workspace}/airt/findings/:findingId`,
		summary: 'Get finding detail',
		auth: 'bearer',
		result: findingSchema,
	}),
	claimRun: endpoint({
		method: 'POST',
		path: `${workspace}/workflows/runs/:runId/claim`,
		summary: 'Claim a pending run',
		auth: 'bearer',
		body: claimRunSchema,
		result: runClaimSchema,
		idempotencyKey: 'execution_id',
	}),
	updateOrganization: endpoint({
		method: 'PATCH',
		path: org,
		summary: 'Update organization',
		description: 'Requires the owner role.',
		auth: 'bearer',
		body: updateOrganizationSchema,
		result: organizationSchema,
	}),
	listAssessments: endpoint({
		method: 'GET',
		path: `${workspace}/airt/assessments`,
		summary: 'List assessments',
		auth: 'bearer',
		query: pageQuerySchema,
		result: assessmentsSchema,
	}),
	listFindings: endpoint({
		method: 'GET',
		path: `${workspace}/airt/projects/:project/findings`,
		summary: 'List project findings',
		auth: 'bearer',
		query: findingsQuerySchema,
		result: findingsSchema,
	}),
	pushTraces: endpoint({
		method: 'POST',
		path: `${org}/otel/traces`,
		summary: 'Push traces',
		auth: 'bearer',
		raw: ['application/x-protobuf', 'application/json'],
		result: notShown,
	}),
	listApiKeys: endpoint({
		method: 'GET',
		path: '/api/v1/user/api-keys',
		summary: 'List active API keys',
		auth: 'bearer',
		result: notShown,
	}),
	createApiKey: endpoint({
		method: 'POST',
		path: '/api/v1/user/api-keys',
		summary: 'Create an API key',
		auth: 'bearer',
		body: createApiKeySchema,
		result: apiKeySchema,
	}),
	revokeApiKey: endpoint({
		method: 'DELETE',
		path: '/api/v1/user/api-keys/:keyId',
		summary: 'Revoke an API key',
		auth: 'bearer',
		result: notShown,
	}),
} as const;
