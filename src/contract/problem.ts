import * as z from 'zod/mini';

const validationErrorItem = z.object({
	loc: z.array(z.union([z.string(), z.number()])),
	msg: z.string(),
	type: z.string(),
});

/** The body of every error response, `APIErrorPayload` of the specification. Types that we do not know are shown as they are. */
export const problemSchema = z.object({
	code: z.int(),
	detail: z.string(),
	type: z.string(),
	errors: z.optional(z.nullable(z.array(validationErrorItem))),
});

export type Problem = z.infer<typeof problemSchema>;
export type ValidationErrorItem = z.infer<typeof validationErrorItem>;
