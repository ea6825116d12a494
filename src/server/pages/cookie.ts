import {basePathOf} from '../kit/server-url.ts';

/**
 * Returns the cookie's name. With https, no other host and no plain HTTP page can set it (`__Host-`, RFC 6265bis,
 * section 4.1.3); the cookie of a server with a path goes to that alone, which only `__Secure-` allows. On loopback, where
 * ports share cookies, each server has its own.
 */
function nameOf(server: string): string {
	const {protocol, port} = new URL(server);
	const prefix = basePathOf(server) ? '__Secure-' : '__Host-';
	return protocol === 'https:' ? `${prefix}service` : `service-${port || '80'}`;
}

/** Returns the value of this server's cookie; undefined if the browser sent none. */
export function readCookie(request: Request, server: string): string | undefined {
	const name = nameOf(server);
	const pairs = (request.headers.get('cookie') ?? '').split(/;\s*/).map(pair => pair.split('='));
	return pairs.find(([key]) => key === name)?.[1];
}

/** Lets a response set a cookie, and returns it. */
export function withSetCookie(response: Response, cookie: string): Response {
	response.headers.set('set-cookie', cookie);
	return response;
}

/** Returns a `Set-Cookie` that scripts can't read and forms of other sites don't send. Without `maxAgeSeconds` it ends with the browser. */
export function writeCookie(server: string, value: string, maxAgeSeconds?: number): string {
	const parts = [`${nameOf(server)}=${value}`, `Path=${basePathOf(server) || '/'}`, 'HttpOnly', 'SameSite=Lax'];
	if (server.startsWith('https:')) {
		parts.push('Secure');
	}

	return [...parts, ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`])].join('; ');
}
