import type {AccountServices} from '../accounts/account-services.ts';
import {type BrowserSession, findSession} from '../accounts/browser-session.ts';
import {ownOrigin} from '../accounts/own-origin.ts';
import {hashToken, isSame, kindOfToken, makeToken} from '../accounts/token.ts';
import {readCookie, writeCookie} from './cookie.ts';

/** Who looks at a page. */
export type Visitor = {
	/** As the browser reached this server. */
	readonly origin: string;
	readonly session: BrowserSession | undefined;
	/** What every form carries, and only pages of this server know (SAFETY 25). */
	readonly formToken: string;
	/** The cookie that the form token belongs to, for a browser that had none. */
	readonly setCookie: string | undefined;
};

/** Recognises a browser by its cookie. One that has none gets a random one, which is no session, for its first form. */
export async function recognize(services: AccountServices, request: Request): Promise<Visitor> {
	const origin = ownOrigin(request, services);
	const sent = readCookie(request, origin);
	const known = sent !== undefined && kindOfToken(sent) === 'session' ? sent : undefined;
	const cookie = known ?? makeToken('session').token.reveal();
	return {
		origin,
		session: await findSession(services, known),
		formToken: hashToken(`form:${cookie}`),
		setCookie: known ? undefined : writeCookie(origin, cookie),
	};
}

/** Whether a form was sent by a page of this server: its token is that of the cookie, and its origin is ours. */
export function isOwnForm(request: Request, form: URLSearchParams, {origin, formToken}: Visitor): boolean {
	return request.headers.get('origin') === origin && isSame(form.get('form_token') ?? '', formToken);
}
