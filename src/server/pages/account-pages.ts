import {html} from 'hono/html';
import type {AccountServices} from '../accounts/account-services.ts';
import {type ActiveLogin, endLogin, listLogins} from '../accounts/active-logins.ts';
import type {ServerRoute} from '../kit/route.ts';
import {type Markup, timeOf} from './markup.ts';
import {redirect, respond} from './page.ts';
import {type UserVisit, userPages} from './page-route.ts';

/** The account page, with links to everything that users manage themselves. */
export function accountPages(services: AccountServices): readonly ServerRoute[] {
	return [
		{method: 'GET', path: '/', auth: 'none', handle: () => redirect('/account')},
		...userPages(services, [{path: '/account', show: overview}]),
	];
}

function overview({session: {account}, header}: UserVisit): Promise<Response> {
	return respond(
		{
			title: 'Your account',
			body: html`<ul>
<li><a href="/device">Authorize a device</a> with the code that “service login” shows</li>
<li><a href="/account/logins">Active sessions</a></li>
<li>${
				account.password_hash
					? html`<a href="/account/password">Change your password</a>`
					: html`<a href="/password">Choose a password</a>`
			}</li>
<li><a href="/account/second-factor">Second factor</a>: ${account.totp_secret ? 'on' : 'off'}</li>
</ul>`,
		},
		header,
	);
}

const path = '/account/logins';

/** The page that lists a user's active sessions on devices and ends them. */
export function activeSessionPages(services: AccountServices): readonly ServerRoute[] {
	return userPages(services, [
		{path, show: listPage},
		{
			path: `${path}/end`,
			async submit({session}, form) {
				await endLogin(services, {id: form.get('login') ?? '', userId: session.account.id});
				return redirect(path);
			},
		},
	]);
}

async function listPage(visit: UserVisit): Promise<Response> {
	const {services, session, header} = visit;
	const logins = await listLogins(services, session.account.id);
	return await respond(
		{
			title: 'Active sessions',
			body: html`${
				logins.length > 0
					? html`<ul>${logins.map(login => item(visit, login))}</ul>`
					: html`<p>No active sessions. Log in from a terminal with “service login”.</p>`
			}
<p>API keys are not listed here. Use “service api-key list” in a terminal.</p>
<p><a href="/account">Back to your account</a></p>`,
		},
		header,
	);
}

function item({token}: UserVisit, {id, program, startedAt, refreshedAt}: ActiveLogin): Markup {
	return html`<li id="${id}"><strong>${program}</strong>, since ${timeOf(startedAt)}, last renewed ${timeOf(refreshedAt)}
<form method="post" action="${path}/end">${token}
<input type="hidden" name="login" value="${id}"><button aria-describedby="${id}">End session</button>
</form></li>`;
}
