import * as z from 'zod/mini';
import {fields, maybe} from '../scalars.ts';

/** A model of the catalog: `InferenceInfoWithStatus` of the specification. Unknown fields are kept. */
export const inferenceInfoSchema = z.looseObject({
	id: z.string().check(z.describe('`provider/model-name`.')),
	name: z.string(),
	provider: z.string(),
	has_required_keys: z.boolean().check(z.describe('Whether the user has configured all required keys.')),
	required_api_keys: z.array(z.string()).check(z.describe('Names of environment variables.')),
	is_system_model: z.optional(z.boolean()),
	capabilities: maybe(z.array(z.string())),
	...fields(['context_window', 'max_output'], maybe(z.int())),
	...fields(['cost_input', 'cost_output'], maybe(z.number())),
	knowledge_cutoff: maybe(z.string()),
	...fields(['modalities_input', 'modalities_output'], maybe(z.array(z.string()))),
	open_weights: maybe(z.boolean()),
	order: maybe(z.int().check(z.gte(1))),
});

export type InferenceInfo = z.infer<typeof inferenceInfoSchema>;

/** `UserPreferencesResponse` of the specification. Unknown fields are kept. */
export const userPreferencesSchema = z.looseObject({
	enabled_model_ids: z.array(z.string()),
	inference_credits_per_dollar: z.int().check(z.describe('Credits per US dollar.')),
	access_restricted: z.optional(z.boolean()),
	models: z.optional(z.array(inferenceInfoSchema)),
	user_email: z.optional(z.string().check(z.describe('Whose they are.'))),
	organizations: z.optional(z.array(z.string()).check(z.describe('Slugs of the first organizations of the user.'))),
});

export type UserPreferences = z.infer<typeof userPreferencesSchema>;

export const userPreferencesQuerySchema = z.strictObject({
	org: maybe(z.string()).check(z.describe('Key or id of an organization; shows the models that it allows.')),
});

export const updateUserPreferencesSchema = z.strictObject({
	enabled_model_ids: z.optional(z.array(z.string())),
});
