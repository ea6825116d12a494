import type {AccountServices} from '../accounts/account-services.ts';
import {type BrowserSession, findSession} from '../accounts/browser-session.ts';
import {createToken, hashToken, kindOfToken, timingSafeEquals} from '../accounts/token.ts';
import {requestUrl} from '../kit/server-url.ts';
import {readCookie, writeCookie} from './cookie.ts';

/** The browser that requests a page. */
export type Visitor = {
	/** This server's URL, as the browser reached it. */
	readonly server: string;
	readonly session: BrowserSession | undefined;
	/** The token of every form, which only pages of this server know (SAFETY 25). */
	readonly formToken: string;
	/** The cookie that the form token belongs to, for a browser without one. */
	readonly setCookie: string | undefined;
};

/** Identifies a browser by its cookie. A browser without one gets a random cookie, not a session, for its first form. */
export async function recognize(services: AccountServices, request: Request): Promise<Visitor> {
	const server = requestUrl(request, services);
	const sent = readCookie(request, server);
	const known = sent !== undefined && kindOfToken(sent) === 'session' ? sent : undefined;
	const cookie = known ?? createToken('session').token.reveal();
	return {
		server,
		session: await findSession(services, known),
		formToken: hashToken(`form:${cookie}`),
		setCookie: known ? undefined : writeCookie(server, cookie),
	};
}

/**
 * Returns whether a page of this server sent a form: its token matches the cookie, and it names its origin, which
 * `checkHost` compared with this server's.
 */
export function isOwnForm(request: Request, form: URLSearchParams, {formToken}: Visitor): boolean {
	return request.headers.has('origin') && timingSafeEquals(form.get('form_token') ?? '', formToken);
}
