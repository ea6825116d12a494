import {closeSession, openSession} from '../accounts/browser-session.ts';
import {withSetCookie, writeCookie} from './cookie.ts';
import {withNext} from './next.ts';
import {redirect} from './page.ts';
import type {Visit} from './page-route.ts';

/**
 * Opens a session in place of the browser's earlier one, and continues to `next`, with the second factor before it if that is
 * needed.
 */
export async function startSession(
	{services, visitor}: Visit,
	session: Parameters<typeof openSession>[1],
	next: string,
): Promise<Response> {
	if (visitor.session) {
		await closeSession(services, visitor.session.id);
	}

	const {token, seconds} = await openSession(services, session);
	return withSetCookie(
		redirect(session.needsSecondFactor ? withNext('/sign-in/code', next) : next),
		writeCookie(visitor.server, token.reveal(), seconds),
	);
}
