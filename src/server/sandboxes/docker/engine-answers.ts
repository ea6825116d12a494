import * as z from 'zod/mini';

// What is read of Docker's API, from its OpenAPI document; the rest of each answer is left out.

const labels = z.nullish(z.record(z.string(), z.string()));

export type Labels = z.output<typeof labels>;

/** `GET /version` */
export const versionSchema = z.object({
	ApiVersion: z.string().check(z.regex(/^\d+\.\d+$/)),
	Version: z.optional(z.string()),
	Components: z.nullish(z.array(z.object({Name: z.string(), Version: z.optional(z.string())}))),
});

/** `POST /containers/create`, `POST /containers/{id}/exec` */
export const createdSchema = z.object({Id: z.string().check(z.minLength(1), z.maxLength(200))});

/** `GET /containers/{id}/json` */
export const containerSchema = z.object({
	State: z.object({
		Status: z.string(),
		ExitCode: z.optional(z.int()),
		OOMKilled: z.optional(z.boolean()),
	}),
	Config: z.object({Labels: labels}),
});

/** `GET /containers/json` */
export const containersSchema = z.array(z.object({State: z.string(), Labels: labels})).check(z.maxLength(100_000));

/** `POST /volumes/create` and `GET /volumes/{name}` */
export const volumeSchema = z.object({Labels: labels});

/** `GET /system/df` */
export const usageSchema = z.object({
	Volumes: z.nullish(
		z
			.array(z.object({Name: z.string(), UsageData: z.nullish(z.object({Size: z.number()}))}))
			.check(z.maxLength(100_000)),
	),
});

export type InspectedContainer = z.output<typeof containerSchema>;
