import * as z from 'zod/mini';
import {anyObject, dateTime, maybe, uuid} from '../scalars.ts';
import {pageOf} from './page.ts';

export const createEnvironmentSchema = z.strictObject({
	task_ref: z
		.string()
		.check(
			z.describe(
				'`[org/]name[@version]`. Without an org the task is looked for among those of the caller’s org and the public ones; with one it must belong to that org, and be owned by the caller or public.',
			),
		),
	inputs: maybe(anyObject),
	model_overrides: maybe(z.record(z.string(), z.string())),
	project_id: maybe(z.string()),
	secret_ids: maybe(z.array(z.string())),
	timeout_sec: maybe(z.int()),
});

/** `EnvironmentResponse`: a sandbox that runs one task. */
export const environmentSchema = z.looseObject({
	id: z.string(),
	state: z.enum(['building', 'provisioning', 'ready', 'paused', 'torn_down', 'failed']),
	task_ref: z.string(),
	created_at: dateTime,
	expires_at: z.nullable(dateTime),
	error: maybe(z.string()),
	execute_token: maybe(z.string().check(z.describe('A secret credential of this sandbox, short-lived.'))),
	instruction: maybe(z.string()),
	service_urls: maybe(z.record(z.string(), anyObject).check(z.describe('By the name of the service.'))),
	task_verification: maybe(anyObject),
});

/** An environment in a list, without its instruction and its credential. */
export const environmentEntrySchema = z.looseObject({
	id: z.string(),
	state: environmentSchema.shape.state,
	task_ref: z.string(),
	created_at: dateTime,
	created_by: uuid,
	expires_at: z.nullable(dateTime),
	error: z.nullable(z.string()),
	project_id: z.nullable(uuid),
	project_key: z.nullable(z.string()),
	service_urls: z.record(z.string(), anyObject),
});

export const environmentsSchema = pageOf(environmentEntrySchema);

export const environmentLogsSchema = z.looseObject({
	logs: z.string().check(z.describe('The tail of the sandbox server log.')),
});

export type EnvironmentEntry = z.input<typeof environmentEntrySchema>;
export type TaskEnvironment = z.input<typeof environmentSchema>;
