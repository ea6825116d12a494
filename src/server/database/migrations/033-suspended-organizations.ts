/** When an organization was suspended; null for one that isn't. */
export const suspendedOrganizations: readonly string[] = ['alter table organizations add column suspended_at text'];
