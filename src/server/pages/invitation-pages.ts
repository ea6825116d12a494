import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {countAttempt} from '../accounts/attempts.ts';
import {busySeconds} from '../accounts/browser-login.ts';
import {acceptInvitation, findInvitation, type Invitation, type Invitee} from '../accounts/invitations.ts';
import {hashPassword, isBusyHashing} from '../accounts/password.ts';
import {clientAddressOf, networkOf} from '../kit/client-address.ts';
import {requestIdOf} from '../kit/request-id.ts';
import type {ServerRoute} from '../kit/route.ts';
import {type Markup, timeOf} from './markup.ts';
import {faultOfPassword, type NewPasswordField, newPasswordFields} from './new-password.ts';
import {invitationPath, withNext} from './next.ts';
import {oidcLink} from './oidc-pages.ts';
import {type Failure, redirect, respond, tooManyAttempts} from './page.ts';
import {logOutForm, publicPages, type Visit} from './page-route.ts';
import {startSession} from './start-session.ts';

/** The page of an invitation, on which its invitee logs in or creates an account, and joins the organization. */
export function invitationPages(services: AccountServices): readonly ServerRoute[] {
	return publicPages(services, [
		{
			path: invitationPath(':code'),
			async show(visit) {
				const invitation = await lookUp(visit);
				return invitation instanceof Response ? invitation : await pageOf(visit, invitation);
			},
			async submit(visit, form) {
				const invitation = await lookUp(visit);
				if (invitation instanceof Response) {
					return invitation;
				}

				const isOpen = invitation.state === 'pending' && !invitation.organization.isSuspended;
				return isOpen ? await submit(visit, invitation, form) : await pageOf(visit, invitation);
			},
		},
	]);
}

const codeOf = ({parameters}: Visit): string => parameters['code'] ?? '';

/** Returns the invitation of the visited address, or the page that says there is none. Only wrong codes are counted. */
async function lookUp(visit: Visit): Promise<Invitation | Response> {
	const {services, request} = visit;
	const invitation = await findInvitation(services, codeOf(visit));
	if (invitation) {
		return invitation;
	}

	const seconds = await countAttempt(services, 'invitation-unknown', networkOf(request, services));
	return seconds === undefined
		? await endedPage(404, 'This link is incomplete or wrong. Copy all of it, or ask for another one.')
		: await respond({
				title: 'Invitation not found',
				...tooManyAttempts(seconds),
				body: html`<p><a href="/account">Your account</a></p>`,
			});
}

function endedPage(status: number, reason: string): Promise<Response> {
	return respond({
		title: status === 404 ? 'Invitation not found' : 'This invitation has ended',
		status,
		body: html`<p role="status">${reason}</p>
<p><a href="/account">Your account</a></p>`,
	});
}

const endings = {
	accepted: 'It was accepted already. If that was you, log in.',
	revoked: 'It was revoked or replaced. Ask for another one.',
	expired: 'It has expired. Ask for another one.',
} as const;

/** Returns the page for who visits: the invitee, someone else, or someone who isn't logged in. */
async function pageOf(visit: Visit, invitation: Invitation): Promise<Response> {
	const account = userOf(visit);
	const {state, acceptedBy, organization} = invitation;
	if (organization.isSuspended) {
		return await endedPage(403, 'The organization is suspended. Ask your server’s administrator.');
	}

	if (state === 'accepted' && account && acceptedBy === account.id) {
		return await joinedPage(visit, invitation);
	}

	if (state !== 'pending') {
		return await endedPage(410, endings[state]);
	}

	if (!account) {
		return await newcomerPage(visit, invitation);
	}

	return account.email === invitation.email
		? await acceptPage(visit, invitation)
		: await wrongAddressPage(visit, invitation);
}

/** Returns the account of who is logged in, including the second factor. */
function userOf({visitor: {session}}: Visit) {
	return session && !session.needsSecondFactor ? session.account : undefined;
}

async function submit(visit: Visit, invitation: Invitation, form: URLSearchParams): Promise<Response> {
	const {services} = visit;
	const account = userOf(visit);
	if (account && account.email !== invitation.email) {
		return await wrongAddressPage(visit, invitation);
	}

	if (!account && isBusyHashing()) {
		return await newcomerPage(visit, invitation, tooManyAttempts(busySeconds));
	}

	const seconds = await countAttempt(services, 'invitation', invitation.id);
	if (seconds !== undefined) {
		const failure = tooManyAttempts(seconds);
		return account ? await acceptPage(visit, invitation, failure) : await newcomerPage(visit, invitation, failure);
	}

	if (account) {
		return await accept(visit, invitation, {userId: account.id});
	}

	const password = form.get('password') ?? '';
	const fault = faultOfPassword(password, form.get('repeated') ?? '', invitation.email);
	return fault
		? await newcomerPage(visit, invitation, {status: 400, ...fault})
		: await accept(visit, invitation, {passwordHash: await hashPassword(password, services.passwordCost)});
}

async function accept(visit: Visit, invitation: Invitation, invitee: Invitee): Promise<Response> {
	const {services, request} = visit;
	const origin = {address: clientAddressOf(request, services), requestId: requestIdOf(request)};
	const result = await acceptInvitation(services, {code: codeOf(visit), invitee, origin});
	if (result.kind === 'account-exists') {
		const problem = 'This address can’t get a new account. If it has one, log in to join.';
		return await newcomerPage(visit, invitation, {status: 400, problem});
	}

	// The page says how it ended: a reload of it sends nothing again.
	const page = invitationPath(codeOf(visit));
	if (result.kind !== 'joined' || !('passwordHash' in invitee)) {
		return redirect(page);
	}

	const session = {userId: result.userId, apiKeyId: null, providerSession: null, needsSecondFactor: false};
	return await startSession(visit, session, page);
}

function details({organization, email, role, invitedBy, expiresAt}: Invitation, {visitor}: Visit): Markup {
	return html`<dl>
<dt>Organization</dt><dd>${organization.name}</dd>
<dt>Server</dt><dd>${visitor.server}</dd>
<dt>For</dt><dd>${email}</dd>
<dt>Role</dt><dd>${role}</dd>
<dt>Invited by</dt><dd>${invitedBy}</dd>
<dt>Valid until</dt><dd>${timeOf(expiresAt)}</dd>
</dl>`;
}

const titleOf = ({organization}: Invitation) => `Join ${organization.name}?`;

type NewcomerFailure = Failure & {readonly invalid?: NewPasswordField};

/** Looks the same whether the address has an account or not. */
function newcomerPage(visit: Visit, invitation: Invitation, {invalid, ...failure}: NewcomerFailure = {}) {
	const page = invitationPath(codeOf(visit));
	return respond({
		title: titleOf(invitation),
		...failure,
		body: html`${details(invitation, visit)}
${oidcLink(visit.services, page)}
<p>If you have an account here, <a href="${withNext('/sign-in', page)}">log in to join</a>. Otherwise create one:</p>
<form method="post" action="${page}">${visit.token}
<input type="text" hidden name="username" autocomplete="username" value="${invitation.email}">
${newPasswordFields(invalid)}
<button class="primary">Create account and join</button>
</form>`,
	});
}

function acceptPage(visit: Visit, invitation: Invitation, failure: Failure = {}): Promise<Response> {
	return respond(
		{
			title: titleOf(invitation),
			...failure,
			body: html`${details(invitation, visit)}
<form method="post" action="${invitationPath(codeOf(visit))}">${visit.token}
<button class="primary" autofocus>Join</button>
</form>`,
		},
		headerOf(visit),
	);
}

function wrongAddressPage(visit: Visit, {email}: Invitation): Promise<Response> {
	return respond(
		{
			title: 'This invitation is for someone else',
			status: 403,
			body: html`<p role="status">It is for ${email}. Log out, then open the link again, or ask for one for your address.</p>
<p><a href="/account">Your account</a></p>`,
		},
		headerOf(visit),
	);
}

function joinedPage(visit: Visit, {organization, role}: Invitation): Promise<Response> {
	return respond(
		{
			title: `You belong to ${organization.name}`,
			body: html`<p role="status">You joined as ${role}. In a terminal, log in with:</p>
<p><code>service login --server ${visit.visitor.server} --org ${organization.slug}</code></p>
<p><a href="/account">Your account</a></p>`,
		},
		headerOf(visit),
	);
}

function headerOf(visit: Visit) {
	const account = userOf(visit);
	return account && {email: account.email, logOut: logOutForm(visit)};
}
