/** The errors of RFC 6749, section 5.2, RFC 8628, section 3.5 and RFC 7009, section 2.2.1 that this server sends. */
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

/** Tokens and codes must not be cached (RFC 6749, section 5.1). */
const headers = {'cache-control': 'no-store', pragma: 'no-cache'};

/** Returns a successful OAuth response. */
export function oauthSuccess(body: object): Response {
	return Response.json(body, {headers});
}

/**
 * Returns an OAuth error with status 400. For a client that sent `Authorization` it is 401 with the same scheme (RFC
 * 6749, section 5.2).
 */
export function oauthError(error: OAuthError, description: string, scheme?: string): Response {
	return Response.json(
		{error, error_description: description},
		{status: scheme ? 401 : 400, headers: {...headers, ...(scheme && {'www-authenticate': scheme})}},
	);
}

/** Returns 429. The protocol has no error code for it. */
export function oauthRateLimited(seconds: number): Response {
	return Response.json(
		{code: 429, detail: `Too many requests. Try again in ${seconds} s.`, type: 'usage_limit_exceeded_error'},
		{status: 429, headers: {...headers, 'retry-after': String(seconds)}},
	);
}
