/** How many bytes an organization may store; null for the limit of the server. */
export const storageLimits: readonly string[] = ['alter table organizations add column storage_bytes_max bigint'];
