import {problemSchema, validationErrorItemSchema} from './problem.ts';
import {createApiKeySchema, mfaCodeSchema, mfaEnrollmentSchema} from './resources/account.ts';
import {artifactSchema} from './resources/artifact.ts';
import {assessmentSchema, assessmentsSchema, attackSpanSchema} from './resources/assessment.ts';
import {autoRefillSchema} from './resources/credits.ts';
import {createEnvironmentSchema, environmentLogsSchema, environmentSchema} from './resources/environment.ts';
import {evaluationTraceStatsSchema} from './resources/evaluation.ts';
import {findingSchema, findingsSchema} from './resources/finding.ts';
import {findingReviewEventSchema, toolCallEvidenceSchema, trialEvidenceSchema} from './resources/finding-evidence.ts';
import {findingMetricsSchema, leakedRecordSchema, querySampleSchema} from './resources/finding-metrics.ts';
import {itemSchemaEntrySchema, itemSchemasSchema, runItemSchema} from './resources/item.ts';
import {mediaSourceSchema, messagePartSchema} from './resources/media.ts';
import {organizationSchema, updateOrganizationSchema} from './resources/organization.ts';
import {inferenceInfoSchema, updateUserPreferencesSchema, userPreferencesSchema} from './resources/preferences.ts';
import {claimRunSchema, runClaimSchema} from './resources/run-claim.ts';
import {runtimeInstanceSchema, runtimeSchema} from './resources/runtime.ts';
import {sessionCreatorSchema, sessionSchema, sessionUsageSchema} from './resources/session.ts';
import {stageCreateSchema, stageSchema} from './resources/stage.ts';

/** The schemas of the API by the names of the specification; what it leaves without one has a name in the same style. */
export const components = {
	APIErrorPayload: problemSchema,
	ArtifactReference: artifactSchema,
	Assessment: assessmentSchema,
	AssessmentList: assessmentsSchema,
	AttackSpanResponse: attackSpanSchema,
	AutoRefillConfigResponse: autoRefillSchema,
	CreateApiKeyRequest: createApiKeySchema,
	CreateEnvironmentRequest: createEnvironmentSchema,
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
	MessagePart: messagePartSchema,
	MfaCodeRequest: mfaCodeSchema,
	MfaEnrollmentVerifyResponse: mfaEnrollmentSchema,
	Organization: organizationSchema,
	QuerySample: querySampleSchema,
	RunClaimRequest: claimRunSchema,
	RunClaimResponse: runClaimSchema,
	RuntimeInstanceData: runtimeInstanceSchema,
	RuntimeResponse: runtimeSchema,
	SessionCreatorResponse: sessionCreatorSchema,
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
} as const;
