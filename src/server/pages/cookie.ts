/**
 * Returns the cookie's name. With https, no other host and no plain HTTP page can set it (`__Host-`, RFC 6265bis,
 * section 4.1.3). On loopback, where ports share cookies, each server has its own.
 */
function nameOf(origin: string): string {
	const {protocol, port} = new URL(origin);
	return protocol === 'https:' ? '__Host-service' : `service-${port || '80'}`;
}

/** Returns the value of this server's cookie; undefined if the browser sent none. */
export function readCookie(request: Request, origin: string): string | undefined {
	const name = nameOf(origin);
	const pairs = (request.headers.get('cookie') ?? '').split(/;\s*/).map(pair => pair.split('='));
	return pairs.find(([key]) => key === name)?.[1];
}

/** Returns a `Set-Cookie` that scripts can't read and forms of other sites don't send. Without `maxAgeSeconds` it ends with the browser. */
export function writeCookie(origin: string, value: string, maxAgeSeconds?: number): string {
	const parts = [`${nameOf(origin)}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax'];
	if (origin.startsWith('https:')) {
		parts.push('Secure');
	}

	return [...parts, ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`])].join('; ');
}
