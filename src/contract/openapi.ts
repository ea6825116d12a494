import * as z from 'zod/mini';
import type {JsonObject} from '../core/json.ts';
import {type Endpoint, mayLackBody} from './endpoint.ts';
import {operations} from './extensions.ts';
import {pathParameters} from './parameters.ts';
import {parametersOf, pathTemplate, wireName} from './path.ts';
import {errorStatuses, problemSchema, validationErrorItemSchema} from './problem.ts';
import {
	autoRefillSchema,
	createApiKeySchema,
	membershipSchema,
	membershipsSchema,
	mfaCodeSchema,
	mfaEnrollmentSchema,
	organizationSchema,
	projectSchema,
	projectsSchema,
	updateOrganizationSchema,
	workspaceSchema,
	workspacesSchema,
} from './resources/account.ts';
import {artifactSchema} from './resources/artifact.ts';
import {assessmentSchema, assessmentsSchema, attackSpanSchema} from './resources/assessment.ts';
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
import {inferenceInfoSchema, updateUserPreferencesSchema, userPreferencesSchema} from './resources/preferences.ts';
import {claimRunSchema, runClaimSchema, runSchema, runsSchema} from './resources/run.ts';
import {createRuntimeSchema, runtimeInstanceSchema, runtimeSchema, runtimesSchema} from './resources/runtime.ts';
import {
	sessionCreatorSchema,
	sessionEntrySchema,
	sessionSchema,
	sessionsSchema,
	sessionUsageSchema,
} from './resources/session.ts';

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

type Options = {
	/** Origin of the API. */
	readonly server: string;
};

type Schema = z.core.$ZodType;

const names = z.registry<{id: string}>();
for (const [id, schema] of Object.entries(components)) {
	names.add(schema, {id});
}

const refTo = (id: string) => `#/components/schemas/${id}`;
const security = {bearer: [{bearer: []}], 'api-key': [{apiKey: []}]} as const;

/** Returns the whole API as an OpenAPI 3.1 document, generated from the table of operations. */
export function openApiDocument({server}: Options): JsonObject {
	const paths: Record<string, Record<string, JsonObject>> = {};
	for (const [id, row] of Object.entries<Endpoint>(operations)) {
		const template = pathTemplate(row.path);
		paths[template] = {...paths[template], [row.method.toLowerCase()]: operation(id, row)};
	}

	return {
		openapi: '3.1.0',
		info: {title: 'Agent Platform REST API', version: 'v1', license: {name: 'MIT', identifier: 'MIT'}},
		servers: [{url: server}],
		paths,
		components: {
			schemas: componentSchemas(),
			responses: Object.fromEntries(
				Object.entries(errorStatuses).map(([status, description]) => [
					`Error${status}`,
					{description, content: json({$ref: refTo('APIErrorPayload')})},
				]),
			),
			securitySchemes: {
				bearer: {type: 'http', scheme: 'bearer'},
				apiKey: {type: 'apiKey', in: 'header', name: 'X-API-Key'},
			},
		},
	};
}

function operation(operationId: string, row: Endpoint): JsonObject {
	const {summary, description, auth, deprecated, extension, result} = row;
	const statuses = row.errors ?? Object.keys(errorStatuses);
	const parameters = [...pathParametersOf(row), ...queryParametersOf(row), ...headersOf(row)];
	return {
		operationId,
		summary,
		...(description && {description}),
		...(deprecated && {deprecated}),
		...(extension && {'x-extension': true}),
		security: security[auth],
		...(parameters.length > 0 && {parameters}),
		...requestBody(row),
		responses: {
			...(result
				? {200: {description: 'Done.', content: json(schemaOf(result))}}
				: {204: {description: 'Done, without a body.'}}),
			...Object.fromEntries(statuses.map(status => [status, {$ref: `#/components/responses/Error${status}`}])),
		},
	};
}

function pathParametersOf({path}: Endpoint): readonly JsonObject[] {
	const known: Readonly<Record<string, Schema>> = pathParameters;
	return parametersOf(path).map(name => {
		const schema = known[name];
		return {name: wireName(name), in: 'path', required: true, schema: schema ? jsonSchema(schema) : {type: 'string'}};
	});
}

/** Returns each field of the query as a parameter; a loose query also has a free-form parameter for other fields. */
function queryParametersOf({query}: Endpoint): readonly JsonObject[] {
	const {properties = {}, required = [], additionalProperties} = query ? z.toJSONSchema(query, rendering) : {};
	const named = Object.entries(properties).map(([name, schema]) => ({
		name,
		in: 'query',
		...(required.includes(name) && {required: true}),
		schema: schema as JsonObject,
	}));
	const filters = {
		name: 'filters',
		in: 'query',
		description: 'Filters by their own names.',
		style: 'form',
		explode: true,
		schema: {type: 'object', additionalProperties: {type: 'string'}},
	};
	return typeof additionalProperties === 'object' ? [...named, filters] : named;
}

function headersOf({raw}: Endpoint): readonly JsonObject[] {
	const description = 'How the body is compressed.';
	return raw ? [{name: 'content-encoding', in: 'header', description, schema: {type: 'string'}}] : [];
}

function requestBody(row: Endpoint): JsonObject {
	const {body, raw = []} = row;
	const content = body ? json(schemaOf(body)) : Object.fromEntries(raw.map(type => [type, {}]));
	return body || raw.length > 0 ? {requestBody: {required: !mayLackBody(row), content}} : {};
}

function json(schema: JsonObject): JsonObject {
	return {'application/json': {schema}};
}

/** Returns a reference to a named schema or to the entries of a list, else the schema itself. */
function schemaOf(schema: Schema): JsonObject {
	const id = names.get(schema)?.id;
	const {def} = (schema as z.core.$ZodTypes)._zod;
	if (id) {
		return {$ref: refTo(id)};
	}

	return def.type === 'array' ? {type: 'array', items: schemaOf(def.element)} : jsonSchema(schema);
}

function componentSchemas(): JsonObject {
	const {schemas} = z.toJSONSchema(names, {...rendering, uri: refTo});
	return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema)]));
}

function jsonSchema(schema: Schema): JsonObject {
	return plain(z.toJSONSchema(schema, rendering));
}

function plain({$schema: _, $id: __, ...schema}: z.core.JSONSchema.BaseSchema): JsonObject {
	return schema as JsonObject;
}

/** Renders schemas as callers send them, with defaults optional; omits the bounds and patterns that zod always adds. */
const rendering: z.core.ToJSONSchemaParams = {
	io: 'input',
	override({jsonSchema: schema}) {
		if (schema.format) {
			delete schema.pattern;
		}

		if (schema.minimum === Number.MIN_SAFE_INTEGER) {
			delete schema.minimum;
		}

		if (schema.maximum === Number.MAX_SAFE_INTEGER) {
			delete schema.maximum;
		}

		delete schema.propertyNames;
	},
};
