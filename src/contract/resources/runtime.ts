import * as z from 'zod/mini';
import {anyObject, dateTime, defaultsTo, fields, maybe, text, uuid} from '../scalars.ts';
import {pageOf} from './page.ts';

/** Sources of a time limit, from the highest precedence to the lowest. */
export const limitLevels = [
	'l1_platform_max',
	'l1_platform_default',
	'l2_org_max',
	'l3_org_default',
	'l4_requested',
] as const;

/** `RuntimeInstanceData`: the current sandbox of a runtime. Times in seconds. */
export const runtimeInstanceSchema = z.looseObject({
	created_at: dateTime,
	provider: z.string(),
	provider_sandbox_id: z.string(),
	sandbox_id: uuid,
	state: z.enum(['running', 'paused', 'killed']),
	total_runtime_seconds: z.int(),
	actual_runtime_limit_seconds: maybe(z.int()).check(z.describe('The effective limit.')),
	configured_runtime_limit_seconds: maybe(z.int()),
	configured_runtime_limit_source_level: maybe(z.enum(limitLevels)),
	requested_runtime_limit_seconds: maybe(z.int()),
	requested_runtime_limit_source_level: maybe(z.enum(limitLevels)),
	...fields(['billed_credits', 'estimated_total_credits', 'running_credits'], defaultsTo(z.int(), 0)),
	expires_at: maybe(dateTime),
	pause_reason: maybe(z.enum(['timeout', 'user', 'insufficient_credits', 'member_limit_exceeded'])),
	runtime_limited_by_credits: z.optional(z.boolean()),
	sandbox_url: maybe(z.string()),
	startup_timing: maybe(anyObject),
	supports_pause: z
		.optional(z.boolean())
		.check(z.describe('Whether the provider can suspend the sandbox. Not to be inferred from `provider`.')),
});

/** `RuntimeResponse`: a durable interactive runtime. */
export const runtimeSchema = z.looseObject({
	id: uuid,
	key: z.string(),
	name: z.string(),
	config_digest: z.string(),
	config_version: z.string(),
	created_at: dateTime,
	updated_at: dateTime,
	created_by: maybe(uuid),
	description: maybe(z.string()),
	instance: maybe(runtimeInstanceSchema),
	owned_by_me: z.optional(z.boolean()).check(z.describe('Whether the caller owns the runtime and may operate it.')),
	project_id: z.nullable(uuid),
	project_key: maybe(z.string()),
	project_name: maybe(z.string()),
	status: z.enum(['idle', 'running', 'paused']),
	workspace_id: uuid,
});

export const runtimesSchema = pageOf(runtimeSchema);

/** The definition of a new runtime. Its sandbox starts when it is resumed for the first time. */
export const createRuntimeSchema = z.strictObject({
	key: text(1, 63).check(
		z.describe('Its name in paths: lower-case letters, digits and dashes; unique in the workspace.'),
	),
	task_ref: z.string().check(z.describe('`[org/]name[@version]` of the task that its sandbox runs.')),
	name: maybe(text(1, 100)).check(z.describe('Defaults to the key.')),
	description: maybe(z.string().check(z.maxLength(2000))),
	project_id: maybe(z.string()).check(z.describe('Slug or UUID of a project.')),
	timeout_sec: maybe(z.int()).check(z.describe('Maximum time of one run. Defaults to the organization’s limit.')),
});

export type RuntimeInstance = z.input<typeof runtimeInstanceSchema>;
export type Runtime = z.input<typeof runtimeSchema>;
