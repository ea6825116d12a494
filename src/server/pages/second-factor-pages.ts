import {html, raw} from 'hono/html';
import {renderSVG} from 'uqr';
import type {AccountServices} from '../accounts/account-services.ts';
import {type BrowserSession, closeOtherSessions} from '../accounts/browser-session.ts';
import {
	checkSecondFactor,
	countRecoveryCodes,
	pendingSecret,
	removeSecondFactor,
	startEnrollment,
	verifyEnrollment,
} from '../accounts/second-factor.ts';
import {totpUrl} from '../accounts/totp.ts';
import type {ServerRoute} from '../kit/route.ts';
import {field, type Markup} from './markup.ts';
import {type Failure, redirect, respond, tooManyAttempts} from './page.ts';
import {type UserVisit, userPages} from './page-route.ts';

const path = '/account/second-factor';
const title = 'Second factor';

/**
 * The pages that set up an authenticator app after a login with a password. The secret is shown only here; the user
 * confirms it with a code here, or in the terminal with `service mfa verify`.
 */
export function secondFactorPages(services: AccountServices): readonly ServerRoute[] {
	return userPages(services, [
		{path, show: visit => statePage(visit)},
		{
			path: `${path}/start`,
			async submit({session}) {
				// An active second factor is turned off with a code first: nobody without one may replace it.
				if (session.account.totp_secret === null && mayEnroll(session)) {
					await startEnrollment(services, session.account.id);
				}

				return redirect(path);
			},
		},
		{path: `${path}/verify`, submit: submitEnrollment},
		{path: `${path}/off`, submit: submitRemoval},
	]);
}

/** Returns whether a session may enroll: with a stolen API key alone, a thief could lock its user out. */
function mayEnroll({apiKeyId}: BrowserSession): boolean {
	return apiKeyId === null;
}

async function statePage(visit: UserVisit, failure: Failure = {}): Promise<Response> {
	const {account} = visit.session;
	const inForce = account.totp_secret !== null;
	const invalid = Boolean(failure.problem);
	const body = inForce
		? await onBody(visit, invalid)
		: !mayEnroll(visit.session)
			? closedBody(visit)
			: pendingBody(visit, invalid);
	return await respond({title, ...failure, body}, visit.header);
}

function offBody({token}: UserVisit): Markup {
	return html`<p>With a second factor, each login also asks for a code from an app on your phone. You need an authenticator app.</p>
<form method="post" action="${path}/start">${token}<button class="primary">Set up</button></form>
<p><a href="/account">Back to your account</a></p>`;
}

function closedBody({session: {account}}: UserVisit): Markup {
	return html`<p>The second factor is off. You can’t set it up after a login with an API key. Log out, and log in
with your password.${account.password_hash ? '' : html` You have no password yet: <a href="/password">choose one</a> first.`}</p>
<p><a href="/account">Back to your account</a></p>`;
}

function pendingBody(visit: UserVisit, invalid: boolean): Markup {
	const {
		services,
		token,
		session: {account},
		visitor,
	} = visit;
	const secret = pendingSecret(services, account);
	if (secret === undefined) {
		return offBody(visit);
	}

	const address = totpUrl(secret, {issuer: new URL(visitor.server).host, account: account.email});
	const image = renderSVG(address, {border: 4}).replace('<svg ', '<svg role="img" aria-label="QR code of the secret" ');
	return html`<ol>
<li>Scan this QR code with your authenticator app, or enter the secret below.
${raw(image)}
<dl><dt>Secret</dt><dd><code>${secret.match(/.{1,4}/g)?.join(' ')}</code></dd></dl></li>
<li>Enter the code from the app, here or in a terminal with <code>service mfa verify</code>. This turns the second factor on
and shows your recovery codes.</li>
</ol>
<form method="post" action="${path}/verify">${token}
${field({name: 'code', label: 'Code from your authenticator app', autocomplete: 'one-time-code', code: true, autofocus: invalid, invalid})}
<button class="primary">Turn on</button>
</form>
<form method="post" action="${path}/start">${token}<button>Create a new secret</button></form>
<p><a href="/account">Back to your account</a></p>`;
}

async function onBody({services, token, session: {account}}: UserVisit, invalid: boolean): Promise<Markup> {
	const left = await countRecoveryCodes(services, account.id);
	return html`<p>The second factor is on. You have ${left} unused recovery ${left === 1 ? 'code' : 'codes'}.</p>
<p>To change the app or get new recovery codes, turn it off and set it up again.</p>
<form method="post" action="${path}/off">${token}
${field({
	name: 'code',
	label: 'Code from your authenticator app, or a recovery code',
	autocomplete: 'one-time-code',
	code: true,
	autofocus: invalid,
	invalid,
})}
<button>Turn off</button>
</form>
<p><a href="/account">Back to your account</a></p>`;
}

async function submitEnrollment(visit: UserVisit, form: URLSearchParams): Promise<Response> {
	const {services, session, header} = visit;
	if (!mayEnroll(session)) {
		return redirect(path);
	}

	const result = await verifyEnrollment(services, session.account.id, form.get('code') ?? '');
	switch (result.kind) {
		case 'not-started':
			return redirect(path);
		case 'wait':
			return await statePage(visit, tooManyAttempts(result.seconds));
		case 'wrong':
			return await statePage(visit, {
				status: 400,
				problem: 'That code is wrong. Enter the current one, and check your phone’s clock.',
			});
		case 'enrolled':
			await closeOtherSessions(services, session);
			return await respond(
				{
					title: 'The second factor is on',
					body: html`<p role="status">Save these recovery codes somewhere other than your phone. Each works once.
They won’t be shown again.</p>
<ul class="codes">${result.recoveryCodes.map(code => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="/account">I saved them</a></p>`,
				},
				header,
			);
	}
}

async function submitRemoval(visit: UserVisit, form: URLSearchParams): Promise<Response> {
	const {services, session} = visit;
	if (session.account.totp_secret === null) {
		return redirect(path);
	}

	const result = await checkSecondFactor(services, session.account, form.get('code') ?? '');
	if (result.kind === 'wait') {
		return await statePage(visit, tooManyAttempts(result.seconds));
	}

	if (result.kind === 'wrong') {
		return await statePage(visit, {status: 400, problem: 'That code is wrong or already used.'});
	}

	await removeSecondFactor(services, session.account.id);
	await closeOtherSessions(services, session);
	return redirect(path);
}
