import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {type LoginResult, logInWithKey, logInWithPassword} from '../accounts/browser-login.ts';
import {closeSession, openSession} from '../accounts/browser-session.ts';
import {checkSecondFactor} from '../accounts/second-factor.ts';
import {networkOf} from '../kit/client-address.ts';
import type {Route} from '../kit/route.ts';
import {writeCookie} from './cookie.ts';
import {field, waitText} from './markup.ts';
import {readNext, withNext} from './next.ts';
import {redirect, respond} from './page.ts';
import {openPages, type Visit} from './page-route.ts';

/** The pages on which a user logs in, by password or API key, then by the second factor if there is one. */
export function signInPages(services: AccountServices): readonly Route[] {
	return openPages(services, [
		{
			path: '/sign-in',
			show: async visit => (isSignedIn(visit) ? redirect(nextOf(visit)) : await passwordPage(visit)),
			async take(visit, form) {
				const email = form.get('email') ?? '';
				const result = await logInWithPassword(services, {
					email,
					password: form.get('password') ?? '',
					network: networkOf(visit.request, services),
				});
				return result.kind === 'known'
					? await enter(visit, result)
					: await passwordPage(visit, {email, ...explain(result, 'Wrong e-mail address or password.')});
			},
		},
		{
			path: '/sign-in/key',
			show: async visit => (isSignedIn(visit) ? redirect(nextOf(visit)) : await keyPage(visit)),
			async take(visit, form) {
				const result = await logInWithKey(services, form.get('api_key') ?? '');
				return result.kind === 'known'
					? await enter(visit, result)
					: await keyPage(visit, explain(result, 'That API key isn’t valid on this server.'));
			},
		},
		{
			path: '/sign-in/code',
			show: async visit => (owesCode(visit) ? await codePage(visit) : redirect(withNext('/sign-in', nextOf(visit)))),
			take: takeCode,
		},
		{
			path: '/sign-out',
			async take({visitor}) {
				if (visitor.session) {
					await closeSession(services, visitor.session.id);
				}

				return withSetCookie(redirect('/sign-in'), writeCookie(visitor.origin, '', 0));
			},
		},
	]);
}

type Failure = {readonly status?: number; readonly problem?: string; readonly retryAfter?: number};

function passwordPage(visit: Visit, {email = '', ...failure}: Failure & {readonly email?: string} = {}) {
	const wrong = Boolean(failure.problem);
	return respond({
		title: 'Log in',
		...failure,
		body: html`<form method="post" action="${withNext('/sign-in', nextOf(visit))}">${visit.token}
${field({name: 'email', label: 'E-mail address', type: 'email', fills: 'username', value: email, first: true, wrong})}
${field({name: 'password', label: 'Password', type: 'password', fills: 'current-password', wrong})}
<button class="primary">Log in</button>
</form>
<p>No password? <a href="${withNext('/sign-in/key', nextOf(visit))}">Log in with an API key</a>, or
<a href="/password">choose a password</a> with a code from your server’s administrator.</p>`,
	});
}

function keyPage(visit: Visit, failure: Failure = {}) {
	return respond({
		title: 'Log in with an API key',
		...failure,
		body: html`<form method="post" action="${withNext('/sign-in/key', nextOf(visit))}">${visit.token}
${field({
	name: 'api_key',
	label: 'API key',
	type: 'password',
	fills: 'off',
	first: true,
	wrong: Boolean(failure.problem),
	hint: 'Starts with svc_. It comes from “service serve init” or your server’s administrator.',
})}
<button class="primary">Log in</button>
</form>
<p><a href="${withNext('/sign-in', nextOf(visit))}">Log in with a password instead</a></p>`,
	});
}

function codePage(visit: Visit, failure: Failure = {}) {
	return respond({
		title: 'Enter your code',
		...failure,
		body: html`<form method="post" action="${withNext('/sign-in/code', nextOf(visit))}">${visit.token}
${field({
	name: 'code',
	label: 'Code from your authenticator app',
	fills: 'one-time-code',
	first: true,
	code: true,
	wrong: Boolean(failure.problem),
	hint: 'No access to the app? Enter a recovery code; each works once.',
})}
<button class="primary">Continue</button>
</form>
<form method="post" action="/sign-out">${visit.token}<button>Cancel</button></form>`,
	});
}

async function takeCode(visit: Visit, form: URLSearchParams): Promise<Response> {
	const {services} = visit;
	const session = owesCode(visit);
	if (!session) {
		return redirect(withNext('/sign-in', nextOf(visit)));
	}

	const result = await checkSecondFactor(services, session.account, form.get('code') ?? '');
	if (result.kind !== 'right') {
		return await codePage(visit, explain(result, 'That code is wrong or already used. Wait for the next one.'));
	}

	await closeSession(services, session.id);
	return await begin(visit, {userId: session.account.id, apiKeyId: session.apiKeyId, needsSecondFactor: false});
}

/** Continues after the first factor, with the second one if it is on. */
async function enter(visit: Visit, {account, apiKeyId}: Extract<LoginResult, {kind: 'known'}>): Promise<Response> {
	const earlier = visit.visitor.session;
	if (earlier) {
		await closeSession(visit.services, earlier.id);
	}

	return await begin(visit, {userId: account.id, apiKeyId, needsSecondFactor: account.totp_secret !== null});
}

async function begin(visit: Visit, opening: Parameters<typeof openSession>[1]): Promise<Response> {
	const {token, seconds} = await openSession(visit.services, opening);
	const next = nextOf(visit);
	return withSetCookie(
		redirect(opening.needsSecondFactor ? withNext('/sign-in/code', next) : next),
		writeCookie(visit.visitor.origin, token.reveal(), seconds),
	);
}

function explain(result: {kind: 'wrong'} | {kind: 'wait'; seconds: number}, wrong: string): Failure {
	return result.kind === 'wrong'
		? {status: 400, problem: wrong}
		: {
				status: 429,
				problem: `Too many attempts. Try again in ${waitText(result.seconds)}.`,
				retryAfter: result.seconds,
			};
}

function isSignedIn({visitor: {session}}: Visit): boolean {
	return session !== undefined && !session.needsSecondFactor;
}

function owesCode({visitor: {session}}: Visit) {
	return session?.needsSecondFactor ? session : undefined;
}

function nextOf({url}: Visit): string {
	return readNext(url.searchParams.get('next'));
}

function withSetCookie(response: Response, cookie: string): Response {
	response.headers.set('set-cookie', cookie);
	return response;
}
