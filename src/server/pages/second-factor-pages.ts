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
import {totpAddress} from '../accounts/totp.ts';
import type {Route} from '../kit/route.ts';
import {field, type Markup, waitText} from './markup.ts';
import {redirect, respond} from './page.ts';
import {type SignedVisit, signedPages} from './page-route.ts';

const here = '/account/second-factor';
const title = 'Second factor';

/**
 * Where an authenticator app is set up, by who signed in with his password. The secret is shown here alone; that the app
 * has it is shown here with a code, or in the terminal with `service mfa verify`.
 */
export function secondFactorPages(services: AccountServices): readonly Route[] {
	return signedPages(services, [
		{path: here, show: visit => statePage(visit)},
		{
			path: `${here}/start`,
			async take({session}) {
				// What is in force is turned off with a code first: whoever cannot give one must not replace it.
				if (session.account.totp_secret === null && mayEnroll(session)) {
					await startEnrollment(services, session.account.id);
				}

				return redirect(here);
			},
		},
		{path: `${here}/verify`, take: takeEnrollment},
		{path: `${here}/off`, take: takeRemoval},
	]);
}

/** Whoever has nothing but a stolen API key could lock its user out with an app of his own. */
function mayEnroll({apiKeyId}: BrowserSession): boolean {
	return apiKeyId === null;
}

type Failure = {readonly status?: number; readonly problem?: string; readonly retryAfter?: number};

async function statePage(visit: SignedVisit, failure: Failure = {}): Promise<Response> {
	const {account} = visit.session;
	const inForce = account.totp_secret !== null;
	const wrong = Boolean(failure.problem);
	const body = inForce
		? await onBody(visit, wrong)
		: !mayEnroll(visit.session)
			? closedBody(visit)
			: pendingBody(visit, wrong);
	return await respond({title, ...failure, body}, visit.signed);
}

function offBody({token}: SignedVisit): Markup {
	return html`<p>With a second factor, your password alone lets nobody in: each sign-in also asks for a code of an app on your
phone. You need an authenticator app for it.</p>
<form method="post" action="${here}/start">${token}<button class="primary">Set it up</button></form>
<p><a href="/account">Back to your account</a></p>`;
}

function closedBody({session: {account}}: SignedVisit): Markup {
	return html`<p>The second factor is off. You signed in with an API key, which is not enough to set it up: sign out, and sign in
with your password.${account.password_hash ? '' : html` You have none yet: <a href="/password">choose one</a> first.`}</p>
<p><a href="/account">Back to your account</a></p>`;
}

function pendingBody(visit: SignedVisit, wrong: boolean): Markup {
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

	const address = totpAddress(secret, {issuer: new URL(visitor.origin).host, account: account.email});
	const image = renderSVG(address, {border: 4}).replace('<svg ', '<svg role="img" aria-label="QR code of the secret" ');
	return html`<ol>
<li>Scan this with your authenticator app, or type the secret below into it.
${raw(image)}
<dl><dt>Secret</dt><dd><code>${secret.match(/.{1,4}/g)?.join(' ')}</code></dd></dl></li>
<li>Enter the code that the app shows, here or in a terminal with <code>service mfa verify</code>. The second factor is on
from then on, and you get recovery codes.</li>
</ol>
<form method="post" action="${here}/verify">${token}
${field({name: 'code', label: 'Code of your authenticator app', fills: 'one-time-code', code: true, first: wrong, wrong})}
<button class="primary">Turn it on</button>
</form>
<form method="post" action="${here}/start">${token}<button>Make another secret</button></form>
<p><a href="/account">Back to your account</a></p>`;
}

async function onBody({services, token, session: {account}}: SignedVisit, wrong: boolean): Promise<Markup> {
	const left = await countRecoveryCodes(services, account.id);
	return html`<p>The second factor is on. You have ${left} unused recovery ${left === 1 ? 'code' : 'codes'}.</p>
<p>For another app, or new recovery codes, turn it off and set it up again.</p>
<form method="post" action="${here}/off">${token}
${field({
	name: 'code',
	label: 'Code of your authenticator app, or a recovery code',
	fills: 'one-time-code',
	code: true,
	first: wrong,
	wrong,
})}
<button>Turn it off</button>
</form>
<p><a href="/account">Back to your account</a></p>`;
}

async function takeEnrollment(visit: SignedVisit, form: URLSearchParams): Promise<Response> {
	const {services, session, signed} = visit;
	if (!mayEnroll(session)) {
		return redirect(here);
	}

	const result = await verifyEnrollment(services, session.account.id, form.get('code') ?? '');
	switch (result.kind) {
		case 'not-started':
			return redirect(here);
		case 'wait':
			return await statePage(visit, tooMany(result.seconds));
		case 'wrong':
			return await statePage(visit, {
				status: 400,
				problem: 'This code is not right. Enter the one that the app shows now; compare the clock of your phone, too.',
			});
		case 'enrolled':
			await closeOtherSessions(services, session);
			return await respond(
				{
					title: 'The second factor is on',
					body: html`<p role="status">Keep these recovery codes where you find them without your phone. Each lets you in once.
They are not shown again.</p>
<ul class="codes">${result.recoveryCodes.map(code => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="/account">I have kept them</a></p>`,
				},
				signed,
			);
	}
}

async function takeRemoval(visit: SignedVisit, form: URLSearchParams): Promise<Response> {
	const {services, session} = visit;
	if (session.account.totp_secret === null) {
		return redirect(here);
	}

	const result = await checkSecondFactor(services, session.account, form.get('code') ?? '');
	if (result.kind === 'wait') {
		return await statePage(visit, tooMany(result.seconds));
	}

	if (result.kind === 'wrong') {
		return await statePage(visit, {status: 400, problem: 'This code is not right, or was used before.'});
	}

	await removeSecondFactor(services, session.account.id);
	await closeOtherSessions(services, session);
	return redirect(here);
}

function tooMany(seconds: number): Failure {
	return {status: 429, problem: `Too many codes were tried. Try again in ${waitText(seconds)}.`, retryAfter: seconds};
}
