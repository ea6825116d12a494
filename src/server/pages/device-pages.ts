import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {countAttempt} from '../accounts/attempts.ts';
import {decideLogin, findLogin, type WaitingLogin} from '../accounts/device-login.ts';
import {readUserCode} from '../accounts/user-code.ts';
import type {Route} from '../kit/route.ts';
import {field, timeOf, waitText} from './markup.ts';
import {respond} from './page.ts';
import {type SignedVisit, signedPages} from './page-route.ts';

/** How a person lets a program in: the code, who asks and for what, then the decision (RFC 8628 section 3.3). */
export function devicePages(services: AccountServices): readonly Route[] {
	return signedPages(services, [
		{
			path: '/device',
			// A code in the address only fills the field in: it still has to be compared (RFC 8628 section 5.4).
			show: visit => codePage(visit, {typed: readUserCode(visit.url.searchParams.get('user_code') ?? '') ?? ''}),
			async take(visit, form) {
				const login = await lookUp(visit, form);
				return login instanceof Response ? login : await approvalPage(visit, login);
			},
		},
		{
			path: '/device/decision',
			async take(visit, form) {
				const login = await lookUp(visit, form);
				if (login instanceof Response) {
					return login;
				}

				const decision = form.get('decision') === 'approve' ? 'approved' : 'denied';
				const {account, apiKeyId} = visit.session;
				const isDone = await decideLogin(services, login, {decision, userId: account.id, apiKeyId});
				return isDone ? await donePage(visit, decision) : await unknownCode(visit, login.userCode);
			},
		},
	]);
}

/** The login of the code in a form, or the page that says what is wrong with it. */
async function lookUp(visit: SignedVisit, form: URLSearchParams): Promise<WaitingLogin | Response> {
	const typed = form.get('user_code') ?? '';
	const seconds = await countAttempt(visit.services, 'user-code', visit.session.account.id);
	if (seconds !== undefined) {
		const problem = `Too many codes were tried. Try again in ${waitText(seconds)}.`;
		return await codePage(visit, {typed, status: 429, problem, retryAfter: seconds});
	}

	return (await findLogin(visit.services, typed)) ?? (await unknownCode(visit, typed));
}

function unknownCode(visit: SignedVisit, typed: string): Promise<Response> {
	const problem = 'No login waits for this code. Compare it with your terminal; after ten minutes it needs a new one.';
	return codePage(visit, {typed, status: 400, problem});
}

type Shown = {
	readonly typed: string;
	readonly status?: number;
	readonly problem?: string;
	readonly retryAfter?: number;
};

function codePage({token, signed}: SignedVisit, {typed, ...failure}: Shown): Promise<Response> {
	return respond(
		{
			title: 'Let a terminal in',
			...failure,
			body: html`<form method="post" action="/device">${token}
${field({
	name: 'user_code',
	label: 'Code that your terminal shows',
	fills: 'off',
	value: typed.slice(0, 64),
	first: true,
	code: true,
	wrong: Boolean(failure.problem),
	hint: 'Eight letters, as WDJB-MJHT. Go on only where they are the same here and there.',
})}
<button class="primary">Go on</button>
</form>`,
		},
		signed,
	);
}

function approvalPage({token, signed, session, visitor}: SignedVisit, login: WaitingLogin): Promise<Response> {
	return respond(
		{
			title: 'Let this terminal in?',
			body: html`<dl>
<dt>Code</dt><dd><span class="code">${login.userCode}</span></dd>
<dt>Program, as it calls itself</dt><dd>${login.program}</dd>
${login.address ? html`<dt>Asked from</dt><dd>${login.address}</dd>` : ''}
<dt>Asked at</dt><dd>${timeOf(login.createdAt)}</dd>
<dt>Server</dt><dd>${visitor.origin}</dd>
<dt>In the name of</dt><dd>${session.account.email}</dd>
<dt>What it may do</dt><dd>Everything that you may do through this server’s API, until it logs out, you end
the login in your account, or it is not used for 30 days.</dd>
</dl>
<p><strong>Approve this only if you started the login yourself, just now.</strong> Whoever sends you a code to approve wants your account.</p>
<form method="post" action="/device/decision" class="row">${token}
<input type="hidden" name="user_code" value="${login.userCode}">
<button name="decision" value="deny">Deny</button>
<button name="decision" value="approve" class="primary">Approve</button>
</form>`,
		},
		signed,
	);
}

function donePage({signed}: SignedVisit, decision: 'approved' | 'denied'): Promise<Response> {
	const isApproved = decision === 'approved';
	return respond(
		{
			title: isApproved ? 'Approved' : 'Denied',
			body: isApproved
				? html`<p role="status">Go back to your terminal: it is logged in within a few seconds. You may close this page.</p>`
				: html`<p role="status">The program was told no. You may close this page.</p>`,
		},
		signed,
	);
}
