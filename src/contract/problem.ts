import * as z from 'zod/mini';

/** Statuses of errors, with their labels in the specification. */
export const errorStatuses = {
	400: 'Invalid request',
	401: 'Authentication failed',
	403: 'Access forbidden',
	404: 'Not found',
	409: 'Already exists',
	422: 'Validation error',
	426: 'Upgrade required',
	429: 'Rate limited',
	500: 'Internal server error',
	502: 'Bad gateway',
	504: 'Gateway timeout',
} as const;

export type ErrorStatus = keyof typeof errorStatuses;

/** Machine-readable types of errors; only some operations return `task_set_not_found` and `user_suspended`. */
export const errorTypes = [
	'already_exists_error',
	'app_error',
	'authentication_error',
	'conflict_error',
	'cloud_provider_error',
	'configuration_error',
	'database_error',
	'key_value_store_error',
	'sandbox_provider_error',
	'sandbox_provider_rate_limit_error',
	'expired_signature_error',
	'expired_token_error',
	'forbidden_error',
	'group_error',
	'invalid_error',
	'invalid_flag_error',
	'invalid_username_error',
	'mail_error',
	'member_exists_error',
	'member_limit_exceeded_error',
	'migration_lock_timeout_error',
	'not_found_error',
	'oauth_config_error',
	'org_sandbox_capacity_exceeded_error',
	'bad_gateway_error',
	'gateway_timeout_error',
	'object_store_error',
	'server_error',
	'task_error',
	'payment_provider_error',
	'task_set_not_found',
	'token_error',
	'upgrade_required_error',
	'usage_limit_exceeded_error',
	'user_suspended',
	'user_verification_error',
	'validation_error',
] as const;

export const validationErrorItemSchema = z.looseObject({
	loc: z.array(z.union([z.string(), z.number()])),
	msg: z.string(),
	type: z.string(),
});

/** The body of every error response: `APIErrorPayload` of the specification. */
export const problemSchema = z.looseObject({
	code: z.int().check(z.describe('The HTTP status.')),
	detail: z.string().check(z.describe('For people.')),
	type: z.enum(errorTypes),
	errors: z.optional(z.nullable(z.array(validationErrorItemSchema))),
});

export type Problem = z.infer<typeof problemSchema>;
export type ValidationErrorItem = z.infer<typeof validationErrorItemSchema>;
