/** Hashes of execute tokens were stored and never compared with anything: no operation of this server takes such a token. */
export const executeTokens: readonly string[] = [
	'alter table environments drop column execute_token_hash',
	'alter table environments drop column execute_token_expires_at',
];
