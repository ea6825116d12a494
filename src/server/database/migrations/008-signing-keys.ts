/** Links to artifacts were signed with a key that stood here as it is; it comes from a file of the server now. */
export const signingKeys: readonly string[] = [`delete from signing_keys where name = 'artifact-links'`];
