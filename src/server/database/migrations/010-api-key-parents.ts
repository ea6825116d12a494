/**
 * The API key that authenticated the creation of another key. Revoking it revokes that key, too. Older keys have no
 * parent.
 */
export const apiKeyParents: readonly string[] = [
	'alter table api_keys add column created_with text references api_keys (id)',
	'create index api_keys_by_parent on api_keys (created_with)',
];
