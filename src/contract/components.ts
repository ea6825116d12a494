import {problemSchema, validationErrorItemSchema} from './problem.ts';
import {artifactSchema} from './resources/artifact.ts';
import {assessmentSchema, assessmentsSchema, attackSpanSchema} from './resources/assessment.ts';
import {autoRefillSchema} from './resources/credits.ts';
import {
	createEnvironmentSchema,
	environmentEntrySchema,
	environmentLogsSchema,
	environmentSchema,
	environmentsSchema,
} from './resources/environment.ts';
import {evaluationTraceStatsSchema} from './resources/evaluation.ts';
import {
	findingMetricsSchema,
	findingReviewEventSchema,
	findingSchema,
	findingsSchema,
	leakedRecordSchema,
	querySampleSchema,
	toolCallEvidenceSchema,
	trialEvidenceSchema,
} from './resources/finding.ts';
import {
	itemSchemaEntrySchema,
	itemSchemasSchema,
	runItemSchema,
	stageCreateSchema,
	stageSchema,
} from './resources/item.ts';
import {mediaSourceSchema, messagePartSchema} from './resources/media.ts';
import {
	membershipSchema,
	membershipsSchema,
	organizationSchema,
	projectSchema,
	projectsSchema,
	updateOrganizationSchema,
	workspaceSchema,
	workspacesSchema,
} from './resources/organization.ts';
import {claimRunSchema, runClaimSchema, runSchema, runsSchema} from './resources/run.ts';
import {createRuntimeSchema, runtimeInstanceSchema, runtimeSchema, runtimesSchema} from './resources/runtime.ts';
import {
	sessionCreatorSchema,
	sessionEntrySchema,
	sessionSchema,
	sessionsSchema,
	sessionUsageSchema,
} from './resources/session.ts';
import {
	createApiKeySchema,
	inferenceInfoSchema,
	mfaCodeSchema,
	mfaEnrollmentSchema,
	updateUserPreferencesSchema,
	userPreferencesSchema,
} from './resources/user.ts';

/** The schemas of the API by their names in the specification; those without one have a name in the same style. */
export const components = {
	APIErrorPayload: problemSchema,
	ArtifactReference: artifactSchema,
	Assessment: assessmentSchema,
	AssessmentList: assessmentsSchema,
	AttackSpanResponse: attackSpanSchema,
	AutoRefillConfigResponse: autoRefillSchema,
	CreateApiKeyRequest: createApiKeySchema,
	CreateEnvironmentRequest: createEnvironmentSchema,
	CreateRuntimeRequest: createRuntimeSchema,
	EnvironmentEntry: environmentEntrySchema,
	EnvironmentList: environmentsSchema,
	EnvironmentLogsResponse: environmentLogsSchema,
	EnvironmentResponse: environmentSchema,
	EvaluationTraceStatsResponse: evaluationTraceStatsSchema,
	FindingDetail: findingSchema,
	FindingList: findingsSchema,
	FindingMetricsDetail: findingMetricsSchema,
	FindingReviewEvent: findingReviewEventSchema,
	InferenceInfoWithStatus: inferenceInfoSchema,
	ItemSchemaEntry: itemSchemaEntrySchema,
	ItemSchemasResponse: itemSchemasSchema,
	LeakedRecord: leakedRecordSchema,
	MediaSource: mediaSourceSchema,
	Membership: membershipSchema,
	MembershipList: membershipsSchema,
	MessagePart: messagePartSchema,
	MfaCodeRequest: mfaCodeSchema,
	MfaEnrollmentVerifyResponse: mfaEnrollmentSchema,
	Organization: organizationSchema,
	Project: projectSchema,
	ProjectList: projectsSchema,
	QuerySample: querySampleSchema,
	RunClaimRequest: claimRunSchema,
	RunClaimResponse: runClaimSchema,
	RunEntry: runSchema,
	RunList: runsSchema,
	RuntimeInstanceData: runtimeInstanceSchema,
	RuntimeList: runtimesSchema,
	RuntimeResponse: runtimeSchema,
	SessionCreatorResponse: sessionCreatorSchema,
	SessionEntry: sessionEntrySchema,
	SessionList: sessionsSchema,
	SessionResponse: sessionSchema,
	SessionUsageResponse: sessionUsageSchema,
	StageCreateRequest: stageCreateSchema,
	StageResponse: stageSchema,
	ToolCallEvidence: toolCallEvidenceSchema,
	TrialEvidence: trialEvidenceSchema,
	UpdateOrganizationRequest: updateOrganizationSchema,
	UpdateUserPreferencesRequest: updateUserPreferencesSchema,
	UserPreferencesResponse: userPreferencesSchema,
	ValidationErrorItem: validationErrorItemSchema,
	WorkflowRunItemResponse: runItemSchema,
	Workspace: workspaceSchema,
	WorkspaceList: workspacesSchema,
} as const;
