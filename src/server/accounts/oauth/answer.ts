/** The errors of RFC 6749 section 5.2, RFC 8628 section 3.5 and RFC 7009 section 2.2.1 that this server gives. */
export type OAuthError =
	| 'invalid_request'
	| 'invalid_client'
	| 'invalid_grant'
	| 'invalid_scope'
	| 'unsupported_grant_type'
	| 'unsupported_token_type'
	| 'authorization_pending'
	| 'slow_down'
	| 'expired_token'
	| 'access_denied';

/** Tokens and codes stay in no cache (RFC 6749 section 5.1). */
const headers = {'cache-control': 'no-store', pragma: 'no-cache'};

/** A success of an OAuth endpoint. */
export function oauthAnswer(body: object): Response {
	return Response.json(body, {headers});
}

/**
 * A refusal in the words of the protocol, 400. A client that tried to prove itself by `Authorization` gets 401 and the
 * scheme that it used (RFC 6749 section 5.2).
 */
export function oauthError(error: OAuthError, description: string, scheme?: string): Response {
	return Response.json(
		{error, error_description: description},
		{status: scheme ? 401 : 400, headers: {...headers, ...(scheme && {'www-authenticate': scheme})}},
	);
}

/** Too many requests: not a word of the protocol, so the status says it. */
export function oauthWait(seconds: number): Response {
	return Response.json(
		{code: 429, detail: `Too many requests. Try again in ${seconds} s.`, type: 'usage_limit_exceeded_error'},
		{status: 429, headers: {...headers, 'retry-after': String(seconds)}},
	);
}
