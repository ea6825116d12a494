import * as z from 'zod/mini';

/** What the first organization is called where it is given no other slug. */
export const firstOrganization = 'default';

/** The flags that say which data a server has. */
export const place = {data: z.optional(z.string()), database: z.optional(z.string())};

export const describePlace = {
	data: 'the folder of its data, made where there is none; server in the state folder otherwise',
	database: 'a PostgreSQL server as postgres://user@host/name, instead of SQLite in that folder',
};
