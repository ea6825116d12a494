import * as z from 'zod/mini';

/** A model of the catalog, `InferenceInfoWithStatus` of the specification. Unknown fields are kept. */
export const inferenceInfoSchema = z.looseObject({
	/** `provider/model-name`. */
	id: z.string(),
	name: z.string(),
	provider: z.string(),
	has_required_keys: z.boolean(),
	/** Names of environment variables. */
	required_api_keys: z.array(z.string()),
	is_system_model: z.optional(z.boolean()),
	capabilities: z.optional(z.nullable(z.array(z.string()))),
	context_window: z.optional(z.nullable(z.int())),
	cost_input: z.optional(z.nullable(z.number())),
	cost_output: z.optional(z.nullable(z.number())),
	knowledge_cutoff: z.optional(z.nullable(z.string())),
	max_output: z.optional(z.nullable(z.int())),
	modalities_input: z.optional(z.nullable(z.array(z.string()))),
	modalities_output: z.optional(z.nullable(z.array(z.string()))),
	open_weights: z.optional(z.nullable(z.boolean())),
	order: z.optional(z.nullable(z.int().check(z.positive()))),
});

export type InferenceInfo = z.infer<typeof inferenceInfoSchema>;

/** `UserPreferencesResponse` of the specification. Unknown fields are kept. */
export const userPreferencesSchema = z.looseObject({
	enabled_model_ids: z.array(z.string()),
	/** Credits per US dollar. */
	inference_credits_per_dollar: z.int(),
	access_restricted: z.optional(z.boolean()),
	models: z.optional(z.array(inferenceInfoSchema)),
});

export type UserPreferences = z.infer<typeof userPreferencesSchema>;

export const userPreferencesQuerySchema = z.object({
	/** An organization's key or id, to see what it allows. */
	org: z.optional(z.nullable(z.string())),
});
