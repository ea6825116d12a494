import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {type LoginResult, logInWithKey, logInWithPassword} from '../accounts/browser-login.ts';
import {closeSession} from '../accounts/browser-session.ts';
import {checkSecondFactor} from '../accounts/second-factor.ts';
import {networkOf} from '../kit/client-address.ts';
import type {ServerRoute} from '../kit/route.ts';
import {withSetCookie, writeCookie} from './cookie.ts';
import {field} from './markup.ts';
import {readNext, withNext} from './next.ts';
import {oidcLink} from './oidc-pages.ts';
import {type Failure, redirect, respond, tooManyAttempts} from './page.ts';
import {publicPages, type Visit} from './page-route.ts';
import {startSession} from './start-session.ts';

/** The pages on which a user logs in, by password or API key, then by the second factor if there is one. */
export function loginPages(services: AccountServices): readonly ServerRoute[] {
	return publicPages(services, [
		{
			path: '/sign-in',
			show: async visit => (isLoggedIn(visit) ? redirect(nextOf(visit)) : await passwordPage(visit)),
			async submit(visit, form) {
				const email = form.get('email') ?? '';
				const result = await logInWithPassword(services, {
					email,
					password: form.get('password') ?? '',
					network: networkOf(visit.request, services),
				});
				return result.kind === 'known'
					? await continueLogin(visit, result)
					: await passwordPage(visit, {email, ...explain(result, 'Wrong e-mail address or password.')});
			},
		},
		{
			path: '/sign-in/key',
			show: async visit => (isLoggedIn(visit) ? redirect(nextOf(visit)) : await keyPage(visit)),
			async submit(visit, form) {
				const result = await logInWithKey(services, form.get('api_key') ?? '');
				return result.kind === 'known'
					? await continueLogin(visit, result)
					: await keyPage(visit, explain(result, 'That API key isn’t valid on this server.'));
			},
		},
		{
			path: '/sign-in/code',
			show: async visit =>
				pendingSession(visit) ? await codePage(visit) : redirect(withNext('/sign-in', nextOf(visit))),
			submit: submitCode,
		},
		{
			path: '/sign-out',
			async submit({visitor}) {
				if (visitor.session) {
					await closeSession(services, visitor.session.id);
				}

				return withSetCookie(redirect(services.oidc ? '/signed-out' : '/sign-in'), writeCookie(visitor.server, '', 0));
			},
		},
	]);
}

function passwordPage(visit: Visit, {email = '', ...failure}: Failure & {readonly email?: string} = {}) {
	const invalid = Boolean(failure.problem);
	return respond({
		title: 'Log in',
		...failure,
		body: html`${oidcLink(visit.services, nextOf(visit))}
<form method="post" action="${withNext('/sign-in', nextOf(visit))}">${visit.token}
${field({name: 'email', label: 'E-mail address', type: 'email', autocomplete: 'username', value: email, autofocus: true, invalid})}
${field({name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', invalid})}
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
	autocomplete: 'off',
	autofocus: true,
	invalid: Boolean(failure.problem),
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
	autocomplete: 'one-time-code',
	autofocus: true,
	code: true,
	invalid: Boolean(failure.problem),
	hint: 'No access to the app? Enter a recovery code; each works once.',
})}
<button class="primary">Continue</button>
</form>
<form method="post" action="/sign-out">${visit.token}<button>Cancel</button></form>`,
	});
}

async function submitCode(visit: Visit, form: URLSearchParams): Promise<Response> {
	const {services} = visit;
	const session = pendingSession(visit);
	if (!session) {
		return redirect(withNext('/sign-in', nextOf(visit)));
	}

	const result = await checkSecondFactor(services, session.account, form.get('code') ?? '');
	if (result.kind !== 'right') {
		return await codePage(visit, explain(result, 'That code is wrong or already used. Wait for the next one.'));
	}

	const {apiKeyId, providerSession, account} = session;
	const verified = {userId: account.id, apiKeyId, providerSession, needsSecondFactor: false};
	return await startSession(visit, verified, nextOf(visit));
}

/** Continues after the first factor, with the second one if it is on. */
async function continueLogin(
	visit: Visit,
	{account, apiKeyId}: Extract<LoginResult, {kind: 'known'}>,
): Promise<Response> {
	const needsSecondFactor = account.totp_secret !== null;
	const session = {userId: account.id, apiKeyId, providerSession: null, needsSecondFactor};
	return await startSession(visit, session, nextOf(visit));
}

function explain(result: {kind: 'wrong'} | {kind: 'wait'; seconds: number}, problem: string): Failure {
	return result.kind === 'wrong' ? {status: 400, problem} : tooManyAttempts(result.seconds);
}

function isLoggedIn({visitor: {session}}: Visit): boolean {
	return session !== undefined && !session.needsSecondFactor;
}

function pendingSession({visitor: {session}}: Visit) {
	return session?.needsSecondFactor ? session : undefined;
}

function nextOf({url}: Visit): string {
	return readNext(url.searchParams.get('next'));
}
