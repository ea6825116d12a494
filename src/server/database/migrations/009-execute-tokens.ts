/** Hashes of execute tokens were stored and never used: no operation of this server accepts such a token. */
export const executeTokens: readonly string[] = [
	'alter table environments drop column execute_token_hash',
	'alter table environments drop column execute_token_expires_at',
];
