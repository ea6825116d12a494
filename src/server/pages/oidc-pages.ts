import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {countAttempt} from '../accounts/attempts.ts';
import {acceptInvitation, findInvitation} from '../accounts/invitations.ts';
import {backChannelLogout} from '../accounts/oidc/back-channel-logout.ts';
import {isFault, type OidcFault, type OidcIdentity, oidcClient} from '../accounts/oidc/oidc-client.ts';
import {
	beginLogin,
	connectOwn,
	endLogin,
	findConnected,
	maySignUp,
	providerSession,
	signUp,
} from '../accounts/oidc/oidc-logins.ts';
import type {OidcSettings} from '../accounts/oidc/oidc-settings.ts';
import {type Account, findAccountByEmail, normalizeEmail} from '../accounts/user.ts';
import {clientAddressOf, networkOf} from '../kit/client-address.ts';
import {requestIdOf} from '../kit/request-id.ts';
import type {ServerRoute} from '../kit/route.ts';
import type {Markup} from './markup.ts';
import {invitationPath, readNext, withNext} from './next.ts';
import {redirect, respond, tooManyAttempts} from './page.ts';
import {publicPages, type Visit} from './page-route.ts';
import {startSession} from './start-session.ts';

const path = '/sign-in/oidc';

/** Where the provider sends browsers back to. It must be registered there, below the URL of this server. */
export const callbackPath = `${path}/callback`;

/** Returns the link to the login at the provider; nothing without one. */
export function oidcLink({oidc}: AccountServices, next: string, label = 'Log in with'): Markup | string {
	return oidc ? html`<p><a class="button" href="${withNext(path, next)}">${label} ${oidc.host}</a></p>` : '';
}

/**
 * The pages of a login at an OpenID provider, by authorization code with PKCE. Links lead there, not forms: the content security
 * policy lets no form leave this server. Nothing without a provider.
 */
export function oidcPages(services: AccountServices): readonly ServerRoute[] {
	const {oidc} = services;
	if (!oidc) {
		return [];
	}

	return [
		...publicPages(services, [
			{path, show: visit => begin(visit, oidc)},
			{path: callbackPath, show: visit => finish(visit, oidc)},
			{path: '/signed-out', show: () => signedOutPage(oidc)},
			{path: '/sign-out/oidc', show: () => logOutThere(services, oidc)},
		]),
		backChannelLogout(services, oidc),
	];
}

async function begin(visit: Visit, oidc: OidcSettings): Promise<Response> {
	const {services, request, url, visitor} = visit;
	const seconds = await countAttempt(services, 'oidc', networkOf(request, services));
	if (seconds !== undefined) {
		return await failurePage(tooManyAttempts(seconds).problem ?? '', 429, seconds);
	}

	const client = await oidcClient(oidc);
	const secrets = await beginLogin(services, {
		browser: visitor.cookie,
		next: readNext(url.searchParams.get('next')),
		userId: visitor.session && !visitor.session.needsSecondFactor ? visitor.session.account.id : null,
	});
	const target = await client.authorizationUrl(secrets, redirectUri(visit));
	return isFault(target) ? await explain(services, oidc, target) : redirect(target.href);
}

const redirectUri = ({visitor}: Visit) => `${visitor.server}${callbackPath}`;

async function finish(visit: Visit, oidc: OidcSettings): Promise<Response> {
	const {services, url, visitor} = visit;
	const state = url.searchParams.get('state') ?? '';
	const begun = await endLogin(services, {browser: visitor.cookie, state});
	if (!begun) {
		return await failurePage('This login was used already, has expired, or began in another browser.', 400);
	}

	const client = await oidcClient(oidc);
	const identity = await client.redeem(url, begun.secrets, redirectUri(visit));
	if (isFault(identity)) {
		return await explain(services, oidc, identity);
	}

	const account = await findConnected(services, identity);
	return account
		? await logIn(visit, {account, identity, next: begun.next})
		: await admit(visit, {oidc, identity, next: begun.next, userId: begun.userId});
}

type Newcomer = {
	readonly oidc: OidcSettings;
	readonly identity: OidcIdentity;
	readonly next: string;
	/** Who was logged in when the login began. */
	readonly userId: string | null;
};

/**
 * Lets someone in whose identity is new here: connects it to the account of who is logged in, or creates one for the invitee of
 * the link that they came from, or for an address of an allowed domain. An address that has an account needs a login there
 * first, because nobody has proved whose that account is.
 */
async function admit(visit: Visit, {oidc, identity, next, userId}: Newcomer): Promise<Response> {
	const {services, request, visitor} = visit;
	if (identity.email === undefined) {
		return await failurePage(`${oidc.host} doesn’t say that your e-mail address is verified.`, 403);
	}

	const origin = {address: clientAddressOf(request, services), requestId: requestIdOf(request)};
	const email = normalizeEmail(identity.email);
	const known = await findAccountByEmail(services, email);
	if (known) {
		const {session} = visitor;
		if (userId !== known.id || session?.account.id !== known.id || session.needsSecondFactor) {
			return await failurePage(
				`“${email}” has an account. Log in to it first, then connect ${oidc.host} in your account.`,
				403,
			);
		}

		await connectOwn(services, identity, {userId, name: known.email, origin});
		return redirect(next);
	}

	const code = next.startsWith(invitationPath('')) ? next.slice(invitationPath('').length) : '';
	const invitation = await findInvitation(services, code);
	if (invitation?.state === 'pending' && invitation.email === email) {
		const accepted = await acceptInvitation(services, {code, invitee: {passwordHash: null, identity}, origin});
		return accepted.kind === 'joined'
			? await logInNew(visit, {userId: accepted.userId, identity, next})
			: redirect(next);
	}

	const created = maySignUp(oidc, email) ? await signUp(services, oidc, {identity, email, origin}) : undefined;
	if (created !== undefined) {
		return await logInNew(visit, {userId: created, identity, next});
	}

	return await failurePage(
		invitation
			? `The invitation is for ${invitation.email}, and ${oidc.host} knows you as ${email}.`
			: `“${email}” has no account here. Ask an admin of your organization for an invitation.`,
		403,
	);
}

type KnownUser = {readonly account: Account; readonly identity: OidcIdentity; readonly next: string};

async function logIn(visit: Visit, {account, identity, next}: KnownUser): Promise<Response> {
	if (account.suspended_at !== null) {
		return await failurePage('Your account is suspended. Ask your server’s administrator.', 403);
	}

	const needsSecondFactor = account.totp_secret !== null;
	const session = {userId: account.id, apiKeyId: null, providerSession: providerSession(identity), needsSecondFactor};
	return await startSession(visit, session, next);
}

type NewUser = {readonly userId: string; readonly identity: OidcIdentity; readonly next: string};

const logInNew = (visit: Visit, {userId, identity, next}: NewUser) =>
	startSession(
		visit,
		{userId, apiKeyId: null, providerSession: providerSession(identity), needsSecondFactor: false},
		next,
	);

async function explain({log}: AccountServices, {host}: OidcSettings, {kind, reason}: OidcFault): Promise<Response> {
	log({level: 'warn', message: 'oidc', kind, reason});
	switch (kind) {
		case 'unreachable':
			return await failurePage(`${host} doesn’t answer as it should. Try again later, or log in another way.`, 502);
		case 'denied':
			return await failurePage(`${host} refused the login: ${reason}.`, 403);
		case 'invalid':
			return await failurePage(`The answer of ${host} isn’t valid, or was used already. Log in again.`, 400);
	}
}

function failurePage(problem: string, status: number, retryAfter?: number): Promise<Response> {
	return respond({
		title: 'You are not logged in',
		status,
		problem,
		...(retryAfter !== undefined && {retryAfter}),
		body: html`<p><a href="/sign-in">Log in</a></p>`,
	});
}

function signedOutPage({host}: OidcSettings): Promise<Response> {
	return respond({
		title: 'You are logged out',
		body: html`<p role="status">Your login at ${host} may go on: <a href="/sign-out/oidc">Log out there, too</a></p>
<p><a href="/sign-in">Log in</a></p>`,
	});
}

async function logOutThere(services: AccountServices, oidc: OidcSettings): Promise<Response> {
	const client = await oidcClient(oidc);
	const url = await client.logOutUrl();
	if (url === undefined) {
		return await respond({
			title: 'You are logged out',
			body: html`<p role="status">${oidc.host} has no page to log out. Close your browser, or log out on its own pages.</p>`,
		});
	}

	return isFault(url) ? await explain(services, oidc, url) : redirect(url.href);
}
