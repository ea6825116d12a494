/** When the deletion of an organization was requested; null for one that stays. */
export const deletedOrganizations: readonly string[] = ['alter table organizations add column deleting_at text'];
