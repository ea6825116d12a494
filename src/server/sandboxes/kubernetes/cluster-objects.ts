import * as z from 'zod/mini';

// What is read of the API, from its OpenAPI document and the schema of the Sandbox; the rest of each answer is left out.

const strings = z.optional(z.nullable(z.record(z.string(), z.string())));

const metadata = z.object({
	name: z.string(),
	uid: z.optional(z.string()),
	resourceVersion: z.optional(z.string()),
	labels: strings,
	annotations: strings,
	deletionTimestamp: z.optional(z.nullable(z.string())),
});

/** An object of any kind. */
export const objectSchema = z.object({metadata});

export type ClusterObject = z.output<typeof objectSchema>;

const waiting = z.object({reason: z.optional(z.string()), message: z.optional(z.string())});
const terminated = z.object({exitCode: z.int(), reason: z.optional(z.string()), message: z.optional(z.string())});

/** `GET …/pods/{name}` */
export const podSchema = z.object({
	metadata,
	status: z.optional(
		z.object({
			phase: z.optional(z.string()),
			reason: z.optional(z.string()),
			message: z.optional(z.string()),
			conditions: z.optional(
				z.nullable(
					z.array(
						z.object({
							type: z.string(),
							status: z.string(),
							reason: z.optional(z.string()),
							message: z.optional(z.string()),
						}),
					),
				),
			),
			containerStatuses: z.optional(
				z.nullable(
					z.array(
						z.object({
							name: z.string(),
							ready: z.optional(z.boolean()),
							started: z.optional(z.nullable(z.boolean())),
							state: z.optional(
								z.object({
									waiting: z.optional(z.nullable(waiting)),
									running: z.optional(z.nullable(z.object({}))),
									terminated: z.optional(z.nullable(terminated)),
								}),
							),
						}),
					),
				),
			),
		}),
	),
});

export type Pod = z.output<typeof podSchema>;

/** `GET …/sandboxes/{name}` */
export const sandboxSchema = z.object({
	metadata,
	spec: z.object({operatingMode: z.optional(z.string())}),
});

export type SandboxObject = z.output<typeof sandboxSchema>;
