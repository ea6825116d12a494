/** Which API key opened the request that created a key: with it, the key ends. Keys of before have none. */
export const apiKeyParents: readonly string[] = [
	'alter table api_keys add column created_with text references api_keys (id)',
	'create index api_keys_by_parent on api_keys (created_with)',
];
