/** The organization that an account was added by; null for accounts that the operator made. */
export const accountOrigins: readonly string[] = ['alter table users add column added_by text'];
