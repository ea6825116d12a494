import * as z from 'zod/mini';

/** The default slug of the first organization. */
export const firstOrganization = 'default';

/** The flags that select a server's data. */
export const place = {data: z.optional(z.string()), database: z.optional(z.string())};

export const describePlace = {
	data: 'data folder, created if missing; server in the state folder by default',
	database: 'PostgreSQL as postgres://user@host/name, instead of SQLite in the data folder',
};
