import {kindOfToken} from '../accounts/token.ts';
import {parseUserCode} from '../accounts/user-code.ts';

/** Pages to which a login may redirect. */
const places = new Set(['/account', '/account/logins', '/account/password', '/account/second-factor', '/device']);

/**
 * Returns the page that follows a login. It is always a page of this server, rebuilt from its parts, so that no URL leads
 * elsewhere.
 */
export function readNext(input: string | null): string {
	const base = 'http://service.invalid';
	const url = input?.startsWith('/') && URL.canParse(input, base) ? new URL(input, base) : undefined;
	if (!url || url.origin !== base || !(places.has(url.pathname) || isInvitation(url.pathname))) {
		return '/account';
	}

	const code = url.pathname === '/device' ? parseUserCode(url.searchParams.get('user_code') ?? '') : undefined;
	return code ? `${url.pathname}?user_code=${code}` : url.pathname;
}

/** Returns the path of the page of an invitation. */
export const invitationPath = (code: string): string => `/invite/${code}`;

function isInvitation(path: string): boolean {
	const code = path.slice(invitationPath('').length);
	return kindOfToken(code) === 'invitation' && path === invitationPath(code);
}

/** Returns the URL of a page that continues to `next`. */
export function withNext(path: string, next: string): string {
	return next === '/account' ? path : `${path}?${new URLSearchParams({next})}`;
}
