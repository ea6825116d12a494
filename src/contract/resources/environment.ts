import * as z from 'zod/mini';
import {anyObject, dateTime, maybe, uuid} from '../scalars.ts';
import {pageOf} from './page.ts';

export const createEnvironmentSchema = z.strictObject({
	task_ref: z
		.string()
		.check(
			z.describe(
				'`[org/]name[@version]`. Without an org, the task may belong to the caller’s org or be public. With one, it must belong to that org, and be the caller’s own or public.',
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
	execute_token: maybe(z.string().check(z.describe('A short-lived credential of this sandbox. Secret.'))),
	instruction: maybe(z.string()),
	service_urls: maybe(z.record(z.string(), anyObject).check(z.describe('By service name.'))),
	task_verification: maybe(anyObject),
});

/** An environment in a list, without its instruction and credential. */
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
export type EnvironmentState = TaskEnvironment['state'];

/** The states of an environment that has ended. */
export const endedStates = ['failed', 'torn_down'] as const satisfies readonly EnvironmentState[];

/** Returns true for the state of an environment that has ended; a newer server may have other states. */
export function isOver(state: string | undefined): boolean {
	return endedStates.some(ended => ended === state);
}
