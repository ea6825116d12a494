import {readUserCode} from '../accounts/user-code.ts';

/** Pages that may be gone to after the sign-in. */
const places = new Set(['/account', '/account/logins', '/account/password', '/account/second-factor', '/device']);

/**
 * Where to go after the sign-in: one of our own pages, whatever was asked for, put together again from its parts, so that
 * no address leads elsewhere.
 */
export function readNext(asked: string | null): string {
	const base = 'http://service.invalid';
	const url = asked?.startsWith('/') && URL.canParse(asked, base) ? new URL(asked, base) : undefined;
	if (!url || url.origin !== base || !places.has(url.pathname)) {
		return '/account';
	}

	const code = url.pathname === '/device' ? readUserCode(url.searchParams.get('user_code') ?? '') : undefined;
	return code ? `${url.pathname}?user_code=${code}` : url.pathname;
}

/** The address of a page that goes on to `next`. */
export function withNext(path: string, next: string): string {
	return next === '/account' ? path : `${path}?${new URLSearchParams({next})}`;
}
