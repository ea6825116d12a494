/** Links to artifacts were signed with a key stored here in plain text. The key is now derived from the seal key. */
export const signingKeys: readonly string[] = [`delete from signing_keys where name = 'artifact-links'`];
